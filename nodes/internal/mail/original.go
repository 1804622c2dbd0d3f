package mail

import (
	"fmt"
	netmail "net/mail"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/idna"
)

// Original is what a reply needs of the mail that it answers.
type Original struct {
	MessageID  string   // <…@…>, "" when the mail has none
	References []string // <…@…>
	Subject    string
	From       []*netmail.Address // Reply-To where there is one
	Sender     []*netmail.Address // From
	To, Cc     []*netmail.Address
	Unread     string    // a header among To and Cc that could not be read, "" when there is none
	Date       time.Time // zero when it is not known
	Body       string
}

// NewOriginal reads what a reply needs. Unlike New it refuses what it cannot read: a
// reply must not go to somebody else by mistake. That To or Cc cannot be read is in the
// way of answers to all only.
func NewOriginal(root *Part) (*Original, error) {
	h := root.Header
	o := &Original{MessageID: messageID(h.Get("Message-ID")), Subject: oneLine(decodeWords(h.Get("Subject")))}
	o.References = messageIDs(h.Get("References"))
	if len(o.References) == 0 {
		o.References = messageIDs(h.Get("In-Reply-To"))
	}
	if t, err := netmail.ParseDate(strings.TrimSpace(h.Get("Date"))); err == nil {
		o.Date = t
	}
	var err error
	for _, list := range []struct {
		header string
		to     *[]*netmail.Address
	}{{"Reply-To", &o.From}, {"From", &o.Sender}, {"To", &o.To}, {"Cc", &o.Cc}} {
		*list.to, err = addresses(h.All(list.header))
		switch {
		case err == nil:
		case list.header == "To" || list.header == "Cc":
			o.Unread = list.header
		default:
			return nil, fmt.Errorf("its %s header %q cannot be read: %w", list.header, cut(oneLine(h.Get(list.header)), 100), err)
		}
	}
	if len(o.From) == 0 {
		o.From = o.Sender
	}
	o.Body, _ = body(root)
	return o, nil
}

// addresses reads a header with addresses; undisclosed recipients are none. One that is
// broken and holds a single address, as in Smith, Bo <bo@example.com>, means that one.
func addresses(header string) ([]*netmail.Address, error) {
	header = toUTF8(header)
	if strings.TrimSpace(header) == "" {
		return nil, nil
	}
	parser := netmail.AddressParser{WordDecoder: &words}
	list, err := parser.ParseList(header)
	if err != nil && strings.HasSuffix(strings.TrimSpace(header), ";") && !strings.Contains(header, "@") {
		return nil, nil
	}
	if found := addressesIn(header); err != nil && len(found) == 1 {
		name, _, _ := strings.Cut(header, "<")
		return []*netmail.Address{{Name: strings.Trim(strings.TrimSpace(decodeWords(name)), `"`), Address: found[0]}}, nil
	}
	return list, err
}

// AnswersAll returns who else gets an answer to all: those whom the mail went to, but
// not own addresses, with or without a name, and not those who get the answer anyway.
// dropped are those who cannot be sent to.
func (o *Original) AnswersAll(own []string, to []*netmail.Address) (out []*netmail.Address, dropped []string) {
	seen := map[string]bool{}
	for _, text := range own {
		if a, err := Address(text); err == nil {
			seen[canonical(a)] = true
		}
	}
	for _, a := range to {
		seen[canonical(a.Address)] = true
	}
	for _, a := range append(append([]*netmail.Address{}, o.To...), o.Cc...) {
		key := canonical(a.Address)
		if seen[key] {
			continue
		}
		seen[key] = true
		if a, err := sendable(a); err != nil {
			dropped = append(dropped, oneLine(key))
		} else {
			out = append(out, a)
		}
	}
	return out, dropped
}

// canonical is an address for comparing: lower case, its domain as in the DNS.
func canonical(address string) string {
	address = strings.ToLower(strings.TrimSpace(address))
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return address
	}
	domain, err := idna.Lookup.ToASCII(address[at+1:])
	if err != nil {
		return address
	}
	return address[:at+1] + domain
}

// replyWords begin the subjects of answers in the languages that have their own.
var replyWords = []string{"re", "aw", "antw", "antwort", "sv", "vs", "ref", "rif", "res", "odp", "ynt", "rv", "tr", "回复", "答复", "回覆"}

// SameSubject reports whether two subjects belong to one conversation: they are the
// same but for the words of answers before them.
func SameSubject(a, b string) bool { return bare(a) == bare(b) }

func bare(subject string) string {
	s := oneLine(subject)
	for {
		rest, ok := cutReply(s)
		if !ok {
			break
		}
		s = rest
	}
	if s == NoSubject {
		return ""
	}
	return strings.ToLower(s)
}

// cutReply cuts "Re:" or "RE[2]:" off.
func cutReply(s string) (rest string, ok bool) {
	head, rest, found := strings.Cut(s, ":")
	if !found {
		if head, rest, found = strings.Cut(s, "："); !found {
			return s, false
		}
	}
	head = strings.ToLower(strings.TrimSpace(head))
	if open := strings.IndexByte(head, '['); open > 0 && strings.Trim(head[open:], "[]0123456789") == "" {
		head = head[:open]
	}
	if slices.Contains(replyWords, head) {
		return strings.TrimSpace(rest), true
	}
	return s, false
}
