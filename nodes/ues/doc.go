// Package ues is a client of UES 0.3.0, the simulated user environment: mail, messages,
// chat, calendar and the rest behind an HTTP API, with a clock that somebody moves. It
// speaks to the server of package simulator and to the original alike.
//
//	c, err := ues.New(ues.Options{URL: "http://127.0.0.1:8000", Key: secret})
//	err = c.Simulation().Clear(ctx, ues.ClearRequest{})
//	done, err := c.Time().Advance(ctx, time.Hour)
//
// Every call has a deadline, reads a bounded answer and is made once: whether a call
// that was lost may be repeated is for the caller to say, who is told with *LostError
// whether it had left. What the server refuses is an *Error.
//
// What callers read is typed; what they only pass on is raw JSON.
package ues
