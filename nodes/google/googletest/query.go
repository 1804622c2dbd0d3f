package googletest

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// matches reports whether a mail fits a search. It knows what Weft and its tests
// search by: words, in:, is:, label:, from:, to:, cc:, subject:, rfc822msgid:, after:,
// before:, newer_than:, older_than:, has:attachment, -, OR, ( ) and { }.
func (b *mailbox) matches(l *letter, query string, now time.Time) bool {
	p := &search{words: queryWords(query), b: b, l: l, now: now}
	return p.any()
}

type search struct {
	words []string
	b     *mailbox
	l     *letter
	now   time.Time
}

func queryWords(q string) []string {
	var out []string
	for q = strings.TrimSpace(q); q != ""; q = strings.TrimSpace(q) {
		if strings.ContainsRune("(){}-", rune(q[0])) {
			out, q = append(out, q[:1]), q[1:]
			continue
		}
		end, quoted := 0, false
		for end < len(q) && (quoted || !strings.ContainsRune(" (){}\t\n", rune(q[end]))) {
			quoted = quoted != (q[end] == '"')
			end++
		}
		out, q = append(out, strings.ReplaceAll(q[:end], `"`, "")), q[end:]
	}
	return out
}

// any is a list of terms that must all hold, with OR between some.
func (p *search) any() bool {
	all := true
	for len(p.words) > 0 && p.words[0] != ")" {
		one := p.term()
		for len(p.words) > 1 && p.words[0] == "OR" {
			p.words = p.words[1:]
			other := p.term()
			one = one || other
		}
		all = all && one
	}
	return all
}

func (p *search) term() bool {
	word := p.words[0]
	p.words = p.words[1:]
	switch {
	case word == "-" && len(p.words) > 0:
		return !p.term()
	case word == "(":
		ok := p.any()
		if len(p.words) > 0 {
			p.words = p.words[1:]
		}
		return ok
	case word == "{":
		some := false
		for len(p.words) > 0 && p.words[0] != "}" {
			one := p.term()
			some = some || one
		}
		if len(p.words) > 0 {
			p.words = p.words[1:]
		}
		return some
	}
	return p.simple(word)
}

func (p *search) simple(word string) bool {
	name, value, ok := strings.Cut(word, ":")
	if !ok {
		return p.contains(word)
	}
	lower := strings.ToLower(value)
	switch strings.ToLower(name) {
	case "in", "label", "is", "category":
		return p.labelled(strings.ToLower(name), lower)
	case "from", "cc", "subject":
		return p.header(lower, name)
	case "to":
		return p.header(lower, "To", "Cc", "Bcc")
	case "rfc822msgid":
		return strings.Trim(p.l.tree.get("Message-ID"), "<>") == strings.Trim(value, "<>")
	case "has":
		return lower == "attachment" && p.l.tree.hasFile()
	case "after", "before", "newer_than", "older_than":
		return p.dated(name, lower)
	}
	return p.contains(word)
}

// header reports whether one of the headers has the text; me is the user.
func (p *search) header(text string, names ...string) bool {
	if text == "me" {
		text = p.b.address
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.Contains(strings.ToLower(decodeHeader(p.l.tree.get(name))), text)
	})
}

func (p *search) labelled(kind, value string) bool {
	switch {
	case kind == "in" && value == "anywhere":
		return true
	case kind == "is" && value == "read":
		return !slices.Contains(p.l.labels, "UNREAD")
	case kind == "category":
		if value == "primary" {
			value = "personal"
		}
		value = "category_" + value
	}
	for _, id := range p.l.labels {
		if strings.EqualFold(id, value) || strings.EqualFold(strings.ReplaceAll(p.b.labels[id], " ", "-"), value) {
			return true
		}
	}
	return false
}

func (p *search) dated(name, value string) bool {
	if name == "after" || name == "before" {
		at, err := strconv.ParseInt(value, 10, 64)
		t := time.Unix(at, 0)
		if err != nil {
			if t, err = time.Parse("2006/1/2", strings.ReplaceAll(value, "-", "/")); err != nil {
				return false
			}
		}
		return name == "after" == p.l.at.After(t.Add(-time.Nanosecond))
	}
	n, err := strconv.Atoi(strings.TrimRight(value, "dmyh"))
	if err != nil || n < 0 {
		return false
	}
	since := map[byte]time.Time{'h': p.now.Add(-time.Duration(n) * time.Hour), 'd': p.now.AddDate(0, 0, -n), 'm': p.now.AddDate(0, -n, 0), 'y': p.now.AddDate(-n, 0, 0)}[value[len(value)-1]]
	return name == "newer_than" == p.l.at.After(since)
}

func (p *search) contains(word string) bool {
	t := p.l.tree
	all := strings.Join([]string{decodeHeader(t.get("From")), decodeHeader(t.get("To")), decodeHeader(t.get("Subject")), t.firstText()}, "\n")
	return strings.Contains(strings.ToLower(all), strings.ToLower(word))
}

func (n *node) hasFile() bool {
	return n.file != "" || slices.ContainsFunc(n.parts, (*node).hasFile)
}
