package mail_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/nodes/internal/mail"
)

const me = "lance@company.com"

func flagsOf(to []string, text string, e *mail.Email) []string {
	var out []string
	for _, f := range mail.Flags(to, text, mail.Context{Mail: e, Own: []string{me}, Known: []string{"mybank.example"}}) {
		out = append(out, f.Kind+" "+f.Value)
	}
	return out
}

func TestFlags(t *testing.T) {
	ana := mail.Email{From: "Ana <ana@partner.example>", To: me, Cc: "Bo <bo@supplier.example>", Subject: "s", Body: "Hi"}
	edit := func(change func(e *mail.Email)) *mail.Email {
		e := ana
		change(&e)
		return &e
	}
	body := func(text string) *mail.Email { return edit(func(e *mail.Email) { e.Body = text }) }
	for _, c := range []struct {
		name string
		to   []string
		text string
		mail *mail.Email
		want []string
	}{
		{"an answer", []string{"ana@partner.example", "BO@supplier.example", me}, "Fine.", &ana, nil},
		{"a colleague of hers", []string{"eva@partner.example"}, "", &ana, []string{"new_recipient eva@partner.example"}},
		{"a stranger", []string{"eve@evil.example"}, "", &ana, []string{"new_domain eve@evil.example"}},
		{"a look-alike of her domain", []string{"ana@partnerr.example"}, "", &ana, []string{"new_domain ana@partnerr.example", "look_alike partnerr.example"}},
		{"a look-alike in other letters", []string{"ana@раrtner.example"}, "", &ana, []string{"new_domain ana@xn--rtner-3ve5i.example", "look_alike xn--rtner-3ve5i.example"}},
		{"a new mail", []string{"ana@partner.example"}, "", nil, []string{"new_recipient ana@partner.example"}},
		{"answers that go elsewhere", nil, "", edit(func(e *mail.Email) { e.ReplyTo = "ana@other.example" }), []string{"reply_elsewhere ana@other.example"}},
		{"answers that go to a colleague", nil, "", edit(func(e *mail.Email) { e.ReplyTo = "desk@mail.partner.example" }), nil},
		{"a name that is an address", nil, "", edit(func(e *mail.Email) { e.From = `"boss@company.com" <x@partner.example>` }), []string{"sender_name boss@company.com"}},
		{"a sender who looks like us", nil, "", edit(func(e *mail.Email) { e.From = "it@cornpany.com" }), []string{"look_alike cornpany.com"}},
		{"files", nil, "", edit(func(e *mail.Email) {
			e.Attachments = []mail.Attachment{{Name: "offer.pdf", Type: "application/pdf", Size: 3 << 20}, {Name: "open.EXE", Type: "application/x", Size: 1}}
		}), []string{"attachment offer.pdf", "attachment open.EXE"}},
		{"honest links", nil, "see https://www.partner.example/a", body("[partner.example](https://partner.example/x) and [README.md](https://github.com/x) [the file.md](https://github.com/x) https://google.com/"), nil},
		{"a link that shows another address", nil, "", body("[https://mybank.example/login](https://evil.example/x)"), []string{"link_text evil.example"}},
		{"a link that shows a page of somebody", nil, "", body("[mybank.github.io](https://evil.example/x)"), []string{"link_text evil.example"}},
		{"a digit for a letter", nil, "", body("https://paypa1.com/x"), []string{"look_alike paypa1.com"}},
		{"another ending", nil, "", body("https://google.co/x"), []string{"look_alike google.co"}},
		{"another country", nil, "", body("https://google.de/x https://google.co.uk"), nil},
		{"a known name in front", nil, "", body("https://paypal.com.evil.example/x"), []string{"look_alike paypal.com.evil.example"}},
		{"a known name as a user", nil, "", body("https://mybank.example@evil.example/x"), []string{"look_alike evil.example"}},
		{"a number", nil, "", body("http://203.0.113.9/x"), []string{"look_alike 203.0.113.9"}},
		{"letters of another script", nil, "", body("https://gооgle.com/x"), []string{"look_alike gооgle.com"}},
		{"the same, encoded", nil, "", body("https://xn--ggle-55da.com/x"), []string{"look_alike xn--ggle-55da.com"}},
		{"a name that is all of another script", []string{"bo@xn--80ak6aa92e.com"}, "", &ana, []string{"new_domain bo@xn--80ak6aa92e.com", "look_alike xn--80ak6aa92e.com"}},
		{"marks on letters", nil, "", body("https://gïthub.com https://googḷe.com"), []string{"look_alike gïthub.com", "look_alike googḷe.com"}},
		{"her domain in its letters", []string{"ana@xn--mnchen-3ya.example"}, "https://xn--mnchen-3ya.example/", edit(func(e *mail.Email) { e.From, e.ReplyTo = "ana@münchen.example", "desk@xn--mnchen-3ya.example" }), nil},
		{"a provider of its own", nil, "", body("https://mail.com https://email.com"), nil},
		{"a link in the draft", nil, "https://micros0ft.com", &ana, []string{"look_alike micros0ft.com"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, flagsOf(c.to, c.text, c.mail)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFlagsAreBounded(t *testing.T) {
	long := strings.Repeat("[a.example](https://b.example) https://paypa1.com ", 20_000)
	if n := len(flagsOf(nil, long, &mail.Email{From: strings.Repeat("a@b.example, ", 10_000), Body: long})); n > 20 {
		t.Errorf("%d flags", n)
	}
}

func TestFlagTexts(t *testing.T) {
	got := mail.Flags([]string{"eve@evil.example"}, "", mail.Context{Own: []string{me}, Mail: &mail.Email{
		From: "ana@partner.example", Attachments: []mail.Attachment{{Name: "offer.pdf", Type: "application/pdf", Size: 3 << 20}},
	}})
	want := []mail.Flag{
		{Kind: "new_domain", Value: "eve@evil.example", Text: "eve@evil.example was not in this conversation, and nobody of evil.example was."},
		{Kind: "attachment", Value: "offer.pdf", Text: "The mail carries offer.pdf (application/pdf, 3.0 MB). It was not read."},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzFlags holds that nothing that others write breaks the look at it.
func FuzzFlags(f *testing.F) {
	f.Add("ana@partner.example", "[a](https://b)", "<x@y>, z@w")
	f.Add("@", "https://xn--/ https://[::1] https://a@b@c", "\"<\"@>")
	f.Fuzz(func(t *testing.T, to, text, from string) {
		for _, flag := range mail.Flags([]string{to}, text, mail.Context{Own: []string{me}, Mail: &mail.Email{From: from, ReplyTo: to, Body: text}}) {
			if strings.ContainsAny(flag.Value, "\r\n") || flag.Text == "" || len(flag.Text) > 500 {
				t.Errorf("%+v", flag)
			}
		}
	})
}
