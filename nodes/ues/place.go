package ues

import (
	"context"
	"encoding/json"
)

// LocationAPI is the user's place.
type LocationAPI struct{ c *Client }

// Place is somewhere on earth: degrees, meters, meters a second. Nil is not known.
type Place struct {
	Latitude   *float64 `json:"latitude"`
	Longitude  *float64 `json:"longitude"`
	Address    *string  `json:"address,omitempty"`
	NamedPlace *string  `json:"named_location,omitempty"`
	Altitude   *float64 `json:"altitude,omitempty"`
	Accuracy   *float64 `json:"accuracy,omitempty"`
	Speed      *float64 `json:"speed,omitempty"`
	Bearing    *float64 `json:"bearing,omitempty"`
	Timestamp  *Time    `json:"timestamp,omitempty"`  // in histories and queries
	IsCurrent  bool     `json:"is_current,omitempty"` // in queries
}

// LocationState is where the user is and was.
type LocationState struct {
	ModalityType string  `json:"modality_type"`
	LastUpdated  Time    `json:"last_updated"`
	UpdateCount  int     `json:"update_count"`
	Current      Place   `json:"current"`
	History      []Place `json:"history"`
}

// State tells where the user is and was. Permission location:state.
func (l LocationAPI) State(ctx context.Context) (LocationState, error) {
	return get[LocationState](ctx, l.c, "/location/state", nil)
}

// LocationQuery chooses places; nil and empty fields choose all. Times are inclusive.
type LocationQuery struct {
	Since          *Time  `json:"since,omitempty"`
	Until          *Time  `json:"until,omitempty"`
	NamedLocation  string `json:"named_location,omitempty"`
	IncludeCurrent *bool  `json:"include_current,omitempty"` // nil is true
	Limit          int    `json:"limit,omitempty"`
	Offset         int    `json:"offset,omitempty"`
	SortBy         string `json:"sort_by,omitempty"`    // timestamp, latitude or longitude
	SortOrder      string `json:"sort_order,omitempty"` // "" is desc
}

// LocationPage is the places that a query chose.
type LocationPage struct {
	Locations  []Place `json:"locations"`
	Count      int     `json:"count"`
	TotalCount int     `json:"total_count"` // before paging
}

// Query gives places. Permission location:query.
func (l LocationAPI) Query(ctx context.Context, q LocationQuery) (LocationPage, error) {
	return post[LocationPage](ctx, l.c, "/location/query", q)
}

// Update moves the user: Latitude and Longitude are required. Permission location:update.
func (l LocationAPI) Update(ctx context.Context, p Place) (Action, error) {
	p.Timestamp, p.IsCurrent = nil, false
	return l.c.Act(ctx, "/location/update", p)
}

// WeatherAPI is the weather. Reports are raw: they have the form of OpenWeather's One
// Call, in Kelvin and meters a second.
type WeatherAPI struct{ c *Client }

// WeatherPlace is the weather of one place.
type WeatherPlace struct {
	Latitude      float64           `json:"latitude"`
	Longitude     float64           `json:"longitude"`
	CurrentReport json.RawMessage   `json:"current_report"`
	FirstSeen     Time              `json:"first_seen"`
	LastUpdated   Time              `json:"last_updated"`
	UpdateCount   int               `json:"update_count"`
	ReportHistory []json.RawMessage `json:"report_history"`
}

// WeatherState is all weather. The keys are "lat,lon" with two decimals.
type WeatherState struct {
	ModalityType  string                  `json:"modality_type"`
	LastUpdated   Time                    `json:"last_updated"`
	UpdateCount   int                     `json:"update_count"`
	Locations     map[string]WeatherPlace `json:"locations"`
	LocationCount int                     `json:"location_count"`
}

// State gives all weather. Permission weather:state.
func (w WeatherAPI) State(ctx context.Context) (WeatherState, error) {
	return get[WeatherState](ctx, w.c, "/weather/state", nil)
}

// WeatherQuery asks for the weather of a place.
type WeatherQuery struct {
	Lat     float64  `json:"lat"`
	Lon     float64  `json:"lon"`
	Exclude []string `json:"exclude,omitempty"` // current, minutely, hourly, daily, alerts
	Units   string   `json:"units,omitempty"`   // standard, metric or imperial
	Limit   int      `json:"limit,omitempty"`
	Offset  int      `json:"offset,omitempty"`
}

// WeatherPage is what is known of a place; Error says when nothing is.
type WeatherPage struct {
	Reports    []json.RawMessage `json:"reports"`
	Count      int               `json:"count"`
	TotalCount int               `json:"total_count"`
	Error      *string           `json:"error"`
}

// Query gives the weather of a place. Permission weather:query.
func (w WeatherAPI) Query(ctx context.Context, q WeatherQuery) (WeatherPage, error) {
	return post[WeatherPage](ctx, w.c, "/weather/query", q)
}

// Update sets the weather of a place. Permission weather:update.
func (w WeatherAPI) Update(ctx context.Context, lat, lon float64, report any) (Action, error) {
	return w.c.Act(ctx, "/weather/update", struct {
		Lat    float64 `json:"latitude"`
		Lon    float64 `json:"longitude"`
		Report any     `json:"report"`
	}{lat, lon, report})
}
