package mail_test

import (
	"strings"
	"testing"

	"github.com/weft-engine/weft/nodes/internal/mail"
)

// BenchmarkRead reads a mail of 20 KB with plain text and HTML.
func BenchmarkRead(b *testing.B) {
	raw := crlf("From: Ana <ana@partner.example>\nTo: lance@company.com\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\n" +
		strings.Repeat("Some plain text, as people write it.\n", 100) + "--b\nContent-Type: text/html\n\n" +
		strings.Repeat("<p>Some <b>rich</b> text, as <a href=\"https://x.example\">programs</a> write it.</p>\n", 200) + "--b--\n")
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		mail.New(mail.Parse(raw))
	}
}

// BenchmarkFlags looks at a mail with 100 links.
func BenchmarkFlags(b *testing.B) {
	e := &mail.Email{From: "ana@partner.example", To: me, Body: strings.Repeat("see [this](https://www.partner.example/a) ", 100)}
	b.ReportAllocs()
	for b.Loop() {
		mail.Flags([]string{"ana@partner.example"}, "Fine.", mail.Context{Mail: e, Own: []string{me}})
	}
}
