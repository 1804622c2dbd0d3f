package weather

import (
	"math"

	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

const (
	standard = "standard" // kelvin, metres a second
	metric   = "metric"   // degrees Celsius, metres a second
	imperial = "imperial" // degrees Fahrenheit, miles an hour

	zeroCelsius    = 273.15
	milesAnHour    = 2.236936 // of a metre a second
	roundTo        = 100
	fahrenheitZero = 32
)

func celsius(kelvin float64) float64 { return round(kelvin - zeroCelsius) }
func fahrenheit(kelvin float64) float64 {
	return round((kelvin-zeroCelsius)*9/5 + fahrenheitZero)
}
func round(f float64) float64 { return math.Round(f*roundTo) / roundTo }

// convert writes a report's temperatures and speeds in other units, into the report.
func convert(report *ordered.Map, units string) {
	if units == standard {
		return
	}
	convertPart(object(report, "current"), units)
	for _, name := range []string{"hourly", "daily"} {
		v, _ := report.Get(name)
		items, _ := v.([]any)
		for _, x := range items {
			part, _ := x.(*ordered.Map)
			convertPart(part, units)
		}
	}
}

func convertPart(part *ordered.Map, units string) {
	for name, v := range part.All() {
		switch name {
		case "temp", "feels_like", "dew_point":
			part.Set(name, warmth(v, units))
		case "wind_speed", "wind_gust":
			if n, ok := v.(ordered.Number); ok && units == imperial {
				part.Set(name, ordered.Float(round(n.Float()*milesAnHour)))
			}
		}
	}
}

// warmth converts a temperature, or each one of an object.
func warmth(v any, units string) any {
	switch v := v.(type) {
	case ordered.Number:
		if units == metric {
			return ordered.Float(celsius(v.Float()))
		}
		return ordered.Float(fahrenheit(v.Float()))
	case *ordered.Map:
		for name, x := range v.All() {
			v.Set(name, warmth(x, units))
		}
	}
	return v
}
