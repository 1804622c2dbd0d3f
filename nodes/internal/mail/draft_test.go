package mail_test

import (
	"bytes"
	"mime"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/internal/mail"
)

func TestSubjects(t *testing.T) {
	if !mail.SameSubject("AW: Re: hello", "Hello") || mail.SameSubject("Hello", "Hello you") || !mail.SameSubject("Re: (no subject)", "") {
		t.Error("the same subject")
	}
}

// TestSubjectsAreReadAsTheyStand sends subjects that mean something to mail programs.
func TestSubjectsAreReadAsTheyStand(t *testing.T) {
	for _, subject := range []string{"Grüße", "=?utf-8?q?Bcc=3A_all=40x.example?= for you, and more than a line of it", "=?utf-8?q?ü?=", "a=?b", "Re: \t x"} {
		m, err := (&mail.Draft{From: me, To: []string{"a@p.example"}, Subject: subject, Body: "b"}).Make()
		if err != nil {
			t.Fatal(err)
		}
		got, err := netmail.ReadMessage(bytes.NewReader(m.Raw))
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
		if want := strings.Join(strings.Fields(subject), " "); err != nil || decoded != want || m.Subject != want {
			t.Errorf("%q arrives as %q, %v", subject, decoded, err)
		}
	}
}

// TestReferences keeps the beginning and the end of a long conversation.
func TestReferences(t *testing.T) {
	var refs []string
	for i := range 100 {
		refs = append(refs, "<"+strings.Repeat("x", i+1)+"@p.example>")
	}
	o := &mail.Original{MessageID: "<last@p.example>", References: refs, Subject: "s"}
	m, err := (&mail.Draft{From: me, To: []string{"a@p.example"}, Subject: "Re: s", Body: "b", Original: o}).Make()
	if err != nil {
		t.Fatal(err)
	}
	got, err := netmail.ReadMessage(bytes.NewReader(m.Raw))
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Fields(got.Header.Get("References"))
	if len(list) != 31 || list[0] != "<x@p.example>" || list[30] != "<last@p.example>" || list[29] != refs[99] || got.Header.Get("In-Reply-To") != "<last@p.example>" {
		t.Errorf("%d references: %v", len(list), list[0])
	}
	for line := range bytes.Lines(m.Raw) {
		if len(line) > 1000 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}

// TestAnswersAll writes to all whom a mail went to.
func TestAnswersAll(t *testing.T) {
	for _, c := range []struct{ name, headers, cc, note, problem string }{
		{"but not to oneself, by whatever name", "To: Lance <LANCE@company.com>, alias@company.com, bo@company.com", "bo@company.com", "", ""},
		{"a group", "To: Team: ana@x.example, bo@company.com;, kim@company.com\nCc: undisclosed-recipients:;", "bo@company.com kim@company.com", "", ""},
		{"a domain in its letters, once", "To: bo@münchen.example\nCc: Bo <bo@xn--mnchen-3ya.example>", "bo@xn--mnchen-3ya.example", "", ""},
		{"who cannot be sent to", "To: jörg@x.example, bo@company.com, kim@nowhere", "bo@company.com", "it does not go to jörg@x.example, kim@nowhere, which cannot be sent to", ""},
		{"a header that cannot be read", "To: Smith, Bo <bo@company.com>, kim@company.com", "", "", "has a To header that cannot be read"},
		{"a broken header that means one person", "To: Smith, Bo <bo@company.com>", "bo@company.com", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o, err := mail.NewOriginal(mail.Parse(crlf("From: Costa, Ana <ana@x.example>\nSubject: s\nMessage-ID: <1@x.example>\n" + c.headers + "\n\nhi")))
			if err != nil {
				t.Fatal(err)
			}
			own := []string{me, "Lance <alias@company.com>"}
			d := &mail.Draft{From: me, To: []string{"ana@x.example"}, Subject: "Re: s", Body: "b", Original: o, ReplyAll: true, Own: own}
			m, err := d.Make()
			if c.problem != "" {
				if err == nil || !strings.Contains(err.Error(), c.problem) {
					t.Fatalf("error %v", err)
				}
				d.ReplyAll = false
				if m, err = d.Make(); err != nil || len(m.Recipients()) != 1 {
					t.Fatalf("to one: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var cc []string
			for _, a := range m.Cc {
				cc = append(cc, a.Address)
			}
			if got := strings.Join(cc, " "); got != c.cc || m.Note != c.note {
				t.Errorf("cc %q, note %q", got, m.Note)
			}
		})
	}
}

// TestDrafts reads back what was written, with a parser that is not ours.
func TestDrafts(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.RuneFrom([]rune("aä€😀 \n=.:,;<>\"\\()-\t")), rapid.Rune()))
		d := &mail.Draft{
			From: "Lance Ö <" + me + ">", To: []string{"Ana <ana@partner.example>"}, Subject: text.Draw(r, "subject"), Body: text.Draw(r, "body"),
			MessageID: mail.MessageID(rapid.String().Draw(r, "key"), me), Key: "k", Date: time.Unix(1_800_000_000, 0).UTC(),
		}
		m, err := d.Make()
		if err != nil {
			r.Fatal(err)
		}
		got, err := netmail.ReadMessage(bytes.NewReader(m.Raw))
		if err != nil {
			r.Fatalf("%v\n%s", err, m.Raw)
		}
		if got.Header.Get("Bcc") != "" || len(got.Header["To"]) != 1 || got.Header.Get("Message-Id") != d.MessageID || got.Header.Get(mail.KeyHeader) != "k" {
			r.Fatalf("headers %v", got.Header)
		}
		if n := len(got.Header); n != 9 && n != 8 {
			r.Fatalf("%d headers: %v", n, got.Header)
		}
		again := mail.New(mail.Parse(m.Raw))
		if again.From != "Lance Ö <"+me+">" || again.To != "Ana <ana@partner.example>" {
			r.Fatalf("%+v", again)
		}
		words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		plain := &mail.Part{Type: "text/plain", Body: []byte(d.Body)}
		if want := mail.New(plain).Body; !strings.HasPrefix(strings.TrimSpace(d.Body), "<") && words(again.Body) != words(want) {
			r.Fatalf("body %q, want %q", again.Body, want)
		}
	})
}

func TestIdentity(t *testing.T) {
	a, b := mail.Identity("thread/run/1"), mail.Identity("thread/run/2")
	if a == b || len(a) != 52 || strings.Trim(a, "abcdefghijklmnopqrstuv0123456789") != "" || a != mail.Identity("thread/run/1") || strings.Contains(a, "run") {
		t.Errorf("%q %q", a, b)
	}
	if id := mail.MessageID("k", "Lance <"+me+">"); !strings.HasSuffix(id, "@company.com>") || !strings.HasPrefix(id, "<weft-") {
		t.Errorf("%q", id)
	}
}
