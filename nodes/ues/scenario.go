package ues

import (
	"context"
	"encoding/json"
	"net/url"
)

// segment makes one segment of a path of an id.
func segment(id string) string { return url.PathEscape(id) }

// ScenarioAPI exports and imports the world.
type ScenarioAPI struct{ c *Client }

// Imported is what an import of a whole scenario has done.
type Imported struct {
	Success           bool            `json:"success"`
	EnvironmentLoaded bool            `json:"environment_loaded"`
	EventsLoaded      int             `json:"events_loaded"`
	ModalitiesLoaded  []string        `json:"modalities_loaded"`
	ModalitiesSkipped []string        `json:"modalities_skipped"`
	Warnings          []string        `json:"warnings"`
	ScenarioMetadata  json.RawMessage `json:"scenario_metadata"`
}

// Import replaces the world by a scenario {metadata, environment, events}, a value that
// encodes as such. Strict refuses modalities that are not known. 409 while the
// simulation runs. Permission scenario:import.
func (s ScenarioAPI) Import(ctx context.Context, scenario any, strict bool) (Imported, error) {
	return post[Imported](ctx, s.c, "/scenario/import/full", struct {
		Scenario any  `json:"scenario"`
		Strict   bool `json:"strict_modalities"`
	}{scenario, strict})
}

// Export gives the whole world as a scenario. Permission scenario:export.
func (s ScenarioAPI) Export(ctx context.Context, author, description string) (json.RawMessage, error) {
	query := url.Values{}
	add(query, "author", author)
	add(query, "description", description)
	out, err := get[struct {
		Scenario json.RawMessage `json:"scenario"`
	}](ctx, s.c, "/scenario/export/full", query)
	return out.Scenario, err
}

// ExportEnvironment gives the clock and the states. Permission scenario:export.
func (s ScenarioAPI) ExportEnvironment(ctx context.Context) (json.RawMessage, error) {
	out, err := get[struct {
		Environment json.RawMessage `json:"environment"`
	}](ctx, s.c, "/scenario/export/environment", nil)
	return out.Environment, err
}

// ExportedEvents is the queue as a scenario keeps it.
type ExportedEvents struct {
	Events         json.RawMessage `json:"events"`
	TotalEvents    int             `json:"total_events"`
	PendingEvents  int             `json:"pending_events"`
	ExecutedEvents int             `json:"executed_events"`
}

// ExportEvents gives the queue. Permission scenario:export.
func (s ScenarioAPI) ExportEvents(ctx context.Context) (ExportedEvents, error) {
	return get[ExportedEvents](ctx, s.c, "/scenario/export/events", nil)
}

// ImportedEnvironment is what an import of clock and states has done.
type ImportedEnvironment struct {
	Success              bool     `json:"success"`
	ModalitiesLoaded     []string `json:"modalities_loaded"`
	ModalitiesSkipped    []string `json:"modalities_skipped"`
	Warnings             []string `json:"warnings"`
	HistoricEventsCount  int      `json:"historic_events_count"`
	HistoricEventsAction string   `json:"historic_events_action"`
}

// EnvironmentImport is clock and states to load. Historic says what becomes of pending
// events before the new clock: ignore (""), delete or apply.
type EnvironmentImport struct {
	Data     any    `json:"data"`
	Historic string `json:"historic_event_handling,omitempty"`
	Strict   bool   `json:"strict_modalities"`
}

// ImportEnvironment replaces clock and states. Permission scenario:import.
func (s ScenarioAPI) ImportEnvironment(ctx context.Context, r EnvironmentImport) (ImportedEnvironment, error) {
	return post[ImportedEnvironment](ctx, s.c, "/scenario/import/environment", r)
}

// ImportedEvents is what an import of events has done.
type ImportedEvents struct {
	Success               bool `json:"success"`
	EventsLoaded          int  `json:"events_loaded"`
	EventsMerged          int  `json:"events_merged"`
	PreviousEvents        int  `json:"previous_events"`
	HistoricEventsWarning bool `json:"historic_events_warning"`
	HistoricEventCount    int  `json:"historic_event_count"`
}

// ImportEvents replaces the queue, or adds to it with merge. Permission scenario:import.
func (s ScenarioAPI) ImportEvents(ctx context.Context, events any, merge bool) (ImportedEvents, error) {
	return post[ImportedEvents](ctx, s.c, "/scenario/import/events", struct {
		Data  any  `json:"data"`
		Merge bool `json:"merge"`
	}{events, merge})
}

// EnvironmentAPI shows the whole world.
type EnvironmentAPI struct{ c *Client }

// Snapshot is the whole world: the full state of each modality by name.
type Snapshot struct {
	CurrentTime Time                       `json:"current_time"`
	Modalities  map[string]json.RawMessage `json:"modalities"`
	Summary     []ModalitySummary          `json:"summary"`
}

// ModalitySummary is a modality in a few words.
type ModalitySummary struct {
	ModalityType string `json:"modality_type"`
	StateSummary string `json:"state_summary"`
}

// State gives the whole world. Permission environment:read.
func (e EnvironmentAPI) State(ctx context.Context) (Snapshot, error) {
	return get[Snapshot](ctx, e.c, "/environment/state", nil)
}

// CompactSnapshot is the world in short.
type CompactSnapshot struct {
	SnapshotTime Time                       `json:"snapshot_time"`
	Format       string                     `json:"format"`
	Modalities   map[string]json.RawMessage `json:"modalities"`
	Events       struct {
		PendingCount      int     `json:"pending_count"`
		NextEventTime     *Time   `json:"next_event_time"`
		NextEventModality *string `json:"next_event_modality"`
	} `json:"events"`
}

// Compact gives the world in short. Permission environment:read.
func (e EnvironmentAPI) Compact(ctx context.Context) (CompactSnapshot, error) {
	return get[CompactSnapshot](ctx, e.c, "/environment/state", url.Values{"compact": {"true"}})
}

// Report gives the world in a few lines for people. Permission environment:read.
func (e EnvironmentAPI) Report(ctx context.Context) (string, error) {
	data, err := e.c.send(ctx, request{method: "GET", path: "/environment/state", query: url.Values{"compact": {"true"}, "format": {"text"}}})
	return string(data), err
}

// Modalities names what the world has. Permission environment:list.
func (e EnvironmentAPI) Modalities(ctx context.Context) ([]string, error) {
	out, err := get[struct {
		Modalities []string `json:"modalities"`
	}](ctx, e.c, "/environment/modalities", nil)
	return out.Modalities, err
}

// Validation is whether the world is sound.
type Validation struct {
	Valid     bool     `json:"valid"`
	Errors    []string `json:"errors"`
	CheckedAt Time     `json:"checked_at"`
}

// Validate checks the world. Permission environment:validate.
func (e EnvironmentAPI) Validate(ctx context.Context) (Validation, error) {
	return post[Validation](ctx, e.c, "/environment/validate", nil)
}

// add sets a parameter that is not empty.
func add(q url.Values, name, value string) {
	if value != "" {
		q.Set(name, value)
	}
}
