package simulator_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/weft-engine/weft/nodes/ues/simulator"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// TestAHandlerThatBreaks: one broken endpoint answers 500 and takes nothing else down.
func TestAHandlerThatBreaks(t *testing.T) {
	kinds := simulator.Kinds()
	kinds[0].Routes = append(kinds[0].Routes, modality.Route{
		Method: "GET", Path: "/weather/broken", Permission: "weather:state", Summary: "breaks",
		Handle: func(*modality.Request) modality.Response { panic("it broke") },
	})
	var log bytes.Buffer
	c := serve(t, fresh(t, simulator.Options{Kinds: kinds, Log: zerolog.New(&log)}))
	for range 3 {
		if text := c.must(500, "GET", "/weather/broken", ""); pick(t, text, "error") != "Internal Server Error" {
			t.Errorf("answer: %s", text)
		}
		c.must(200, "GET", "/weather/state", "")
	}
	if got := pick(t, c.must(200, "GET", "/access-logs/stats", ""), "server_error_count"); got != "3" {
		t.Errorf("%s server errors", got)
	}
	if !strings.Contains(log.String(), "it broke") {
		t.Errorf("log: %s", log.String())
	}
}

// TestChatOfOneInstant: messages stay in order of arrival, and queries do not disturb it.
func TestChatOfOneInstant(t *testing.T) {
	c := serve(t, fresh(t, simulator.Options{}))
	for i := range 20 {
		c.must(200, "POST", "/chat/send", str(`{"role":"user","content":"%d"}`, i))
	}
	c.must(200, "POST", "/chat/query", `{"sort_order":"desc"}`)
	state := c.must(200, "GET", "/chat/state", "")
	for i := range 20 {
		if got := pick(t, state, str("messages/%d/content", i)); got != str("%d", i) {
			t.Fatalf("message %d is %q", i, got)
		}
	}
}
