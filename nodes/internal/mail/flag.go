package mail

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Flag is something about a draft or the mail it answers that a human should look at
// before they agree.
type Flag struct {
	Kind  string // one of the kinds below
	Value string // the address, file or host it is about
	Text  string // one sentence for people
}

// The kinds of flags.
const (
	NewRecipient   = "new_recipient"   // gets the mail and was not in the conversation
	NewDomain      = "new_domain"      // as before, and nobody of that domain was
	ReplyElsewhere = "reply_elsewhere" // answers to the mail go to another domain than its sender's
	SenderName     = "sender_name"     // the sender's name holds another address
	HasAttachment  = "attachment"      // the mail carries a file
	LookAlike      = "look_alike"      // a host or address that looks like another one
	LinkText       = "link_text"       // a link shows one address and goes to another
)

// Context is what a draft is compared with.
type Context struct {
	Mail  *Email   // the mail that is handled; nil: none
	Own   []string // the user's addresses
	Known []string // further domains that look-alikes are measured by
}

// maxFlags bounds what is shown: a mail may hold thousands of links.
const maxFlags = 20

// Flags compares a draft with the mail it is about. recipients are all who would get
// it, text is what it says. Nothing is looked up: it is a function of its arguments.
func Flags(recipients []string, text string, c Context) []Flag {
	f := &flagger{c: c, domains: map[string]bool{}, people: map[string]bool{}, hosts: map[string]bool{}}
	f.learn()
	for _, r := range recipients {
		f.recipient(r)
	}
	if c.Mail != nil {
		f.sender(c.Mail)
		f.files(c.Mail.Attachments)
		f.links(c.Mail.Body, "the mail")
	}
	f.links(text, "the draft")
	return f.out
}

type flagger struct {
	c       Context
	people  map[string]bool // addresses of the conversation
	domains map[string]bool // registrable domains of the conversation
	measure []domain        // what known returns
	hosts   map[string]bool // that links went to
	out     []Flag
}

func (f *flagger) add(kind, value, format string, args ...any) {
	flag := Flag{Kind: kind, Value: cut(oneLine(value), 200), Text: cut(fmt.Sprintf(format, args...), 500)}
	if len(f.out) < maxFlags && !slices.ContainsFunc(f.out, func(o Flag) bool { return o.Kind == flag.Kind && o.Value == flag.Value }) {
		f.out = append(f.out, flag)
	}
}

// learn collects who is in the conversation.
func (f *flagger) learn() {
	for _, own := range f.c.Own {
		f.meet(own)
	}
	if f.c.Mail == nil {
		return
	}
	for _, header := range []string{f.c.Mail.From, f.c.Mail.To, f.c.Mail.Cc, f.c.Mail.ReplyTo} {
		for _, a := range addressesIn(header) {
			f.meet(a)
		}
	}
}

func (f *flagger) meet(a string) {
	a = canonical(a)
	f.people[a] = true
	f.domains[registrable(domainOf(a))] = true
}

// met is the domains of the conversation, which recipients are measured by too.
func (f *flagger) met() []domain {
	var out []domain
	for _, d := range slices.Sorted(maps.Keys(f.domains)) {
		out = append(out, newDomain(d))
	}
	return out
}

func (f *flagger) recipient(text string) {
	a, err := Address(text)
	if err != nil || f.people[canonical(a)] {
		return
	}
	domain := domainOf(a)
	switch {
	case f.c.Mail == nil:
		f.add(NewRecipient, a, "%s gets a new mail, which answers none.", a)
	case f.domains[registrable(domain)]:
		f.add(NewRecipient, a, "%s was not in this conversation.", a)
	default:
		f.add(NewDomain, a, "%s was not in this conversation, and nobody of %s was.", a, domain)
	}
	if like := like(domain, append(slices.Clone(f.known()), f.met()...)); like != "" {
		f.add(LookAlike, domain, "%s looks like %s, but is another domain.", domain, like)
	}
}

func (f *flagger) sender(m *Email) {
	from := addressesIn(m.From)
	if len(from) == 0 {
		return
	}
	actual := from[len(from)-1]
	name := strings.TrimSuffix(m.From, "<"+actual+">")
	if m.From != actual {
		for _, a := range addressesIn(name) {
			if canonical(a) != canonical(actual) {
				f.add(SenderName, a, "The sender calls themselves %s, but writes from %s.", a, actual)
			}
		}
	}
	for _, a := range addressesIn(m.ReplyTo) {
		if registrable(domainOf(canonical(a))) != registrable(domainOf(canonical(actual))) {
			f.add(ReplyElsewhere, a, "Answers go to %s, although the mail came from %s.", a, actual)
		}
	}
	if like := like(domainOf(actual), f.known()); like != "" {
		f.add(LookAlike, domainOf(actual), "The sender's domain %s looks like %s, but is another one.", domainOf(actual), like)
	}
}

// risky is files that run, or pretend to be pages, when they are opened.
var risky = []string{
	".exe", ".scr", ".bat", ".cmd", ".com", ".js", ".jse", ".vbs", ".vbe", ".wsf", ".ps1", ".msi", ".jar", ".lnk", ".hta", ".htm", ".html",
	".svg", ".iso", ".img", ".docm", ".xlsm", ".pptm", ".app", ".dmg", ".reg", ".cpl",
}

func (f *flagger) files(list []Attachment) {
	for _, a := range list {
		if slices.Contains(risky, strings.ToLower(path.Ext(a.Name))) {
			f.add(HasAttachment, a.Name, "The mail carries %s, a kind of file that can run programs. It was not opened.", a.Name)
		} else {
			f.add(HasAttachment, a.Name, "The mail carries %s (%s, %s). It was not read.", a.Name, a.Type, bytesText(a.Size))
		}
	}
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// addressesIn finds addresses in a line of text.
func addressesIn(text string) []string {
	found := pattern().address.FindAllString(cut(text, maxLine*4), 200)
	for i, a := range found {
		found[i] = strings.TrimRight(a, ".-")
	}
	return found
}

func domainOf(a string) string { return strings.ToLower(a[strings.LastIndexByte(a, '@')+1:]) }
