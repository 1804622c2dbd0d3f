package gmail

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-engine/weft/nodes/internal/mail"
)

// query decides whether a new mail fits, in the words of Gmail's search. Gmail's own
// search knows a mail only some time after it came in, so it is no help with new ones.
type query struct {
	test  test
	named bool // it goes by labels that the user made
}

// candidate is a mail that a query is asked about.
type candidate struct {
	email   *mail.Email
	labels  []string          // ids
	named   map[string]string // ids by name in lower case
	account string
	now     time.Time
}

// test is a part of a query.
type test func(c *candidate) bool

// Bounds of a query.
const (
	maxQuery = 2000
	maxNest  = 20
)

// parseQuery reads a query; its error says what it does not understand.
func parseQuery(text string) (*query, error) {
	if len(text) > maxQuery {
		return nil, fmt.Errorf("it is longer than %d letters", maxQuery)
	}
	tokens, err := tokensOf(text)
	if err != nil {
		return nil, err
	}
	p := &queryParser{tokens: tokens}
	t, err := p.all("", 0)
	if err != nil {
		return nil, err
	}
	return &query{test: t, named: p.named}, nil
}

// token is a sign or a word; a phrase was in quotes.
type token struct {
	text   string
	phrase bool
}

func tokensOf(text string) ([]token, error) {
	var out []token
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		if strings.ContainsRune("(){}", rune(text[0])) || text[0] == '-' && len(text) > 1 {
			out, text = append(out, token{text: text[:1]}), text[1:]
			continue
		}
		var word strings.Builder
		phrase, quoted, i := text[0] == '"', false, 0
		for ; i < len(text); i++ {
			switch c := text[i]; {
			case c == '"':
				quoted = !quoted
				continue
			case !quoted && strings.IndexByte(" \t\r\n(){}", c) >= 0:
			default:
				word.WriteByte(c)
				continue
			}
			break
		}
		if quoted {
			return nil, fmt.Errorf("a quote is not closed")
		}
		out, text = append(out, token{text: word.String(), phrase: phrase}), text[i:]
	}
	return out, nil
}

type queryParser struct {
	tokens []token
	named  bool
}

// sign takes a sign or OR off, if it is next.
func (p *queryParser) sign(text string) bool {
	if len(p.tokens) == 0 || p.tokens[0].phrase || p.tokens[0].text != text {
		return false
	}
	p.tokens = p.tokens[1:]
	return true
}

// all reads terms up to a closing sign: each must hold, or one of those joined by OR.
func (p *queryParser) all(closing string, depth int) (test, error) {
	if depth > maxNest {
		return nil, fmt.Errorf("its parentheses are too deep")
	}
	var tests []test
	for len(p.tokens) > 0 && p.tokens[0].text != ")" && p.tokens[0].text != "}" {
		p.sign("AND")
		one, err := p.term(depth)
		if err != nil {
			return nil, err
		}
		for p.sign("OR") {
			other, err := p.term(depth)
			if err != nil {
				return nil, err
			}
			one = either(one, other)
		}
		tests = append(tests, one)
	}
	if closing != "" && !p.sign(closing) {
		return nil, fmt.Errorf("%q is missing", closing)
	}
	if closing == "" && len(p.tokens) > 0 {
		return nil, fmt.Errorf("%q closes nothing", p.tokens[0].text)
	}
	return func(c *candidate) bool {
		return !slices.ContainsFunc(tests, func(t test) bool { return !t(c) })
	}, nil
}

func either(a, b test) test { return func(c *candidate) bool { return a(c) || b(c) } }

func (p *queryParser) term(depth int) (test, error) {
	switch {
	case len(p.tokens) == 0:
		return nil, fmt.Errorf("something is missing at its end")
	case p.sign("-"):
		t, err := p.term(depth + 1)
		if err != nil || depth > maxNest {
			return nil, err
		}
		return func(c *candidate) bool { return !t(c) }, nil
	case p.sign("("):
		return p.all(")", depth+1)
	case p.sign("{"):
		return p.some(depth + 1)
	}
	word := p.tokens[0]
	p.tokens = p.tokens[1:]
	return p.simple(word)
}

// some reads { a b }: one must hold.
func (p *queryParser) some(depth int) (test, error) {
	if depth > maxNest {
		return nil, fmt.Errorf("its braces are too deep")
	}
	none := test(func(*candidate) bool { return false })
	for !p.sign("}") {
		if len(p.tokens) == 0 {
			return nil, fmt.Errorf("%q is missing", "}")
		}
		t, err := p.term(depth)
		if err != nil {
			return nil, err
		}
		none = either(none, t)
	}
	return none, nil
}

func (p *queryParser) simple(word token) (test, error) {
	name, value, ok := strings.Cut(word.text, ":")
	if word.phrase || !ok {
		return contains(word.text), nil
	}
	value = strings.ToLower(strings.TrimSpace(value))
	if value == "" {
		return nil, fmt.Errorf("%s: has no value", name)
	}
	switch strings.ToLower(name) {
	case "in", "label", "l":
		return p.in(value), nil
	case "is":
		return is(value)
	case "category":
		return category(value)
	case "from":
		return address(value, func(e *mail.Email) string { return e.From }), nil
	case "to":
		return address(value, func(e *mail.Email) string { return e.To + ", " + e.Cc }), nil
	case "cc":
		return address(value, func(e *mail.Email) string { return e.Cc }), nil
	case "subject":
		return func(c *candidate) bool { return within(c.email.Subject, value) }, nil
	case "has":
		if value == "attachment" {
			return func(c *candidate) bool { return len(c.email.Attachments) > 0 }, nil
		}
	case "newer_than", "newer", "older_than", "older", "after", "before":
		return dated(strings.ToLower(name), value)
	}
	return nil, fmt.Errorf("it does not understand %q", word.text)
}

func within(text, part string) bool { return strings.Contains(strings.ToLower(text), part) }

func contains(word string) test {
	word = strings.ToLower(word)
	return func(c *candidate) bool {
		e := c.email
		return within(e.Subject, word) || within(e.From, word) || within(e.To, word) || within(e.Cc, word) || within(e.Body, word)
	}
}

func address(value string, of func(*mail.Email) string) test {
	return func(c *candidate) bool {
		if value == "me" {
			return within(of(c.email), c.account)
		}
		return within(of(c.email), value)
	}
}

// folders is what Gmail calls labels of its own, by the words of its search.
var folders = map[string]string{
	"inbox": "INBOX", "sent": "SENT", "spam": "SPAM", "trash": "TRASH", "draft": "DRAFT", "drafts": "DRAFT", "chat": "CHAT", "chats": "CHAT",
	"unread": "UNREAD", "starred": "STARRED", "important": "IMPORTANT",
}

func (p *queryParser) in(value string) test {
	if value == "anywhere" {
		return func(*candidate) bool { return true }
	}
	if id := folders[value]; id != "" {
		return labelled(id)
	}
	p.named = true
	name := strings.ReplaceAll(value, " ", "-")
	return func(c *candidate) bool {
		id := c.named[name]
		return id != "" && slices.Contains(c.labels, id)
	}
}

func labelled(id string) test {
	return func(c *candidate) bool { return slices.Contains(c.labels, id) }
}

func is(value string) (test, error) {
	switch value {
	case "read":
		return func(c *candidate) bool { return !slices.Contains(c.labels, "UNREAD") }, nil
	case "unread", "starred", "important":
		return labelled(folders[value]), nil
	}
	return nil, fmt.Errorf("it does not understand is:%s", value)
}

func category(value string) (test, error) {
	if value == "primary" {
		value = "personal"
	}
	if !slices.Contains([]string{"personal", "social", "promotions", "updates", "forums"}, value) {
		return nil, fmt.Errorf("it does not understand category:%s", value)
	}
	return labelled("CATEGORY_" + strings.ToUpper(value)), nil
}

// dated compares when a mail came in.
func dated(name, value string) (test, error) {
	when, err := instant(name, value)
	if err != nil {
		return nil, err
	}
	newer := strings.HasPrefix(name, "newer") || name == "after"
	return func(c *candidate) bool {
		at, err := time.Parse(time.RFC3339, c.email.Date)
		if err != nil {
			return newer
		}
		return newer == !at.Before(when(c.now))
	}, nil
}

func instant(name, value string) (func(now time.Time) time.Time, error) {
	if n, err := strconv.Atoi(strings.TrimRight(value, "hdmy")); strings.HasSuffix(name, "_than") {
		if err != nil || n < 0 || n > 10_000 || len(strings.TrimLeft(value, "0123456789")) != 1 {
			return nil, fmt.Errorf("%s:%s is no age: write 2d, 12h, 3m or 1y", name, value)
		}
		return func(now time.Time) time.Time {
			switch value[len(value)-1] {
			case 'h':
				return now.Add(-time.Duration(n) * time.Hour)
			case 'd':
				return now.AddDate(0, 0, -n)
			case 'm':
				return now.AddDate(0, -n, 0)
			}
			return now.AddDate(-n, 0, 0)
		}, nil
	}
	if n, err := strconv.ParseInt(value, 10, 64); err == nil && n > 100_000 {
		return func(time.Time) time.Time { return time.Unix(n, 0) }, nil
	}
	t, err := time.Parse("2006/1/2", strings.ReplaceAll(value, "-", "/"))
	if err != nil {
		return nil, fmt.Errorf("%s:%s is no date: write 2026/03/09", name, value)
	}
	t = t.Add(8 * time.Hour) // Gmail's days begin at midnight Pacific time
	return func(time.Time) time.Time { return t }, nil
}
