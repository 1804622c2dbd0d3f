package mail

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"mime"
	netmail "net/mail"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-message/mail"
	"golang.org/x/net/idna"
)

// Bounds of a draft.
const (
	maxRecipients = 100
	maxQuote      = 64 << 10
	maxReferences = 30
	maxDraft      = 10 << 20
)

// Draft is a mail that is to go out.
type Draft struct {
	From        string // address, with or without a name
	To, Cc, Bcc []string
	Subject     string
	Body        string    // plain text
	MessageID   string    // <…@…>
	Key         string    // written into a header of its own, by which the mail is known again
	Date        time.Time // when it is sent
	Original    *Original // what it answers; nil for a new mail
	Quote       bool      // the original's text is put below
	ReplyAll    bool      // whoever got the original gets the answer
	Own         []string  // addresses that never get an answer to all
}

// KeyHeader carries Draft.Key.
const KeyHeader = "X-Weft-Key"

// Message is a draft made ready to be sent.
type Message struct {
	Raw         []byte
	Subject     string
	To, Cc, Bcc []*netmail.Address
	Threaded    bool   // it carries what mail programs thread by
	Note        string // what else there is to know: why it is not threaded, whom it does not go to
}

// Recipients returns everybody who gets the mail.
func (m *Message) Recipients() []*netmail.Address {
	out := append([]*netmail.Address{}, m.To...)
	return append(append(out, m.Cc...), m.Bcc...)
}

// remark adds to the note.
func (m *Message) remark(text string) {
	if m.Note != "" {
		m.Note += "; "
	}
	m.Note += text
}

// Make writes the mail. It refuses recipients that are no addresses, and a mail to nobody.
func (d *Draft) Make() (*Message, error) {
	m := &Message{Subject: oneLine(d.Subject)}
	if d.Original != nil && d.Original.Subject == "" && bare(m.Subject) == "" {
		m.Subject = "Re:" // not the stand-in for a subject, which would begin a conversation of its own
	}
	if err := d.recipients(m); err != nil {
		return nil, err
	}
	if len(d.Body) > maxDraft {
		return nil, fmt.Errorf("the text is %d bytes long; at most %d can be sent", len(d.Body), maxDraft)
	}
	h, err := d.header(m)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, err := mail.CreateSingleInlineWriter(&b, h)
	if err != nil {
		return nil, fmt.Errorf("write the mail: %w", err)
	}
	_, err = io.WriteString(w, d.text())
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("write the mail: %w", err)
	}
	m.Raw = b.Bytes()
	return m, nil
}

func (d *Draft) header(m *Message) (mail.Header, error) {
	var h mail.Header
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Transfer-Encoding", "quoted-printable")
	h.Set("Mime-Version", "1.0")
	if d.Key != "" {
		h.Set(KeyHeader, d.Key)
	}
	d.thread(m, &h)
	h.Set("Subject", encodeWords(m.Subject))
	for _, list := range []struct {
		name string
		all  []*netmail.Address
	}{{"Bcc", m.Bcc}, {"Cc", m.Cc}, {"To", m.To}} {
		if len(list.all) > 0 {
			h.SetAddressList(list.name, list.all)
		}
	}
	if d.From != "" {
		from, err := address(d.From)
		if err != nil {
			return h, fmt.Errorf("the sender: %w", err)
		}
		h.SetAddressList("From", []*netmail.Address{from})
	}
	if d.MessageID != "" {
		h.SetMessageID(strings.Trim(d.MessageID, "<>"))
	}
	h.SetDate(d.Date)
	return h, nil
}

// encodeWords writes a header in ASCII. Text that looks encoded is encoded too: it is to
// be read as it stands, not as what it stands for.
func encodeWords(text string) string {
	out := mime.QEncoding.Encode("utf-8", text)
	if out != text || !strings.Contains(text, "=?") {
		return out
	}
	var words []string
	for chunk := range slices.Chunk([]byte(text), 15) {
		words = append(words, fmt.Sprintf("=?utf-8?q?=%s?=", strings.ReplaceAll(fmt.Sprintf("% X", chunk), " ", "=")))
	}
	return strings.Join(words, " ")
}

// thread sets what mail programs put the answer below the mail by.
func (d *Draft) thread(m *Message, h *mail.Header) {
	o := d.Original
	switch {
	case o == nil:
		return
	case o.MessageID == "":
		m.remark("the mail that this answers has no Message-ID, so the answer may be shown as a conversation of its own")
		return
	case !SameSubject(m.Subject, o.Subject):
		m.remark("its subject is not that of the mail it answers, so it begins a conversation of its own")
	default:
		m.Threaded = true
	}
	refs := o.References
	if len(refs) > maxReferences {
		refs = append([]string{refs[0]}, refs[len(refs)-maxReferences+1:]...)
	}
	h.SetMsgIDList("References", trimIDs(append(append([]string{}, refs...), o.MessageID)))
	h.SetMsgIDList("In-Reply-To", trimIDs([]string{o.MessageID}))
}

func trimIDs(ids []string) []string {
	out := ids[:0]
	for _, id := range ids {
		if id = strings.Trim(id, "<>"); len(out) == 0 || out[len(out)-1] != id {
			out = append(out, id)
		}
	}
	return out
}

// recipients reads the lists; nobody is in two of them.
func (d *Draft) recipients(m *Message) error {
	seen := map[string]bool{}
	for _, list := range []struct {
		name string
		from []string
		to   *[]*netmail.Address
	}{{"to", d.To, &m.To}, {"cc", d.Cc, &m.Cc}, {"bcc", d.Bcc, &m.Bcc}} {
		for _, text := range list.from {
			a, err := address(text)
			if err != nil {
				return fmt.Errorf("%s: %w", list.name, err)
			}
			if key := canonical(a.Address); !seen[key] {
				seen[key] = true
				*list.to = append(*list.to, a)
			}
		}
	}
	if d.ReplyAll && d.Original != nil {
		if err := d.answerAll(m); err != nil {
			return err
		}
	}
	switch n := len(m.Recipients()); {
	case n == 0:
		return errors.New("the mail has no recipient")
	case n > maxRecipients:
		return fmt.Errorf("the mail has %d recipients; at most %d are sent to", n, maxRecipients)
	}
	return nil
}

// answerAll adds those who got the original.
func (d *Draft) answerAll(m *Message) error {
	if d.Original.Unread != "" {
		return fmt.Errorf("the mail that this answers has a %s header that cannot be read, so it cannot be answered to all: name the recipients instead", d.Original.Unread)
	}
	others, dropped := d.Original.AnswersAll(d.Own, m.Recipients())
	m.Cc = append(m.Cc, others...)
	if len(dropped) > 0 {
		m.remark("it does not go to " + cut(strings.Join(dropped, ", "), 300) + ", which cannot be sent to")
	}
	return nil
}

// Address reads one address, with or without a name before it, and returns it without
// the name.
func Address(text string) (string, error) {
	a, err := address(text)
	if err != nil {
		return "", err
	}
	return a.Address, nil
}

// address reads one address, with or without a name before it.
func address(text string) (*netmail.Address, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, fmt.Errorf("%q is more than one line", cut(text, 100))
	}
	a, err := netmail.ParseAddress(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("%q is no mail address: write it as ana@example.com or Ana <ana@example.com>", cut(text, 100))
	}
	return sendable(a)
}

// sendable returns an address as it goes over the wire, its domain as in the DNS.
func sendable(a *netmail.Address) (*netmail.Address, error) {
	text := a.Address
	at := strings.LastIndexByte(text, '@')
	local, domain := text[:at], text[at+1:]
	ascii, err := idna.Lookup.ToASCII(domain)
	if err != nil || !strings.Contains(ascii, ".") && ascii != "localhost" {
		return nil, fmt.Errorf("%q is no mail address: %q is no domain", cut(text, 100), domain)
	}
	if strings.ContainsFunc(local, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, fmt.Errorf("%q has letters before the @ that cannot be sent to", cut(text, 100))
	}
	return &netmail.Address{Name: oneLine(a.Name), Address: local + "@" + ascii}, nil
}

// text is the body with the original below it, with the line ends of mails.
func (d *Draft) text() string {
	text := tidyDraft(d.Body)
	if d.Quote && d.Original != nil {
		text += "\n\n" + d.Original.Quoted() + "\n"
	}
	return strings.ReplaceAll(text, "\n", "\r\n")
}

func tidyDraft(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimRight(s, "\n") + "\n"
}

// Quoted is the original's text as answers have it below theirs.
func (o *Original) Quoted() string {
	who := "Somebody"
	if len(o.Sender) > 0 {
		who = person(o.Sender[0])
	}
	head := who + " wrote:"
	if !o.Date.IsZero() {
		head = "On " + o.Date.Format("Mon, 2 Jan 2006 at 15:04 -0700") + ", " + who + " wrote:"
	}
	text, _ := shorten(o.Body, maxQuote)
	return head + "\n\n" + quoteLines(text)
}

// quoteLines puts > before every line.
func quoteLines(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteByte('>')
		if line != "" && line[0] != '>' {
			b.WriteByte(' ')
		}
		b.WriteString(line)
	}
	return b.String()
}

var lowerHex = base32.HexEncoding.WithPadding(base32.NoPadding)

// Identity makes a name of an idempotency key: the same key, the same name, and nothing
// can be read off it. It has 52 letters of 0-9 and a-v.
func Identity(key string) string {
	sum := sha256.Sum256([]byte(key))
	return strings.ToLower(lowerHex.EncodeToString(sum[:]))
}

// MessageID makes the Message-ID of the mail that a call with this key sends from an address.
func MessageID(key, from string) string {
	domain := "weft.invalid"
	if a, err := address(from); err == nil {
		domain = a.Address[strings.LastIndexByte(a.Address, '@')+1:]
	}
	return "<weft-" + Identity(key) + "@" + domain + ">"
}
