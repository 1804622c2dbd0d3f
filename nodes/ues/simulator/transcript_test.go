package simulator_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/weft-engine/weft/nodes/ues/simulator"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// TestTranscripts replays recorded traffic of the original server, one file from a fresh
// simulator each, and compares statuses and bodies under the rules of
// testdata/ues/README.md. WEFT_UES_TRANSCRIPTS names another folder. What differs from
// the recordings on purpose is the table in deviation_test.go.
func TestTranscripts(t *testing.T) {
	folder := os.Getenv("WEFT_UES_TRANSCRIPTS")
	if folder == "" {
		folder = "../../../testdata/ues/transcripts"
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in %s: %v", folder, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			replay(t, file)
		})
	}
}

// replay sends the requests of one file and compares the answers.
func replay(t *testing.T, file string) {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sim := fresh(t, simulator.Options{})
	server := httptest.NewServer(sim)
	t.Cleanup(server.Close)
	_, admin := sim.Admin()
	p := &player{t: t, base: server.URL, admin: admin, vars: map[string]string{}, match: newMatch()}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		doc, err := ordered.ParseObject(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		p.line(line{doc})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// line is one request and its recorded answer.
type line struct{ *ordered.Map }

func (l line) get(name string) any {
	v, _ := l.Get(name)
	return v
}

func (l line) text(name string) string {
	s, _ := l.get(name).(string)
	return s
}

// template gives the form with variables, or else what was sent.
func (l line) template(name string) any {
	if v := l.get(name + "_template"); v != nil {
		return v
	}
	return l.get(name)
}

func (l line) name() string {
	return fmt.Sprintf("#%v %s %s %q", l.get("seq"), l.text("method"), l.text("path"), l.text("note"))
}

// player sends requests and keeps what later ones need.
type player struct {
	t     *testing.T
	base  string
	admin string
	vars  map[string]string // captured values, ours
	match *match
}

func (p *player) line(l line) {
	p.t.Helper()
	resp, body := p.send(l)
	p.match.request = l
	if want := l.get("status"); fmt.Sprint(resp.StatusCode) != fmt.Sprint(want) && !p.match.excused("status", want, ordered.Int(resp.StatusCode)) {
		p.t.Errorf("%s: status %d, recorded %v\n ours: %s\n recorded: %s", l.name(), resp.StatusCode, want, body, ordered.Append(nil, l.get("response")))
		p.capture(l, body)
		return
	}
	p.headers(l, resp)
	var ours any
	if len(body) == 0 {
		ours = ordered.NewMap(ordered.Member{Name: "__raw__", Value: ""})
	} else if v, err := ordered.Parse(body); err == nil {
		ours = v
	} else {
		ours = ordered.NewMap(ordered.Member{Name: "__raw__", Value: string(body)})
	}
	if p.match.wholeExcused(resp.StatusCode) {
		p.capture(l, body)
		return
	}
	p.match.problems = nil
	p.match.value("", l.get("response"), ours)
	for _, problem := range p.match.problems {
		p.t.Errorf("%s: %s", l.name(), problem)
	}
	p.capture(l, body)
}

func (p *player) headers(l line, resp head) {
	if want := l.text("content_type"); want != "" && !strings.HasPrefix(resp.Header.Get("Content-Type"), want) {
		p.t.Errorf("%s: content type %q, recorded %q", l.name(), resp.Header.Get("Content-Type"), want)
	}
	recorded, _ := l.get("headers").(*ordered.Map)
	for name, v := range recorded.All() {
		want, have := fmt.Sprint(v), resp.Header.Get(name)
		if name == "location" {
			want, have = pathOf(want), pathOf(have)
		}
		if want != have {
			p.t.Errorf("%s: header %s is %q, recorded %q", l.name(), name, have, want)
		}
	}
}

func pathOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	return u.Path
}

// send makes the request of a line.
func (p *player) send(l line) (head, []byte) {
	p.t.Helper()
	target := p.base + p.fill(l.template("path")).(string)
	if query, _ := p.fill(l.template("query")).(*ordered.Map); query.Len() > 0 {
		values := url.Values{}
		for name, v := range query.All() {
			values.Set(name, fmt.Sprint(v))
		}
		target += "?" + values.Encode()
	}
	var body io.Reader
	contentType := ""
	if raw, ok := l.get("body_raw").(string); ok {
		body, contentType = strings.NewReader(raw), "application/json"
	} else if doc := p.fill(l.template("body")); doc != nil {
		body, contentType = bytes.NewReader(ordered.Append(nil, doc)), "application/json"
	}
	if other := l.text("request_content_type"); other != "" {
		contentType = other
	}
	req, err := http.NewRequestWithContext(p.t.Context(), l.text("method"), target, body)
	if err != nil {
		p.t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	switch auth := l.text("auth"); auth {
	case "none":
	case "default":
		req.Header.Set("X-API-Key", p.admin)
	default:
		req.Header.Set("X-API-Key", p.fill(auth).(string))
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		p.t.Fatal(err)
	}
	return head{resp.StatusCode, resp.Header}, text
}

var variable = regexp.MustCompile(`\$\{([^}]+)\}`)

// fill puts captured values in the place of ${name}.
func (p *player) fill(v any) any {
	switch v := v.(type) {
	case string:
		return variable.ReplaceAllStringFunc(v, func(s string) string {
			value, found := p.vars[s[2:len(s)-1]]
			if !found {
				p.t.Errorf("no value captured for %s", s)
			}
			return value
		})
	case []any:
		filled := make([]any, len(v))
		for i := range v {
			filled[i] = p.fill(v[i])
		}
		return filled
	case *ordered.Map:
		filled := &ordered.Map{}
		for name, x := range v.All() {
			filled.Set(p.fill(name).(string), p.fill(x))
		}
		return filled
	}
	return v
}

// capture keeps values of our answer that later requests use.
func (p *player) capture(l line, body []byte) {
	wanted, _ := l.get("capture").(*ordered.Map)
	if wanted.Len() == 0 {
		return
	}
	doc, err := ordered.Parse(body)
	if err != nil {
		return
	}
	for name, at := range wanted.All() {
		p.vars[name] = fmt.Sprint(pointer(doc, fmt.Sprint(at)))
	}
}
