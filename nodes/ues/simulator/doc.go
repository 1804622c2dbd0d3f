// Package simulator is a simulated environment for assistants, wire-compatible with UES
// 0.3.0: mail, messages, chat, calendar and the rest behind an HTTP API with keys and
// permissions, and a clock that somebody else moves.
//
//	simulator.New ──▶ *Simulator ──┬─ ServeHTTP            requests, keys, access log, WebSocket
//	                               └─ Advance, Import, …   the same world, in process
//
//	ServeHTTP ─▶ routes (package endpoint, package modality/…) ─▶ world.World ─▶ modality.State
//
// One lock guards the world; every request is one step of it. Everything is in memory.
// What differs from the original server is listed in docs/ues.md.
package simulator
