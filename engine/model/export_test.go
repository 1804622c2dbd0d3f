package model

import "testing"

// Encode is encode for tests.
var Encode = encode

// ReadRecording is readRecording for tests.
var ReadRecording = readRecording

// ReplayerOf returns a player of one recording.
func ReplayerOf(t *testing.T, rec *recording) *Replayer {
	t.Helper()
	r := &Replayer{left: map[string][]*recording{}, seen: map[string]int{}}
	if err := r.add(rec); err != nil {
		t.Fatal(err)
	}
	return r
}
