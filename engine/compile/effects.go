package compile

// effects judges what may happen twice or not at all: retries and caches on nodes whose
// work must not be repeated or skipped. It comes after the expressions, because only a
// built node knows what it does.
func effects(c *compilation) {
	for _, g := range c.graphs {
		if c.wrong.within("graphs", g.Key) {
			continue
		}
		for _, n := range g.nodes {
			c.retryOnce(n)
			c.cacheable(n)
			c.nothingToTry(n)
		}
	}
}

func (c *compilation) retryOnce(n *node) {
	if r := n.out.Retry; r == nil || r.Attempts < 2 || !n.does.Unsettled {
		return
	}
	c.list.Add(onceRetry.At(n.pos("retry"), "node %q is tried up to %d times, but its effect may happen only once", n.Key, n.out.Retry.Attempts).
		WithHint("Leave retry out, or make a repeated call harmless (effect: idempotent, idempotency_header)."))
}

func (c *compilation) cacheable(n *node) {
	switch {
	case n.out.Cache == nil:
	case n.built.Asks || n.does.Asks:
		c.list.Add(badCache.At(n.pos("cache"), "node %q may ask a human, and an answer to one question is none to the next", n.Key).
			WithHint("Leave cache out, or move what can be kept into a node of its own."))
	case n.built.Once || n.does.Changes:
		c.list.Add(badCache.At(n.pos("cache"), "node %q changes the world: with a cache it would not the second time", n.Key).
			WithHint("Leave cache out. If the tool changes nothing, say effect: none."))
	case n.does.Live:
		c.list.Add(badCache.At(n.pos("cache"), "node %q looks at what changes by itself, and what it finds is not kept", n.Key).
			WithHint("Leave cache out."))
	case len(n.does.Runs) > 0:
		c.list.Add(badCache.At(n.pos("cache"), "node %q runs graph %q, whose result is not kept", n.Key, n.does.Runs[0]).
			WithHint("Give the cache to the nodes of that graph that call something."))
	case len(n.uses.Models) == 0 && len(n.uses.Tools) == 0 && !n.uses.Calls:
		c.list.Add(badCache.At(n.pos("cache"), "node %q has a cache and does nothing that could be kept", n.Key).
			WithHint("Leave cache out."))
	}
}

// nothingToTry reports a retry of a node that makes no call. What a graph calls is tried
// in its own nodes; to begin the graph again would do twice what it has done.
func (c *compilation) nothingToTry(n *node) {
	switch {
	case n.typ == nil:
	case n.out.Retry != nil && len(n.does.Runs) > 0:
		c.list.Add(nothingToTry.At(n.pos("retry"), "node %q has a retry, and runs graph %q, which is not begun again", n.Key, n.does.Runs[0]).
			WithHint("Give the retry to the nodes of that graph that call something."))
		return
	default:
		return
	}
	for _, key := range []string{"retry", "timeout"} {
		if n.Value.Has(key) {
			c.list.Add(nothingToTry.At(n.pos(key), "node %q has a %s, and only sets and routes: nothing in it can fail for a while or take long", n.Key, key).
				WithHint("Leave %s out.", key))
		}
	}
}
