package simulator

import (
	"slices"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

// heavyAnswer is the size from which the answers of a route take turns until they are
// sent: ten clients that list a million events would need ten times the memory of one.
const heavyAnswer = 16 << 20

// perform runs the handler and writes its answer into buf, within the world's lock when
// the route has to do with the world. done is to be called when the answer has been sent.
// ok is false when the caller has gone while it waited for its turn.
func (c *exchange) perform(found *route, req *modality.Request, buf *[]byte) (resp modality.Response, done func(), ok bool) {
	answer := func() {
		resp = found.Handle(req)
		*buf = slices.Grow((*buf)[:0], int(found.heavy.Load()))
		if resp.Write != nil {
			*buf = resp.Write(*buf)
		}
		found.weigh(len(*buf))
		ok = true
	}
	done = func() {}
	defer func() {
		if !ok { // the handler broke
			done()
		}
	}()
	if found.Outside {
		answer()
		return resp, done, ok
	}
	for turn := found.heavy.Load() > 0; !ok; turn = true {
		if turn {
			if !enter(c.r.Context(), c.s.gate.heavy) {
				return resp, done, false
			}
			c.turn, done = true, func() { leave(c.s.gate.heavy) }
		}
		c.s.with(func(w *world.World) {
			if turn || found.heavy.Load() == 0 { // it may have become heavy while this one waited
				req.Moment, req.World, req.State = w.Moment(), w, w.State(found.modality)
				answer()
			}
		})
	}
	return resp, done, ok
}

// weigh notes the size of an answer when it is heavy, so that the next has room and waits
// for its turn.
func (r *route) weigh(n int) {
	if n <= heavyAnswer {
		n = 0
	}
	if r.heavy.Load() != int64(n) {
		r.heavy.Store(int64(n))
	}
}
