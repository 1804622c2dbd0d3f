package mail

import (
	"slices"
	"strings"
)

// Field is one header of a mail or a part, as it was written but on one line.
type Field struct{ Name, Value string }

// Header is the headers of a mail or a part, in order.
type Header []Field

// Get returns the first header of that name in any case, "" when there is none.
func (h Header) Get(name string) string {
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// All joins the headers of that name by commas, as lists of addresses may be spread.
func (h Header) All(name string) string {
	var out []string
	for _, f := range h {
		if strings.EqualFold(f.Name, name) && strings.TrimSpace(f.Value) != "" {
			out = append(out, f.Value)
		}
	}
	return strings.Join(out, ", ")
}

// Part is a node of a mail's tree of MIME parts.
type Part struct {
	Type   string // media type, lower case: text/plain
	Name   string // file name, "" when there is none
	Header Header // the root's are the mail's
	Body   []byte // without its transfer encoding; may be cut
	Size   int64  // of the whole body in bytes, more than len(Body) when it is cut or kept elsewhere
	Parts  []*Part
}

// mediaType reads the part's media type: text/plain when it says none, as mails do.
func (p *Part) mediaType() string {
	t := strings.ToLower(strings.TrimSpace(p.Type))
	if t == "" {
		t, _, _ = strings.Cut(strings.ToLower(p.Header.Get("Content-Type")), ";")
		t = strings.TrimSpace(t)
	}
	if t == "" {
		return "text/plain"
	}
	return t
}

// attached reports a part that is a file beside the text.
func (p *Part) attached() bool {
	disposition, _, _ := strings.Cut(strings.ToLower(p.Header.Get("Content-Disposition")), ";")
	switch t := p.mediaType(); {
	case strings.HasPrefix(t, "multipart/"):
		return false
	case strings.TrimSpace(disposition) == "attachment", p.fileName() != "":
		return true
	default:
		return t != "text/plain" && t != "text/html"
	}
}

// fileName is the name a part gives itself, on one line.
func (p *Part) fileName() string {
	name := p.Name
	if name == "" {
		name = param(p.Header.Get("Content-Disposition"), "filename")
	}
	if name == "" {
		name = param(p.Header.Get("Content-Type"), "name")
	}
	return cut(oneLine(decodeWords(name)), 200)
}

// walk visits the part and those inside of it, to bounds.
func (p *Part) walk(visit func(p *Part) (inside bool)) {
	left := maxParts
	var down func(p *Part, depth int)
	down = func(p *Part, depth int) {
		if left--; left < 0 || depth > maxDepth || p == nil || !visit(p) {
			return
		}
		for _, child := range p.Parts {
			down(child, depth+1)
		}
	}
	down(p, 0)
}

// related lists types that hold one thing and what it is made of: the first counts.
func (p *Part) related() bool {
	return slices.Contains([]string{"multipart/related", "multipart/signed"}, p.mediaType())
}
