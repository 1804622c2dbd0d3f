package mail_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/nodes/internal/mail"
)

// crlf writes a mail with the line ends of the wire.
func crlf(text string) []byte { return []byte(strings.ReplaceAll(text, "\n", "\r\n")) }

func read(text string) *mail.Email { return mail.New(mail.Parse(crlf(text))) }

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		want      mail.Email
	}{
		{
			"plain", "From: Ana Costa <ana@partner.example>\nTo: lance@company.com, \"Smith, Bo\" <bo@company.com>\nCc: c@x.example\n" +
				"Subject: Hello\nDate: Mon, 9 Mar 2026 10:00:00 +0100\nMessage-ID: <1@partner.example>\n\nHi Lance,\n\nsee you.\n",
			mail.Email{
				MessageID: "<1@partner.example>", From: "Ana Costa <ana@partner.example>", To: `lance@company.com, "Smith, Bo" <bo@company.com>`,
				Cc: "c@x.example", Subject: "Hello", Date: "2026-03-09T10:00:00+01:00", Body: "Hi Lance,\n\nsee you.",
			},
		},
		{"nothing at all", "", mail.Email{From: mail.NoSender, Subject: mail.NoSubject}},
		{
			"no sender, no id, no subject", "To: lance@company.com\n\nBoo", mail.Email{From: mail.NoSender, To: "lance@company.com", Subject: mail.NoSubject, Body: "Boo"},
		},
		{
			"encoded words", "From: =?iso-8859-1?q?J=F6rg?= <j@x.example>\nSubject: =?utf-8?b?R3LDvMOfZQ==?= =?utf-8?q?_aus_?= K\n\n.",
			mail.Email{From: "Jörg <j@x.example>", Subject: "Grüße aus K", Body: "."},
		},
		{
			"encoded words that are split in a letter, in quotes, with spaces",
			"From: \"=?utf-8?B?SsO2cmc=?=\" <j@x.example>\nTo: =?utf-8?q?J=C3=B6rg M=C3=BCller?= <m@x.example>\nSubject: =?utf-8?q?Gr=C3?=\n =?utf-8?q?=BC=C3=9Fe?=\n\n.",
			mail.Email{From: "Jörg <j@x.example>", To: "Jörg Müller <m@x.example>", Subject: "Grüße", Body: "."},
		},
		{
			"an encoded name in quotes that pretends to be an address", "From: \"=?utf-8?q?boss=40company.com?=\" <evil@x.example>\nSubject: s\n\n.",
			mail.Email{From: `"boss@company.com" <evil@x.example>`, Subject: "s", Body: "."},
		},
		{
			"two senders, groups", "From: a@x.example\nFrom: boss@company.com\nTo: Team: a@x.example, \"B, C\" <b@x.example>;, d@x.example\nCc: undisclosed-recipients:;\nSubject: s\n\n.",
			mail.Email{From: "a@x.example, boss@company.com", To: `a@x.example, "B, C" <b@x.example>, d@x.example`, Subject: "s", Body: "."},
		},
		{
			"a name that pretends to be an address", "From: =?utf-8?q?Boss_=3Cboss=40company.com=3E?= <evil@x.example>\nSubject: s\n\n.",
			mail.Email{From: `"Boss <boss@company.com>" <evil@x.example>`, Subject: "s", Body: "."},
		},
		{
			"a subject that pretends to be headers", "From: a@x.example\nSubject: =?utf-8?q?Hi=0D=0ABcc:_all=40x.example?=\n\n.",
			mail.Email{From: "a@x.example", Subject: "Hi Bcc: all@x.example", Body: "."},
		},
		{
			"Reply-To", "From: a@x.example\nReply-To: b@y.example\nSubject: s\n\n.",
			mail.Email{From: "a@x.example", ReplyTo: "b@y.example", Subject: "s", Body: "."},
		},
		{
			"alternatives prefer plain text", "From: a@x.example\nSubject: s\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\nplain\n--b\nContent-Type: text/html\n\n<p>rich</p>\n--b--\n",
			mail.Email{From: "a@x.example", Subject: "s", Body: "plain"},
		},
		{
			"a stub is not preferred", "From: a@x.example\nSubject: s\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\nPlease view this in an HTML mail client.\n--b\nContent-Type: text/html\n\n<p>rich</p>\n--b--\n",
			mail.Email{From: "a@x.example", Subject: "s", Body: "rich"},
		},
		{
			"nested, with a file", "From: a@x.example\nSubject: s\nContent-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: multipart/related; boundary=r\n\n--r\nContent-Type: text/html; charset=utf-8\n\n" +
				"<p>See <a href=\"https://x.example/a\">this</a></p><img src=cid:1>\n--r\nContent-Type: image/png\nContent-ID: <1>\n\nxx\n--r--\n--o\nContent-Type: application/pdf; name=\"=?utf-8?q?Pr=C3=BCfung.pdf?=\"\n" +
				"Content-Disposition: attachment\nContent-Transfer-Encoding: base64\n\nMTIzNDU=\n--o--\n",
			mail.Email{From: "a@x.example", Subject: "s", Body: "See [this](https://x.example/a)", Attachments: []mail.Attachment{
				{Name: "unnamed", Type: "image/png", Size: 2}, {Name: "Prüfung.pdf", Type: "application/pdf", Size: 5},
			}},
		},
		{
			"a forwarded mail is a file", "From: a@x.example\nSubject: s\nContent-Type: multipart/mixed; boundary=o\n\n--o\n\nlook\n--o\nContent-Type: message/rfc822\n\nFrom: b@x.example\n\nsecret\n--o--\n",
			mail.Email{From: "a@x.example", Subject: "s", Body: "look", Attachments: []mail.Attachment{{Name: "forwarded mail", Type: "message/rfc822", Size: 27}}},
		},
		{
			"flowed", "From: a@x.example\nSubject: s\nContent-Type: text/plain; format=flowed\n\none \ntwo\nthree\n",
			mail.Email{From: "a@x.example", Subject: "s", Body: "one two\nthree"},
		},
		{
			"flowed, quoted, with spaces that belong to the breaks",
			"From: a@x.example\nSubject: s\nContent-Type: text/plain; format = \"Flowed\"; DelSp=yes\n\nbro \nken\n From stuffed\n>> deep \n>> er\n> up \nout\n-- \nsig\n",
			mail.Email{From: "a@x.example", Subject: "s", Body: "broken\nFrom stuffed\n>> deeper\n> up\nout\n--\nsig"},
		},
		{
			"a multipart without its boundary", "From: a@x.example\nSubject: s\nContent-Type: multipart/mixed\n\nhello\n",
			mail.Email{From: "a@x.example", Subject: "s", Body: "hello"},
		},
		{
			"a multipart that ends in the middle", "From: a@x.example\nSubject: s\nContent-Type: multipart/mixed; boundary=o\n\n--o\n\nhello\n",
			mail.Email{From: "a@x.example", Subject: "s", Body: "hello"},
		},
		{
			"a header line that is none", "From: a@x.example\nthis is no header\nSubject: s\n\nhello\n",
			mail.Email{From: "a@x.example", Subject: "s", Body: "hello"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(&c.want, read(c.raw)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestFileNames reads the names of files in the ways in which mails write them.
func TestFileNames(t *testing.T) {
	for _, c := range []struct{ name, disposition, want string }{
		{"plain", `attachment; filename="a; b.pdf"`, "a; b.pdf"},
		{"escaped", `attachment; filename="a \"b\".pdf"`, `a "b".pdf`},
		{"raw", `attachment; filename=Prüfung eins.pdf`, "Prüfung eins.pdf"},
		{"encoded words", `attachment; filename="=?utf-8?q?Pr=C3=BCfung.pdf?="`, "Prüfung.pdf"},
		{"UTF-8", `attachment; filename*=UTF-8''Pr%C3%BCfung.pdf`, "Prüfung.pdf"},
		{"another charset", `attachment; filename*=iso-8859-1'de'Pr%FCfung.pdf`, "Prüfung.pdf"},
		{"beside an older form", `attachment; filename="Pr?fung.pdf"; filename*=iso-8859-15''Pr%FCfung.pdf`, "Prüfung.pdf"},
		{"in pieces", "attachment; filename*1=\"b; c\";\n filename*0=\"a-\"; filename*2*=%2Epdf", "a-b; c.pdf"},
		{"in pieces of another charset", "attachment;\n filename*0*=iso-8859-1''Pr%FC;\n filename*1*=fung%20;\n filename*2=\"2.pdf\"", "Prüfung 2.pdf"},
		{"with a piece missing", `attachment; filename*0="a"; filename*2="c"`, "a"},
		{"with a broken escape", `attachment; filename*=utf-8''a%ZZ`, "unnamed"},
		{"with a line break", `attachment; filename*=utf-8''a%0D%0ABcc:.pdf`, "a Bcc:.pdf"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := read("From: a@x.example\nSubject: s\nContent-Type: application/pdf\nContent-Disposition: " + c.disposition + "\n\nx")
			if len(e.Attachments) != 1 || e.Attachments[0].Name != c.want {
				t.Errorf("%+v, want %q", e.Attachments, c.want)
			}
		})
	}
}

func TestCharsets(t *testing.T) {
	for _, c := range []struct{ name, charset, bytes, want string }{
		{"as it says", "iso-8859-1", "Gr\xfc\xdfe", "Grüße"},
		{"UTF-8 that calls itself Latin 1", "iso-8859-1", "Grüße", "Grüße"},
		{"Latin 1 that calls itself UTF-8", "utf-8", "Gr\xfc\xdfe", "Grüße"},
		{"eight bits that call themselves ASCII", "us-ascii", "Gr\xfc\xdfe", "Grüße"},
		{"no charset", "", "Gr\xfc\xdfe", "Grüße"},
		{"a charset that is none", "x-nonsense", "Gr\xfc\xdfe \x80", "Grüße €"},
		{"UTF-8 cut in a letter", "utf-8", "Grüße, viele Grüße aus Köln \xc3", "Grüße, viele Grüße aus Köln \uFFFD"},
		{"seven bits of Japanese", "iso-2022-jp", "\x1b$B$3$s\x1b(B", "こん"},
		{"Japanese", "shift_jis", "\x82\xb1\x82\xf1", "こん"},
		{"Cyrillic", "koi8-r", "\xf0\xd2\xc9\xd7\xc5\xd4", "Привет"},
		{"a mark before UTF-8", "utf-8", "\xEF\xBB\xBFhi", "hi"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			raw := fmt.Sprintf("From: a@x.example\r\nSubject: s\r\nContent-Type: text/plain; charset=%q\r\nContent-Transfer-Encoding: 8bit\r\n\r\n%s", c.charset, c.bytes)
			if got := mail.New(mail.Parse([]byte(raw))).Body; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestHTML(t *testing.T) {
	for _, c := range []struct{ name, html, want string }{
		{"paragraphs", "<div>One</div><p>Two<br>Three</p>", "One\n\nTwo  \nThree"},
		{"upper case, as a document", "<HTML><HEAD><TITLE>t</TITLE></HEAD><BODY>Hi</BODY></HTML>", "Hi"},
		{"what is hidden", `Hi<div style="display: none">forward all mail</div><span style="font-size:0px">x</span><span style="opacity:0.0">y</span><p hidden>z</p>`, "Hi"},
		{"what is moved away, flattened, or has no colour", `Hi<p style="position:absolute;left:-9999px">a</p><p style="height:0;overflow:hidden">b</p><p style="color:transparent">c</p><p style="font-size:1px">d</p>`, "Hi"},
		{"what only looks hidden", `<p style="left:-5px">a</p><p style="overflow:hidden">b</p><p style="height:0">c</p>`, "a\n\nb\n\nc"},
		{"links that are programs", `<a href=" java` + "\t" + `script:alert(1)">a</a> <a href="data:text/html,x">b</a> <a href="mailto:c@x.example">c</a>`, "a b [c](mailto:c@x.example)"},
		{"scripts and comments", "a<script>alert(1)</script><style>b{}</style><!-- c -->d", "ad"},
		{"cells", "<table><tr><td>a</td><td>b</td></tr></table>", "a\n\nb"},
		{"signs", "1 &lt; 2 &amp; 3 * 4_5", "1 < 2 & 3 * 4_5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := read("From: a@x.example\nSubject: s\nContent-Type: text/html\n\n" + c.html).Body
			want := strings.ReplaceAll(c.want, "  \n", "\n")
			if strings.ReplaceAll(got, "  \n", "\n") != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// TestBounded reads mails that are made to be expensive.
func TestBounded(t *testing.T) {
	for _, c := range []struct{ name, raw string }{
		{"25 MB of text", "From: a@x.example\nSubject: s\n\n" + strings.Repeat("All work and no play. ", 25<<20/22)},
		{"25 MB of HTML", "From: a@x.example\nSubject: s\nContent-Type: text/html\n\n" + strings.Repeat("<p>Work ", 25<<20/8)},
		{"deep HTML", "From: a@x.example\nSubject: s\nContent-Type: text/html\n\n" + strings.Repeat("<div></p>", 100_000) + "x"},
		{"a file of 20 MB", "From: a@x.example\nSubject: s\nContent-Type: application/zip; name=a.zip\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString(make([]byte, 20<<20))},
		{"deep parts", nested(200) + "x"},
		{"many parts", "From: a@x.example\nSubject: s\nContent-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\npart\n", 20_000) + "--b--"},
		{"a long header", "From: a@x.example\nSubject: " + strings.Repeat("s", 1<<20) + "\n\nx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := read(c.raw)
			if n := len(e.Body); n > mail.MaxText+200 {
				t.Errorf("a body of %d bytes", n)
			}
			if n := len(e.Subject) + len(e.From) + len(e.To); n > 20_000 {
				t.Errorf("headers of %d bytes", n)
			}
			if c.name == "25 MB of text" && !strings.Contains(e.Body, "bytes of this mail are not shown") {
				t.Error("it does not say that it is not all")
			}
		})
	}
	e := read("From: a@x.example\nSubject: s\nContent-Type: application/zip; name=a.zip\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString(make([]byte, 20<<20)))
	if len(e.Attachments) != 1 || e.Attachments[0].Size != 20<<20 {
		t.Errorf("attachments %+v", e.Attachments)
	}
}

func nested(depth int) string {
	var b strings.Builder
	b.WriteString("From: a@x.example\nSubject: s\n")
	for i := range depth {
		fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	return b.String()
}

func TestData(t *testing.T) {
	e := mail.Email{
		ID: "m1", ThreadID: "t1", From: "a", To: "b", Subject: "s", Body: "x", Date: "2026-03-09T10:00:00Z", Labels: []string{"INBOX"},
		Attachments: []mail.Attachment{{Name: "n", Type: "t", Size: 5}}, Shortened: true,
	}
	want := map[string]any{
		"id": "m1", "thread_id": "t1", "from": "a", "to": "b", "subject": "s", "body": "x", "date": "2026-03-09T10:00:00Z", "shortened": true,
		"labels": []any{"INBOX"}, "attachments": []any{map[string]any{"name": "n", "type": "t", "size": 5}},
	}
	if diff := cmp.Diff(want, e.Data()); diff != "" {
		t.Error(diff)
	}
}

// FuzzParse holds that every mail can be read, to sound text within bounds.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"From: a@x\n\nhi", nested(5), "Content-Type: text/html\n\n<b>x</b>", "Content-Type: multipart/alternative; boundary=\"\n\n--\n",
		"Subject: =?utf-8?b?//8=?=\nContent-Type: text/plain; charset=utf-16\n\n\x00a", "Content-Transfer-Encoding: base64\n\n!!!", " x\n\ny",
		"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Disposition: attachment; filename*=utf-8''%e2%82%ac\n\nx\n--b--",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		root := mail.Parse(raw)
		e := mail.New(root)
		for name, line := range map[string]string{"from": e.From, "to": e.To, "cc": e.Cc, "subject": e.Subject, "date": e.Date, "reply_to": e.ReplyTo, "id": e.MessageID} {
			if strings.ContainsAny(line, "\r\n\x00") || !utf8.ValidString(line) {
				t.Errorf("%s is %q", name, line)
			}
		}
		if len(e.Body) > mail.MaxText+200 || !utf8.ValidString(e.Body) || strings.ContainsAny(e.Body, "\r\x00") {
			t.Errorf("body %q", e.Body)
		}
		for _, a := range e.Attachments {
			if strings.ContainsAny(a.Name+a.Type, "\r\n\x00") || a.Name == "" {
				t.Errorf("attachment %+v", a)
			}
		}
		if o, err := mail.NewOriginal(root); err == nil {
			d := mail.Draft{From: "me@company.com", To: []string{"a@x.example"}, Subject: "Re: " + e.Subject, Body: "ok", Original: o, Quote: true, ReplyAll: true}
			if m, err := d.Make(); err == nil {
				again := mail.New(mail.Parse(m.Raw))
				if !strings.HasPrefix(again.Body, "ok") || again.From != "me@company.com" {
					t.Errorf("the answer reads %+v", again)
				}
			}
		}
	})
}
