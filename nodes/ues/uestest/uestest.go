// Package uestest gives tests a small simulated world: one mail in the inbox, one to
// come, an appointment, and clocks that stand still.
package uestest

import (
	"context"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/ues"
	"github.com/weft-engine/weft/nodes/ues/process"
	"github.com/weft-engine/weft/nodes/ues/simulator"
)

// Begin is the time of the world as it begins.
var Begin = time.Date(2026, 1, 28, 6, 0, 0, 0, time.UTC)

// Wall is what the wall clock shows, always.
func Wall() time.Time { return time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC) }

// Wait waits for nothing but the end of the context.
func Wait(ctx context.Context, _ time.Duration) error {
	<-ctx.Done()
	return ctx.Err()
}

// IDs gives a thread the same identifiers each time.
func IDs(engine.ThreadID) io.Reader { return rand.NewChaCha8([32]byte{7}) }

// Scenario is the world as it begins. Mail m2 comes at 07:00, half an hour before m3.
const Scenario = `{
  "metadata": {"ues_version": "0.3.0", "scenario_version": "1", "created_at": "2026-01-28T06:00:00Z"},
  "environment": {
    "time_state": {"current_time": "2026-01-28T06:00:00Z", "time_scale": 1.0, "is_paused": false, "auto_advance": false, "last_wall_time_update": "2026-01-28T06:00:00Z"},
    "modality_states": {
      "email": {"modality_type": "email", "last_updated": "2026-01-28T06:00:00Z", "user_email_address": "me@company.com",
        "folders": {"inbox": ["m1"]},
        "emails": {"m1": {"message_id": "m1", "thread_id": "t1", "from_address": "ann@company.com", "to_addresses": ["me@company.com", "bob@company.com"],
          "cc_addresses": ["cy@company.com"], "subject": "Lunch?", "body_text": "At noon?", "references": ["m0"],
          "sent_at": "2026-01-28T05:00:00Z", "received_at": "2026-01-28T05:00:00Z", "folder": "inbox"}}},
      "sms": {"modality_type": "sms", "last_updated": "2026-01-28T06:00:00Z", "user_phone_number": "+15550100000"},
      "chat": {"modality_type": "chat", "last_updated": "2026-01-28T06:00:00Z"},
      "calendar": {"modality_type": "calendar", "user_timezone": "America/New_York",
        "calendars": {"primary": {"calendar_id": "primary", "name": "Personal", "event_ids": ["e1"]}},
        "events": {"e1": {"event_id": "e1", "calendar_id": "primary", "title": "Review", "start": "2026-01-29T14:00:00-05:00", "end": "2026-01-29T15:00:00-05:00",
          "created_at": "2026-01-20T06:00:00Z", "attendees": [{"email": "me@company.com"}]}}}}},
  "events": {"events": [
    {"scheduled_time": "2026-01-28T07:00:00Z", "created_at": "2026-01-28T06:00:00Z", "modality": "email",
      "data": {"modality_type": "email", "timestamp": "2026-01-28T07:00:00Z", "operation": "receive", "message_id": "m2", "thread_id": "t2",
        "from_address": "dan@company.com", "to_addresses": ["me@company.com"], "subject": "Numbers", "body_text": "Where are they?"}},
    {"scheduled_time": "2026-01-28T07:30:00Z", "created_at": "2026-01-28T06:00:00Z", "modality": "email",
      "data": {"modality_type": "email", "timestamp": "2026-01-28T07:30:00Z", "operation": "receive", "message_id": "m3", "thread_id": "t2",
        "from_address": "dan@company.com", "to_addresses": ["me@company.com"], "subject": "Re: Numbers", "body_text": "Hello?"}}]}}`

// Data is Scenario as plain data.
func Data(t testing.TB) any {
	t.Helper()
	v, err := source.DecodeJSON([]byte(Scenario))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Start starts a world of Scenario that ends with the test: in this process, or, to
// listen, on a port.
func Start(t testing.TB, listen bool) (*process.Server, *ues.Client) {
	t.Helper()
	opts := simulator.Options{Now: Wall, Wait: Wait, IDs: IDs("")}
	s, err := process.Embedded{Options: opts, Listen: listen}.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	if _, err := s.Simulator().Import([]byte(Scenario), true); err != nil {
		t.Fatal(err)
	}
	if err := s.Simulator().Start(false, 1); err != nil {
		t.Fatal(err)
	}
	c, err := s.Client()
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// User makes a key of the world's user and returns a client with it and the key's id.
func User(t testing.TB, c *ues.Client) (user *ues.Client, id string) {
	t.Helper()
	key, err := c.Keys().Create(context.Background(), "User", ues.UserPermissions())
	if err != nil {
		t.Fatal(err)
	}
	return c.With(key.Secret), key.KeyID
}
