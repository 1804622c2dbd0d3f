package simulator

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/coder/websocket"

	"github.com/weft-engine/weft/nodes/ues/simulator/feed"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// The bounds of the WebSocket.
const (
	mostSockets  = 100
	socketRead   = 64 << 10
	socketWrite  = 10 * time.Second
	mostFilters  = 100
	queuedAnswer = 8
)

// socket tells a WebSocket client what happens until it leaves or the simulator closes.
// There is no key, as in the original; browsers need an allowed origin.
func (s *Simulator) socket(w http.ResponseWriter, r *http.Request) {
	if s.hub.Listeners() >= mostSockets || !s.beginSocket() {
		sendJSON(w, http.StatusServiceUnavailable, []byte(`{"detail":"Too many listeners"}`))
		return
	}
	defer s.loops.Done()
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{OriginPatterns: s.originHosts()})
	if err != nil {
		s.opts.Log.Debug().Err(err).Msg("websocket refused")
		return
	}
	defer conn.CloseNow() //nolint:errcheck // it is over either way
	conn.SetReadLimit(socketRead)
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	l := listener{conn: conn, sub: s.hub.Subscribe(nil), answers: make(chan []byte, queuedAnswer)}
	defer l.sub.Cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer cancel()
		l.listen(ctx)
	}()
	l.tell(ctx, cancel)
	conn.CloseNow() //nolint:errcheck // ends the reader
	<-ended
}

// beginSocket counts a socket among what Close waits for, unless it is closing.
func (s *Simulator) beginSocket() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.loops.Add(1)
	return true
}

// originHosts are the hosts of the allowed origins, as the library matches them.
func (s *Simulator) originHosts() []string {
	var hosts []string
	for _, origin := range s.opts.Origins {
		if u, err := url.Parse(origin); err == nil && u.Host != "" {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}

// listener is one WebSocket client.
type listener struct {
	conn    *websocket.Conn
	sub     *feed.Subscription
	answers chan []byte
}

// tell writes messages and answers until something ends.
func (l *listener) tell(ctx context.Context, cancel context.CancelFunc) {
	messages := make(chan []byte)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.pump(ctx, messages)
	}()
	defer func() { <-ended }()
	defer cancel()
	for {
		var text []byte
		select {
		case <-ctx.Done():
			return
		case <-ended:
			return
		case text = <-messages:
		case text = <-l.answers:
		}
		if !l.write(ctx, text) {
			return
		}
	}
}

// pump carries messages from the subscription to the writer.
func (l *listener) pump(ctx context.Context, messages chan<- []byte) {
	for {
		m, err := l.sub.Next(ctx)
		if err != nil {
			return
		}
		select {
		case messages <- m.Text:
		case <-ctx.Done():
			return
		}
	}
}

func (l *listener) write(ctx context.Context, text []byte) bool {
	ctx, cancel := context.WithTimeout(ctx, socketWrite)
	defer cancel()
	return l.conn.Write(ctx, websocket.MessageText, text) == nil
}

// listen reads what the client wants; what it does not understand is ignored.
func (l *listener) listen(ctx context.Context) {
	for {
		_, text, err := l.conn.Read(ctx)
		if err != nil {
			return
		}
		answer := l.obey(text)
		if answer == nil {
			continue
		}
		select {
		case l.answers <- answer:
		case <-ctx.Done():
			return
		}
	}
}

// obey does what a client's message says and gives the answer, nil for none.
func (l *listener) obey(text []byte) []byte {
	doc, err := ordered.ParseObject(text)
	if err != nil {
		return nil
	}
	switch action, _ := doc.Get("action"); action {
	case "ping":
		return []byte(`{"action":"pong"}`)
	case "subscribe":
		chosen, ok := readFilter(doc)
		if !ok {
			return nil
		}
		l.sub.Choose(chosen)
		o := jsontext.Open(nil)
		o.String("type", "subscription.updated")
		o.Member("data", func(dst []byte) []byte {
			d := jsontext.Open(dst)
			if chosen == nil {
				d.Null("filters")
			} else {
				d.Strings("filters", chosen)
			}
			return d.Close()
		})
		o.String("timestamp", "")
		return o.Close()
	}
	return nil
}

// readFilter reads the events of a subscription; null and nothing choose everything.
func readFilter(doc *ordered.Map) (feed.Filter, bool) {
	v, _ := doc.Get("events")
	if v == nil {
		return nil, true
	}
	items, isList := v.([]any)
	if !isList || len(items) > mostFilters {
		return nil, false
	}
	chosen := feed.Filter{}
	for _, item := range items {
		word, isText := item.(string)
		if !isText {
			return nil, false
		}
		chosen = append(chosen, word)
	}
	return chosen, true
}
