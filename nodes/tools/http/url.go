package http

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/source"
)

// urlTemplate is the address of a tool: text with {{ expressions }}, each of which
// fills exactly the place it stands in. A value can never change the scheme, add a
// path segment, a query parameter or a fragment.
type urlTemplate struct {
	parts []urlPart
	whole bool // one expression gives the whole address
	host  bool // an expression takes part in the host
}

type urlPart struct {
	text  string      // literal, when value is nil
	value *expr.Value // renders to text
	place place
}

// place is the part of a URL that something stands in.
type place uint8

const (
	inHost place = iota
	inPath
	inQuery
)

// piece is a run of literal text or one {{ expression }}, with its offset.
type piece struct {
	text   string
	expr   bool
	offset int
}

// split cuts a template into literals and expressions. Statements are refused: an
// address with optional parts is written with `query`.
func split(text string) ([]piece, error) {
	var pieces []piece
	for at := 0; at < len(text); {
		open := strings.Index(text[at:], "{{")
		literal := text[at:]
		if open >= 0 {
			literal = text[at : at+open]
		}
		if strings.Contains(literal, "{%") {
			return nil, fmt.Errorf("an address cannot have {%% … %%} parts")
		}
		if literal != "" {
			pieces = append(pieces, piece{text: literal, offset: at})
		}
		if open < 0 {
			break
		}
		start := at + open
		size := exprLength(text[start:])
		if size < 0 {
			return nil, fmt.Errorf("`{{` without `}}`")
		}
		pieces = append(pieces, piece{text: text[start : start+size], expr: true, offset: start})
		at = start + size
	}
	return pieces, nil
}

// exprLength returns the length of the {{ … }} that text begins with, -1 when it
// does not end. Braces inside strings and maps do not end it.
func exprLength(text string) int {
	depth := 0
	var quote byte
	for i := 2; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == '\\' && quote != '`' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '}' && i+1 < len(text) && text[i+1] == '}':
			return i + 2
		}
	}
	return -1
}

// url reads a URL template. It returns nil after adding a finding.
func (c *compiler) url(v *source.Value) *urlTemplate {
	pieces, err := split(v.Text)
	if err != nil {
		c.report(BadURL.At(v.Pos, "the address of the tool cannot be read: %s", err).
			WithHint("Write scheme, host and path out and put optional parts under `query`."))
		return nil
	}
	t := &urlTemplate{whole: len(pieces) == 1 && pieces[0].expr}
	if !t.whole && !constantScheme(pieces) {
		c.report(BadURL.At(v.Pos, "the address of the tool does not begin with http:// or https://").
			WithHint("Write the scheme out, or give the whole address by one {{ expression }} and list the hosts under `hosts`."))
		return nil
	}
	before := ""
	for _, p := range pieces {
		part := urlPart{text: p.text, place: placeAfter(before)}
		if p.expr {
			part.value = c.s.Value(sub(v, p))
			t.host = t.host || part.place == inHost
			before += "x"
		} else {
			before += p.text
		}
		t.parts = append(t.parts, part)
	}
	if problem := literalProblem(before); problem != "" && !t.whole {
		c.report(BadURL.At(v.Pos, "the address of the tool %s", problem).WithHint("Write it as https://host/path."))
		return nil
	}
	return t
}

func constantScheme(pieces []piece) bool {
	if len(pieces) == 0 || pieces[0].expr {
		return false
	}
	return strings.HasPrefix(pieces[0].text, "https://") || strings.HasPrefix(pieces[0].text, "http://")
}

// placeAfter tells where text that follows `before` stands.
func placeAfter(before string) place {
	_, rest, _ := strings.Cut(before, "://")
	switch {
	case strings.Contains(rest, "?"):
		return inQuery
	case strings.Contains(rest, "/"):
		return inPath
	}
	return inHost
}

// literalProblem checks a template whose expressions were replaced by a letter.
func literalProblem(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "is not a URL"
	case u.User != nil:
		return "holds a user name or password"
	case u.Fragment != "" || strings.Contains(text, "#"):
		return "has a fragment, which is never sent"
	case u.Host == "":
		return "has no host"
	}
	return ""
}

// sub is the piece of v as a value of its own, at its place in the file.
func sub(v *source.Value, p piece) *source.Value {
	return &source.Value{Kind: source.String, Text: p.text, Pos: v.At(p.offset)}
}

// constantHost returns the host and port of an address whose host has no expression.
func (t *urlTemplate) constantHost() (host string, ok bool) {
	if t.whole || t.host {
		return "", false
	}
	u, err := url.Parse(t.placeholder())
	if err != nil {
		return "", false
	}
	return joinHost(u), true
}

// joinHost is host:port with the scheme's port when none is written.
func joinHost(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + portOf(u)
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// build fills the template. Values are percent-encoded for their place; one that
// would still change what is addressed is refused.
func (t *urlTemplate) build(scope map[string]any) (*url.URL, error) {
	var b strings.Builder
	for _, p := range t.parts {
		text, err := p.render(scope, t.whole)
		if err != nil {
			return nil, err
		}
		b.WriteString(text)
	}
	u, err := url.Parse(b.String())
	if err != nil {
		return nil, fmt.Errorf("the address is not a URL")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the address does not begin with http:// or https://")
	case u.User != nil:
		return nil, fmt.Errorf("the address holds a user name or password")
	case !validHost(strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")) || !validPort(u.Port()):
		return nil, fmt.Errorf("the address has no valid host")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, t.segments(u)
}

func (p urlPart) render(scope map[string]any, whole bool) (string, error) {
	if p.value == nil {
		return p.text, nil
	}
	text, err := p.value.String(scope)
	switch {
	case err != nil:
		return "", err
	case whole:
		return text, nil
	case p.place == inHost:
		if strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz0123456789-_.:") != "" || text == "" {
			return "", fmt.Errorf("%q is not a host name", clip(text, 80))
		}
		return text, nil
	case p.place == inQuery:
		return url.QueryEscape(text), nil
	}
	return pathValue(text)
}

// pathValue encodes a value that stands in a path.
func pathValue(text string) (string, error) {
	for _, segment := range strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '\\' }) {
		if segment == "." || segment == ".." {
			return "", fmt.Errorf("%q cannot stand in the path of an address", clip(text, 80))
		}
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", fmt.Errorf("%q cannot stand in the path of an address", clip(text, 80))
	}
	return url.PathEscape(text), nil
}

// segments refuses a path in which values made a segment empty or a dot segment,
// which would address something else.
func (t *urlTemplate) segments(u *url.URL) error {
	if t.whole {
		return nil
	}
	plain, err := url.Parse(t.placeholder())
	if err != nil {
		return fmt.Errorf("the address is not a URL")
	}
	want, got := strings.Split(plain.EscapedPath(), "/"), strings.Split(u.EscapedPath(), "/")
	if len(want) != len(got) {
		return fmt.Errorf("an argument changes the path of the address")
	}
	for i, segment := range got {
		if segment == want[i] {
			continue
		}
		decoded, err := url.PathUnescape(segment)
		if err != nil || decoded == "" || decoded == "." || decoded == ".." {
			return fmt.Errorf("%q cannot stand in the path of an address", clip(segment, 80))
		}
	}
	return nil
}

// placeholder is the address with a letter for each expression.
func (t *urlTemplate) placeholder() string {
	var b strings.Builder
	for _, p := range t.parts {
		if p.value != nil {
			b.WriteString("x")
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// clip shortens a text for a message.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}
