package mail

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// body returns the text of a mail.
func body(root *Part) (text string, short bool) {
	left := maxParts
	text = tidy(textOf(root, 0, &left))
	if text == "" {
		return "", false
	}
	return shorten(text, MaxText)
}

// textOf returns the text of a part and those inside of it: of alternatives the
// plainest that says something, of others all, one after the other.
func textOf(p *Part, depth int, left *int) string {
	if *left--; *left < 0 || depth > maxDepth || p.attached() {
		return ""
	}
	switch t := p.mediaType(); {
	case t == "multipart/alternative":
		return alternative(p, depth, left)
	case strings.HasPrefix(t, "multipart/"), len(p.Parts) > 0:
		return inOrder(p, depth, left)
	default:
		return single(p.Body, p)
	}
}

func inOrder(p *Part, depth int, left *int) string {
	var out []string
	for _, child := range p.Parts {
		text := textOf(child, depth+1, left)
		if strings.TrimSpace(text) != "" {
			out = append(out, text)
			if p.related() {
				break
			}
		}
	}
	return strings.Join(out, "\n\n")
}

// alternative prefers plain text, unless it only says that there is HTML. What is not
// needed is not converted.
func alternative(p *Part, depth int, left *int) string {
	plain := ""
	for _, child := range p.Parts {
		if child.mediaType() == "text/plain" && strings.TrimSpace(plain) == "" {
			plain = textOf(child, depth+1, left)
		}
	}
	if strings.TrimSpace(plain) != "" && !stub(plain) {
		return plain
	}
	for _, child := range slices.Backward(p.Parts) { // the last is the richest
		if child.mediaType() == "text/plain" {
			continue
		}
		if rich := textOf(child, depth+1, left); strings.TrimSpace(rich) != "" {
			return rich
		}
	}
	return plain
}

// stub reports plain text that stands in for HTML.
func stub(text string) bool {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	return len(text) < 200 && strings.Contains(text, "html") &&
		(strings.Contains(text, "view") || strings.Contains(text, "support") || strings.Contains(text, "display") || strings.Contains(text, "client"))
}

// single returns the text of a part without parts.
func single(b []byte, p *Part) string {
	missing := p.Size - int64(len(p.Body))
	if len(b) == 0 && missing > 0 {
		return fmt.Sprintf("[This text is too large to be read: %d bytes.]", p.Size)
	}
	text := decode(b, charsetOf(p, b))
	if p.mediaType() == "text/html" || p.mediaType() == "text/plain" && wholeHTML(text) {
		text = htmlToText(text)
	} else if kind := p.Header.Get("Content-Type"); strings.EqualFold(param(kind, "format"), "flowed") {
		text = unflow(text, strings.EqualFold(param(kind, "delsp"), "yes"))
	}
	if missing > 0 {
		text += fmt.Sprintf("\n\n[Shortened: %d more bytes of this mail are not shown.]", missing)
	}
	return text
}

var metaCharset = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<meta[^>]{1,200}charset\s*=\s*["']?\s*([a-z0-9_:.-]{2,40})`)
})

// charsetOf is the charset that a part claims, in its header or in its HTML.
func charsetOf(p *Part, b []byte) string {
	if name := param(p.Header.Get("Content-Type"), "charset"); name != "" {
		return name
	}
	if p.mediaType() == "text/html" {
		if m := metaCharset().FindSubmatch(b[:min(len(b), 4096)]); m != nil {
			return string(m[1])
		}
	}
	return ""
}

// wholeHTML reports text that is an HTML document although it calls itself plain.
func wholeHTML(text string) bool {
	head := strings.ToLower(cut(strings.TrimSpace(text), 100))
	return strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html")
}
