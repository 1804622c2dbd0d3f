package http_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/weft-engine/weft/engine"
)

// zeros is n zero bytes, packed.
func zeros(t testing.TB, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.CopyN(w, zeroReader{}, int64(n)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// resolver answers from a list: the first address to the first question, the second
// to the second, and then the last for ever.
func resolver(t testing.TB, names map[string][]string) *net.Resolver {
	t.Helper()
	d := &dns{names: names}
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go d.serve(server)
		return client, nil
	}}
}

type dns struct {
	mu    sync.Mutex
	names map[string][]string
}

func (d *dns) next(name string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.names[strings.ToLower(name)]
	if len(list) == 0 {
		return ""
	}
	if len(list) > 1 {
		d.names[strings.ToLower(name)] = list[1:]
	}
	return list[0]
}

// serve answers DNS over a stream: each message follows its length.
func (d *dns) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	size := make([]byte, 2)
	for {
		if _, err := io.ReadFull(conn, size); err != nil {
			return
		}
		query := make([]byte, int(size[0])<<8|int(size[1]))
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		reply := d.answer(query)
		if _, err := conn.Write(append([]byte{byte(len(reply) >> 8), byte(len(reply))}, reply...)); err != nil {
			return
		}
	}
}

func (d *dns) answer(query []byte) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil || len(m.Questions) == 0 {
		return nil
	}
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	q := m.Questions[0]
	if q.Type == dnsmessage.TypeA {
		if text := d.next(q.Name.String()); text == "" {
			m.RCode = dnsmessage.RCodeNameError
		} else {
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
				Body:   &dnsmessage.AResource{A: netip.MustParseAddr(text).As4()},
			}}
		}
	}
	reply, err := m.Pack()
	if err != nil {
		return nil
	}
	return reply
}

func TestAddressesThatAreNotPublicAreRefused(t *testing.T) {
	t.Parallel()
	for _, host := range []string{
		"127.0.0.1", "127.1.2.3", "[::1]", "0.0.0.0", "[::]", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
		"100.100.100.200", "168.63.129.16", "192.0.0.192", "198.18.0.1", "240.0.0.1", "255.255.255.255", "224.0.0.1", "[fe80::1]", "[fc00::1]",
		"[fd00:ec2::254]", "[ff02::1]", "[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[64:ff9b::7f00:1]", "[64:ff9b:1::1]", "[2002:7f00:1::1]",
		"[2001::1]", "[::7f00:1]", "[fec0::1]",
	} {
		_, err := call(t, mustTool(t, `{"url": `+quote("http://"+host+"/")+`}`, options{}), nil)
		wantFailure(t, err, engine.Permanent, "not on the public internet")
	}
}

func TestPrivateListsWhatIsMeant(t *testing.T) {
	t.Parallel()
	base := serve(t, ok)
	port := base[strings.LastIndex(base, ":"):]
	names := resolver(t, map[string][]string{"inside.example.": {"127.0.0.1"}, "other.example.": {"127.0.0.1"}})
	for _, tc := range []struct {
		host, private string
		fine          bool
	}{
		{"127.0.0.1", `true`, true},
		{"127.0.0.1", `["127.0.0.0/8"]`, true},
		{"127.0.0.1", `["127.0.0.1"]`, true},
		{"127.0.0.1", `["127.0.0.2"]`, false},
		{"127.0.0.1", `["10.0.0.0/8"]`, false},
		{"127.0.0.1", `false`, false},
		{"127.0.0.1", `[]`, false},
		{"inside.example", `["inside.example"]`, true},
		{"INSIDE.example", `["inside.EXAMPLE"]`, true},
		{"other.example", `["inside.example"]`, false},
	} {
		_, err := call(t, mustTool(t, `{"url": `+quote("http://"+tc.host+port)+`, "private": `+tc.private+`}`, options{resolver: names}), nil)
		if tc.fine && err != nil {
			t.Errorf("%s with %s: %s", tc.host, tc.private, err)
		}
		if !tc.fine {
			wantFailure(t, err, engine.Permanent, "not on the public internet")
		}
	}
}

func TestMetadataNeedsItsAddressListed(t *testing.T) {
	t.Parallel()
	names := resolver(t, map[string][]string{"meta.example.": {"169.254.169.254"}})
	for _, private := range []string{`true`, `["meta.example"]`, `["10.0.0.0/8"]`} {
		_, err := call(t, mustTool(t, `{"url": "http://meta.example/", "private": `+private+`}`, options{resolver: names}), nil)
		wantFailure(t, err, engine.Permanent, "169.254.169.254")
	}
}

func TestANameThatMovesIsCheckedAgain(t *testing.T) {
	t.Parallel()
	names := resolver(t, map[string][]string{"moves.example.": {"10.0.0.1", "192.168.0.1", "127.0.0.1"}})
	tool := mustTool(t, `{"url": "http://moves.example/"}`, options{resolver: names})
	for _, address := range []string{"10.0.0.1", "192.168.0.1", "127.0.0.1"} {
		_, err := call(t, tool, nil)
		wantFailure(t, err, engine.Permanent, "moves.example is at "+address)
	}
}

func TestUnknownNames(t *testing.T) {
	t.Parallel()
	tool := mustTool(t, `{"url": "http://gone.example/"}`, options{resolver: resolver(t, nil)})
	_, err := call(t, tool, nil)
	wantFailure(t, err, engine.Permanent, "no such host")
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	var seen sync.Map
	other := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		seen.Store("other", r.Header.Get("X-Key")+r.Header.Get("Referer"))
		ok(w, r)
	})
	host := strings.TrimPrefix(other, "http://")
	base := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		switch r.URL.Path {
		case "/to":
			w.Header().Set("Location", r.URL.Query().Get("u"))
			w.WriteHeader(302)
		case "/loop":
			w.Header().Set("Location", "/loop")
			w.WriteHeader(302)
		default:
			seen.Store("here", r.Header.Get("X-Key"))
			ok(w, r)
		}
	})
	config := func(hosts string) string {
		return `{"url": ` + quote(base+"/{{ args.path }}") + `, "query": {"u": "{{ args.u }}"}, "private": ["127.0.0.1"], "hosts": ` + hosts + `,
			"headers": {"X-Key": {"env": "KEY"}}}`
	}
	env := options{env: map[string]string{"KEY": "key-of-the-first"}}
	follow := func(hosts, to string) error {
		_, err := call(t, mustTool(t, config(hosts), env), map[string]any{"path": "to", "u": to})
		return err
	}
	if err := follow(`[]`, "/here"); err != nil {
		t.Error(err)
	}
	if got, _ := seen.Load("here"); got != "key-of-the-first" {
		t.Errorf("the same origin got %q", got)
	}
	if err := follow(`[`+quote(host)+`]`, other+"/x"); err != nil {
		t.Error(err)
	}
	if got, _ := seen.Load("other"); got != "" {
		t.Errorf("another origin got %q", got)
	}
	wantFailure(t, follow(`[]`, other), engine.Permanent, "not one of the hosts this tool may reach")
	wantFailure(t, follow(`[]`, "http://169.254.169.254/latest/meta-data/"), engine.Permanent, "not one of the hosts")
	wantFailure(t, follow(`["169.254.169.254"]`, "http://169.254.169.254/latest/"), engine.Permanent, "not on the public internet")
	wantFailure(t, follow(`[`+quote(host)+`]`, "http://user:pw@"+host), engine.Permanent, "user name")
	wantFailure(t, follow(`[]`, "file:///etc/passwd"), engine.Permanent, "redirect refused")
	_, err := call(t, mustTool(t, config(`[]`), env), map[string]any{"path": "loop", "u": ""})
	wantFailure(t, err, engine.Permanent, "in a row")
}

func TestHostsOfTemplates(t *testing.T) {
	t.Parallel()
	tool := mustTool(t, `{"url": "https://{{ args.host }}/v1", "hosts": ["api.example.com", "*.shop.example.com", "local.example:8080"]}`, options{})
	for _, tc := range []struct {
		host string
		fine bool
	}{
		{"api.example.com", true},
		{"API.example.com", true},
		{"api.example.com.", true},
		{"a.shop.example.com", true},
		{"a.b.shop.example.com", true},
		{"local.example:8080", true},
		{"api.example.com:443", true},
		{"api.example.com:8443", false},
		{"local.example", false},
		{"shop.example.com", false},
		{"xshop.example.com", false},
		{"evil.com", false},
		{"api.example.com.evil.com", false},
		{"api.example.com@evil.com", false},
		{"evil.com#api.example.com", false},
		{"evil.com/api.example.com", false},
		{"evil.com?x=.shop.example.com", false},
		{"", false},
		{"api.example.com\r\nX: 1", false},
		{`evil.com\.shop.example.com`, false},
		{"api.example.com:443:80", false},
		{"[::1]", false},
		{"a%2eshop.example.com", false},
	} {
		_, err := request(tool, map[string]any{"host": tc.host})
		if (err == nil) != tc.fine {
			t.Errorf("%q: %v, want fine %v", tc.host, err, tc.fine)
		}
	}
}

func TestWholeAddresses(t *testing.T) {
	t.Parallel()
	tool := mustTool(t, `{"url": "{{ args.url }}", "hosts": ["docs.example.com"]}`, options{})
	for _, tc := range []struct {
		url  string
		fine bool
	}{
		{"https://docs.example.com/a/b?c=d#e", true},
		{"http://docs.example.com", true},
		{"https://evil.com/", false},
		{"ftp://docs.example.com/", false},
		{"https://docs.example.com@evil.com/", false},
		{"https://evil.com\\@docs.example.com/", false},
		{"//docs.example.com", false},
		{"https:docs.example.com", false},
		{"javascript:alert(1)", false},
		{"", false},
		{"https://docs.example.com:8080/", false},
		{"https://u:p@docs.example.com/", false},
	} {
		_, err := request(tool, map[string]any{"url": tc.url})
		if (err == nil) != tc.fine {
			t.Errorf("%q: %v, want fine %v", tc.url, err, tc.fine)
		}
	}
}

func TestArgumentsCannotChangeTheAddress(t *testing.T) {
	t.Parallel()
	tool := mustTool(t, `{"url": "https://api.example.com/users/{{ args.id }}/mail?box={{ args.box }}", "headers": {"X-Box": "{{ args.box }}"}}`, options{})
	for _, id := range []string{"", ".", "..", "../../admin", `..\..\admin`, "a/../../b", "a/./b", "x\r\ny", "x\x00"} {
		if _, err := request(tool, map[string]any{"id": id, "box": "in"}); err == nil {
			t.Errorf("the path took %q", id)
		}
	}
	for _, box := range []string{"a\r\nX-Evil: 1", "a\nb", "a\x00", "\x7f"} {
		_, err := request(tool, map[string]any{"id": "1", "box": box})
		wantFailure(t, err, engine.Permanent, "header X-Box")
	}
	_, err := request(tool, map[string]any{"id": strings.Repeat("x", 20_000), "box": ""})
	wantFailure(t, err, engine.Permanent, "longer than")
}

// FuzzURL: whatever the arguments are, a request goes to the host and the path that
// the spec wrote, with the query that it wrote.
func FuzzURL(f *testing.F) {
	for _, s := range []string{"a", "../x", "a/b", "?x=1", "#", "%2e%2e", "..%2f", "\\", "@evil.com", "é", "\r\n", ".", "%", "//", ";"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, id, q string) {
		tool := mustTool(t, `{"url": "http://api.example.com/u/{{ args.id }}/x{{ args.id }}?q={{ args.q }}", "query": {"r": "{{ args.q }}"}}`, options{})
		p, err := request(tool, map[string]any{"id": id, "q": q})
		if err != nil {
			var failure *engine.Failure
			if !errors.As(err, &failure) || failure.Class != engine.Permanent {
				t.Fatalf("%v", err)
			}
			return
		}
		u, err := url.Parse(fmt.Sprint(p.Args.(map[string]any)["url"]))
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(u.EscapedPath(), "/")
		if u.Host != "api.example.com" || u.Scheme != "http" || u.Fragment != "" || len(parts) != 4 || parts[1] != "u" {
			t.Fatalf("%q %q give %s", id, q, u)
		}
		if first, err := url.PathUnescape(parts[2]); err != nil || first != id || first == ".." || first == "." {
			t.Fatalf("%q arrives as %q (%v)", id, first, err)
		}
		if second, err := url.PathUnescape(parts[3]); err != nil || second != "x"+id {
			t.Fatalf("%q arrives as %q (%v)", id, second, err)
		}
		want := url.Values{"q": {q}, "r": {q}}
		if values, err := url.ParseQuery(u.RawQuery); err != nil || values.Encode() != want.Encode() {
			t.Fatalf("%q arrives as %v (%v)", q, values, err)
		}
	})
}
