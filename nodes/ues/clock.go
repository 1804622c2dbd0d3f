package ues

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// TimeAPI is the clock. All calls but Get need a running simulation.
type TimeAPI struct{ c *Client }

// Clock is where the simulated time stands and how it moves.
type Clock struct {
	CurrentTime Time    `json:"current_time"`
	TimeScale   float64 `json:"time_scale"`
	IsPaused    bool    `json:"is_paused"`
	AutoAdvance bool    `json:"auto_advance"`
	Mode        string  `json:"mode"` // paused, auto or manual
}

// Get tells the time. Permission time:read.
func (t TimeAPI) Get(ctx context.Context) (Clock, error) {
	return get[Clock](ctx, t.c, "/simulator/time", nil)
}

// Advanced is what an advance has done.
type Advanced struct {
	PreviousTime     Time   `json:"previous_time"`
	CurrentTime      Time   `json:"current_time"`
	TimeAdvanced     string `json:"time_advanced"`   // as Python writes a timedelta
	EventsExecuted   int    `json:"events_executed"` // those that failed too
	EventsFailed     int    `json:"events_failed"`
	ExecutionDetails []Ran  `json:"execution_details"`
}

// Ran is one event that an advance executed.
type Ran struct {
	EventID  string  `json:"event_id"`
	Modality string  `json:"modality"`
	Status   string  `json:"status"`
	Error    *string `json:"error"`
}

// Advance moves the clock, to the microsecond, and executes what has become due.
// Errors: 400 when the simulation does not run or is paused, 409 when it is held.
// Permission time:advance.
func (t TimeAPI) Advance(ctx context.Context, by time.Duration) (Advanced, error) {
	if by <= 0 {
		return Advanced{}, errors.New("time only advances forward: give more than zero")
	}
	return post[Advanced](ctx, t.c, "/simulator/time/advance", struct {
		Seconds float64 `json:"seconds"`
	}{by.Seconds()})
}

// Jumped is what setting the clock has done.
type Jumped struct {
	CurrentTime        Time `json:"current_time"`
	PreviousTime       Time `json:"previous_time"`
	SkippedEvents      int  `json:"skipped_events"`
	ExecutedEvents     int  `json:"executed_events"`
	RolledBackEvents   int  `json:"rolled_back_events"`
	ResetSkippedEvents int  `json:"reset_skipped_events"`
}

// Set sets the clock: forward, events in between are skipped; backward, they are undone.
// Permission time:set.
func (t TimeAPI) Set(ctx context.Context, to time.Time) (Jumped, error) {
	return post[Jumped](ctx, t.c, "/simulator/time/set", struct {
		To Time `json:"target_time"`
	}{At(to)})
}

// NextEvent is what a jump to the next event has done.
type NextEvent struct {
	PreviousTime   Time  `json:"previous_time"`
	CurrentTime    Time  `json:"current_time"`
	EventsExecuted int   `json:"events_executed"`
	NextEventTime  *Time `json:"next_event_time"`
}

// SkipToNext sets the clock to the next event and executes it. 404 when there is none.
// Permission time:skip.
func (t TimeAPI) SkipToNext(ctx context.Context) (NextEvent, error) {
	return post[NextEvent](ctx, t.c, "/simulator/time/skip-to-next", nil)
}

// SetScale sets how fast time moves by itself. Permission time:scale.
func (t TimeAPI) SetScale(ctx context.Context, scale float64) (Clock, error) {
	return post[Clock](ctx, t.c, "/simulator/time/set-scale", struct {
		Scale float64 `json:"scale"`
	}{scale})
}

// Paused is whether time stands still.
type Paused struct {
	Message     string `json:"message"`
	CurrentTime Time   `json:"current_time"`
	IsPaused    bool   `json:"is_paused"`
}

// Pause stops time. Permission time:pause.
func (t TimeAPI) Pause(ctx context.Context) (Paused, error) {
	return post[Paused](ctx, t.c, "/simulator/time/pause", nil)
}

// Resume lets time go on. Permission time:resume.
func (t TimeAPI) Resume(ctx context.Context) (Paused, error) {
	return post[Paused](ctx, t.c, "/simulator/time/resume", nil)
}

// SimulationAPI starts, stops, empties and rewinds the simulation.
type SimulationAPI struct{ c *Client }

// StartRequest says how time moves; the zero value is by hand.
type StartRequest struct {
	AutoAdvance bool    `json:"auto_advance"`
	TimeScale   float64 `json:"time_scale,omitempty"` // 0 is 1
}

// Started is a simulation that began.
type Started struct {
	SimulationID string   `json:"simulation_id"`
	Status       string   `json:"status"`
	CurrentTime  Time     `json:"current_time"`
	AutoAdvance  bool     `json:"auto_advance"`
	TimeScale    *float64 `json:"time_scale"`
}

// Start begins. 409 when it runs already, 400 when the world is not sound.
// Permission simulation:start.
func (s SimulationAPI) Start(ctx context.Context, r StartRequest) (Started, error) {
	return post[Started](ctx, s.c, "/simulation/start", r)
}

// Stopped is a simulation that ended; the counts are nil when it did not run.
type Stopped struct {
	SimulationID   string `json:"simulation_id"`
	Status         string `json:"status"`
	FinalTime      *Time  `json:"final_time"`
	TotalEvents    *int   `json:"total_events"`
	EventsExecuted *int   `json:"events_executed"`
	EventsFailed   *int   `json:"events_failed"`
}

// Stop ends; it may be called when nothing runs. Permission simulation:stop.
func (s SimulationAPI) Stop(ctx context.Context) (Stopped, error) {
	return post[Stopped](ctx, s.c, "/simulation/stop", nil)
}

// SimulationStatus is where the simulation stands.
type SimulationStatus struct {
	IsRunning      bool    `json:"is_running"`
	CurrentTime    Time    `json:"current_time"`
	IsPaused       bool    `json:"is_paused"`
	AutoAdvance    bool    `json:"auto_advance"`
	TimeScale      float64 `json:"time_scale"`
	PendingEvents  int     `json:"pending_events"`
	ExecutedEvents int     `json:"executed_events"`
	FailedEvents   int     `json:"failed_events"`
	NextEventTime  *Time   `json:"next_event_time"`
}

// Status tells where the simulation stands. Permission simulation:status.
func (s SimulationAPI) Status(ctx context.Context) (SimulationStatus, error) {
	return get[SimulationStatus](ctx, s.c, "/simulation/status", nil)
}

// Reset is what a reset has done.
type Reset struct {
	Status        string   `json:"status"`
	Message       string   `json:"message"`
	ClearedEvents int      `json:"cleared_events"`
	EventsUndone  int      `json:"events_undone"`
	UndoErrors    []string `json:"undo_errors"`
}

// Reset undoes everything and makes all events pending. Permission simulation:reset.
func (s SimulationAPI) Reset(ctx context.Context) (Reset, error) {
	return post[Reset](ctx, s.c, "/simulation/reset", nil)
}

// ClearRequest may set the clock.
type ClearRequest struct {
	ResetTimeTo *Time `json:"reset_time_to,omitempty"`
}

// Cleared is what a clear has done.
type Cleared struct {
	Status            string `json:"status"`
	EventsRemoved     int    `json:"events_removed"`
	ModalitiesCleared int    `json:"modalities_cleared"`
	TimeReset         *Time  `json:"time_reset"`
	CurrentTime       Time   `json:"current_time"`
}

// Clear stops the simulation and empties the world. Permission simulation:clear.
func (s SimulationAPI) Clear(ctx context.Context, r ClearRequest) (Cleared, error) {
	var body any
	if r.ResetTimeTo != nil {
		body = r
	}
	return post[Cleared](ctx, s.c, "/simulation/clear", body)
}

// Undone is what undo or redo has done.
type Undone struct {
	UndoneCount  int           `json:"undone_count,omitempty"`
	UndoneEvents []UndoneEvent `json:"undone_events,omitempty"`
	RedoneCount  int           `json:"redone_count,omitempty"`
	RedoneEvents []UndoneEvent `json:"redone_events,omitempty"`
	CanUndo      bool          `json:"can_undo"`
	CanRedo      bool          `json:"can_redo"`
	Message      *string       `json:"message"`
}

// UndoneEvent is one event that was reversed or applied again.
type UndoneEvent struct {
	EventID  string  `json:"event_id"`
	Modality string  `json:"modality"`
	Action   *string `json:"action"`
}

// Undo reverses the newest executions, 1 to 100. Permission simulation:undo.
func (s SimulationAPI) Undo(ctx context.Context, count int) (Undone, error) {
	return post[Undone](ctx, s.c, "/simulation/undo", counted{count})
}

// Redo applies again what was reversed, 1 to 100. Permission simulation:redo.
func (s SimulationAPI) Redo(ctx context.Context, count int) (Undone, error) {
	return post[Undone](ctx, s.c, "/simulation/redo", counted{count})
}

type counted struct {
	Count int `json:"count"`
}

// HoldRequest asks that time stands still.
type HoldRequest struct {
	Reason         *string  `json:"reason,omitempty"`
	TimeoutSeconds *float64 `json:"timeout_seconds,omitempty"` // 1 to 3600; nil is 300
	AgentID        *string  `json:"agent_id,omitempty"`
}

// Hold is a named lease under which time does not move.
type Hold struct {
	HoldID          string  `json:"hold_id"`
	Reason          *string `json:"reason"`
	TimeoutSeconds  float64 `json:"timeout_seconds"`
	AcquiredAt      Time    `json:"acquired_at"`
	ExpiresAt       Time    `json:"expires_at"`
	AgentID         *string `json:"agent_id,omitempty"`
	ActiveHoldCount int     `json:"active_hold_count,omitempty"`
}

// Hold stops time until the hold is released or expires. Permission simulation:hold.
func (s SimulationAPI) Hold(ctx context.Context, r HoldRequest) (Hold, error) {
	return post[Hold](ctx, s.c, "/simulation/hold", r)
}

// Release gives a hold up. 404 when it is not there any more. Permission simulation:release.
func (s SimulationAPI) Release(ctx context.Context, hold string) error {
	_, err := s.c.send(ctx, request{method: http.MethodPost, path: "/simulation/release/" + segment(hold)})
	return err
}

// Holds lists the holds. Permission simulation:holds.
func (s SimulationAPI) Holds(ctx context.Context) ([]Hold, error) {
	out, err := get[struct {
		Holds []Hold `json:"holds"`
	}](ctx, s.c, "/simulation/holds", nil)
	return out.Holds, err
}
