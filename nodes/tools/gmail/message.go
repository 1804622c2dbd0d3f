package gmail

import (
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"google.golang.org/api/gmail/v1"

	"github.com/weft-engine/weft/nodes/internal/mail"
)

// Bounds of what is taken of one mail.
const (
	maxParts = 1000
	maxData  = 3 << 19 // bytes of one part; a multiple of 3, so that base64 can be cut there
)

// email reads a mail as Gmail gives it, in the format full, raw or metadata.
func email(m *gmail.Message) *mail.Email {
	e := mail.New(tree(m))
	e.ID, e.ThreadID = m.Id, m.ThreadId
	e.Labels = slices.Sorted(slices.Values(m.LabelIds))
	if m.InternalDate > 0 {
		e.Date = time.UnixMilli(m.InternalDate).UTC().Format(time.RFC3339)
	}
	return e
}

// tree is the parts of a mail.
func tree(m *gmail.Message) *mail.Part {
	if m.Raw != "" {
		raw, err := unbase64(m.Raw)
		if err == nil {
			return mail.Parse(raw)
		}
	}
	if m.Payload == nil {
		return &mail.Part{Type: "text/plain"}
	}
	left := maxParts
	return part(m.Payload, &left)
}

func part(p *gmail.MessagePart, left *int) *mail.Part {
	out := &mail.Part{Type: p.MimeType, Name: p.Filename}
	for _, h := range p.Headers {
		if h != nil {
			out.Header = append(out.Header, mail.Field{Name: h.Name, Value: h.Value})
		}
	}
	if p.Body != nil {
		out.Size = p.Body.Size
		if data, err := unbase64(p.Body.Data[:min(len(p.Body.Data), maxData/3*4)]); err == nil {
			out.Body = data
			out.Size = max(out.Size, int64(len(data)))
		}
	}
	for _, child := range p.Parts {
		if *left--; *left < 0 {
			break
		}
		if child != nil {
			out.Parts = append(out.Parts, part(child, left))
		}
	}
	return out
}

// unbase64 reads the URL form of base64, with or without padding.
func unbase64(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
}
