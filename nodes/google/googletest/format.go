package googletest

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/ianaindex"
	"google.golang.org/api/gmail/v1"
)

// node is a part of a mail, parsed with the standard library.
type node struct {
	headers []*gmail.MessagePartHeader
	kind    string // media type
	params  map[string]string
	file    string
	body    []byte
	parts   []*node
}

func (n *node) get(name string) string {
	for _, h := range n.headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

func decodeHeader(s string) string {
	out, err := new(mime.WordDecoder).DecodeHeader(s)
	if err != nil {
		return s
	}
	return out
}

// parse takes a mail apart, as far as it goes.
func parse(raw []byte) *node {
	n := &node{}
	head, body, found := bytes.Cut(raw, []byte("\r\n\r\n"))
	if short, rest, ok := bytes.Cut(raw, []byte("\n\n")); ok && (!found || len(short) < len(head)) {
		head, body = short, rest
	}
	for line := range bytes.Lines(head) {
		text := strings.TrimRight(string(line), "\r\n")
		name, value, ok := strings.Cut(text, ":")
		switch {
		case text != "" && (text[0] == ' ' || text[0] == '\t') && len(n.headers) > 0:
			n.headers[len(n.headers)-1].Value += " " + strings.TrimSpace(text)
		case ok:
			n.headers = append(n.headers, &gmail.MessagePartHeader{Name: name, Value: strings.TrimSpace(value)})
		}
	}
	n.fill(body, 0)
	return n
}

func (n *node) fill(body []byte, depth int) {
	var err error
	if n.kind, n.params, err = mime.ParseMediaType(n.get("Content-Type")); err != nil && n.kind == "" {
		n.kind = "text/plain"
	}
	_, disposition, _ := mime.ParseMediaType(n.get("Content-Disposition"))
	if n.file = disposition["filename"]; n.file == "" {
		n.file = n.params["name"]
	}
	n.file = decodeHeader(n.file)
	if strings.HasPrefix(n.kind, "multipart/") && n.params["boundary"] != "" && depth < 50 {
		n.split(body, depth)
		return
	}
	n.body = transferred(body, n.get("Content-Transfer-Encoding"))
}

func (n *node) split(body []byte, depth int) {
	r := multipart.NewReader(bytes.NewReader(body), n.params["boundary"])
	for len(n.parts) < 1000 {
		part, err := r.NextRawPart()
		if err != nil {
			return
		}
		child := &node{headers: list(part.Header)}
		data, _ := io.ReadAll(part)
		child.fill(data, depth+1)
		n.parts = append(n.parts, child)
	}
}

func list(h textproto.MIMEHeader) []*gmail.MessagePartHeader {
	var out []*gmail.MessagePartHeader
	for name, values := range h {
		for _, v := range values {
			out = append(out, &gmail.MessagePartHeader{Name: name, Value: v})
		}
	}
	slices.SortFunc(out, func(a, b *gmail.MessagePartHeader) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func transferred(body []byte, encoding string) []byte {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		out, _ := io.ReadAll(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(body)))
		return out
	case "quoted-printable":
		out, _ := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(body)))
		return out
	}
	return body
}

// converted is a text as Gmail gives it: in UTF-8, whatever the header still says.
func (n *node) converted() []byte {
	if utf8.Valid(n.body) || !strings.HasPrefix(n.kind, "text/") {
		return n.body
	}
	enc, err := ianaindex.MIME.Encoding(n.params["charset"])
	if err != nil || enc == nil {
		return n.body
	}
	out, err := enc.NewDecoder().Bytes(n.body)
	if err != nil {
		return n.body
	}
	return out
}

func (n *node) firstText() string {
	if strings.HasPrefix(n.kind, "text/") {
		return strings.ReplaceAll(string(n.converted()), "\r\n", "\n")
	}
	for _, child := range n.parts {
		if text := child.firstText(); text != "" {
			return text
		}
	}
	return ""
}

// part is a part as Gmail shows it: the data of files is kept elsewhere.
func (n *node) part(id string) *gmail.MessagePart {
	p := &gmail.MessagePart{PartId: id, MimeType: n.kind, Filename: n.file, Headers: n.headers, Body: &gmail.MessagePartBody{}}
	for i, child := range n.parts {
		name := strconv.Itoa(i)
		if id != "" {
			name = id + "." + name
		}
		p.Parts = append(p.Parts, child.part(name))
	}
	if len(n.parts) > 0 {
		return p
	}
	data := n.converted()
	p.Body.Size = int64(len(data))
	if n.file != "" || !strings.HasPrefix(n.kind, "text/") {
		p.Body.AttachmentId = "att-" + id
		return p
	}
	p.Body.Data = base64.URLEncoding.EncodeToString(data)
	return p
}

// show is a mail in one of Gmail's formats.
func (l *letter) show(format string, headers []string) *gmail.Message {
	m := &gmail.Message{
		Id: l.id, ThreadId: l.thread, LabelIds: l.labels, HistoryId: l.history, InternalDate: l.at.UnixMilli(),
		SizeEstimate: int64(len(l.raw)), Snippet: snippet(l.tree.firstText()),
	}
	switch format {
	case "raw":
		m.Raw = base64.URLEncoding.EncodeToString(l.raw)
	case "metadata":
		m.Payload = &gmail.MessagePart{MimeType: l.tree.kind, Headers: l.tree.headers}
		if len(headers) > 0 {
			m.Payload.Headers = nil
			for _, h := range l.tree.headers {
				if slices.ContainsFunc(headers, func(name string) bool { return strings.EqualFold(name, h.Name) }) {
					m.Payload.Headers = append(m.Payload.Headers, h)
				}
			}
		}
	case "minimal":
	default:
		m.Payload = l.tree.part("")
	}
	return m
}

func snippet(text string) string {
	text = strings.Join(strings.Fields(text[:min(len(text), 1000)]), " ")
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "")
	}
	return text
}
