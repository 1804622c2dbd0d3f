package mail

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/emersion/go-message"
)

// maxHeader bounds the headers of one part.
const maxHeader = 256 << 10

// Parse reads a mail as it goes over the wire (RFC 5322) into its tree of parts. What
// is broken is read as far as it goes.
func Parse(raw []byte) *Part {
	raw = sound(raw)
	entity, err := message.ReadWithOptions(bytes.NewReader(raw), &message.ReadOptions{MaxHeaderBytes: maxHeader})
	if entity == nil || err != nil && !readable(err) {
		return &Part{Type: "text/plain", Body: raw[:min(len(raw), maxHTML)], Size: int64(len(raw))}
	}
	left := maxParts
	return fromEntity(entity, 0, &left)
}

// readable reports errors after which the parts are there, only not decoded.
func readable(err error) bool { return message.IsUnknownCharset(err) || message.IsUnknownEncoding(err) }

func fromEntity(e *message.Entity, depth int, left *int) *Part {
	p := &Part{Header: fields(e.Header)}
	p.Type = p.mediaType()
	p.Name = p.fileName()
	parts := e.MultipartReader()
	if parts != nil && param(p.Header.Get("Content-Type"), "boundary") == "" {
		parts, p.Type = nil, "text/plain" // nothing tells its parts apart
	}
	if parts == nil || depth >= maxDepth {
		p.Body, p.Size = content(e.Body)
		return p
	}
	for *left > 0 {
		child, err := parts.NextPart()
		if child == nil || err != nil && !readable(err) {
			break // the end, or what follows cannot be read
		}
		*left--
		p.Parts = append(p.Parts, fromEntity(child, depth+1, left))
	}
	return p
}

func fields(h message.Header) Header {
	var out Header
	for f := h.Fields(); f.Next() && len(out) < 1000; {
		out = append(out, Field{Name: f.Key(), Value: unfold(f.Value())})
	}
	return out
}

// content reads a body to the bound and measures the rest. A body whose encoding is
// broken ends where it breaks.
func content(r io.Reader) (b []byte, size int64) {
	b, err := io.ReadAll(io.LimitReader(r, maxHTML))
	size = int64(len(b))
	if err == nil {
		rest, _ := io.Copy(io.Discard, r)
		size += rest
	}
	return b, size
}

func unfold(value string) string {
	return strings.TrimSpace(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(value))
}

// sound drops lines of the headers that are none, after which nothing could be read.
func sound(raw []byte) []byte {
	raw = bytes.TrimPrefix(raw, []byte("\xEF\xBB\xBF"))
	head, size := raw, 0
	for _, end := range []string{"\r\n\r\n", "\n\n"} {
		if i := bytes.Index(raw, []byte(end)); i >= 0 && (size == 0 || i < len(head)) {
			head, size = raw[:i], len(end)
		}
	}
	if len(head) > maxHeader || soundHeader(head) == nil {
		return raw
	}
	var out bytes.Buffer
	for line := range bytes.Lines(head) {
		if soundLine(line) {
			out.Write(bytes.TrimRight(line, "\r\n"))
			out.WriteString("\r\n")
		}
	}
	out.WriteString("\r\n")
	out.Write(raw[len(head)+size:])
	return out.Bytes()
}

var errUnsound = errors.New("a line that is no header")

func soundHeader(head []byte) error {
	for line := range bytes.Lines(head) {
		if !soundLine(line) {
			return errUnsound
		}
	}
	return nil
}

func soundLine(line []byte) bool {
	if line[0] == ' ' || line[0] == '\t' {
		return len(bytes.TrimSpace(line)) > 0
	}
	name, _, ok := bytes.Cut(line, []byte(":"))
	return ok && len(name) > 0 && !bytes.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}
