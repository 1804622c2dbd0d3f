package mail

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/unicode/norm"
)

// usual is domains that are imitated most.
var usual = []string{
	"google.com", "gmail.com", "microsoft.com", "office.com", "live.com", "outlook.com", "apple.com", "icloud.com", "amazon.com", "paypal.com",
	"github.com", "gitlab.com", "dropbox.com", "docusign.com", "adobe.com", "linkedin.com", "facebook.com", "instagram.com", "netflix.com",
	"zoom.us", "slack.com", "mail.com", "email.com", "dhl.com", "ups.com", "fedex.com", "stripe.com", "salesforce.com", "atlassian.com", "openai.com",
}

// patterns are made when the first draft is looked at.
type patterns struct{ markdown, bare, host, address *regexp.Regexp }

var pattern = sync.OnceValue(func() patterns {
	return patterns{
		markdown: regexp.MustCompile(`\[([^\]\n]*)\]\(\s*<?(https?://[^\s)>]+)`),
		bare:     regexp.MustCompile(`https?://[^\s<>()"'\]]+`),
		host:     regexp.MustCompile(`(?i)(?:https?://)?((?:[\pL\pN_-]+\.)+\pL{2,24})`),
		address:  regexp.MustCompile(`[A-Za-z0-9._%+'=/!#$&*?^{|}~-]+@[\pL\pN.-]+`),
	}
})

// links looks at where links go.
func (f *flagger) links(text, where string) {
	text = cut(text, MaxText)
	for _, m := range pattern().markdown.FindAllStringSubmatch(text, 500) {
		f.linkText(m[1], m[2], where)
	}
	for _, link := range pattern().bare.FindAllString(text, 500) {
		f.host(link, where)
	}
}

// linkText flags a link whose text is another address than where it goes.
func (f *flagger) linkText(text, link, where string) {
	host, text := hostOf(link), strings.TrimSpace(text)
	m := pattern().host.FindStringSubmatch(text)
	if host == "" || m == nil || strings.ContainsAny(text, " \t") {
		return
	}
	shown := strings.ToLower(m[1])
	if !strings.HasPrefix(strings.ToLower(text), "http") && fileLike(shown) {
		return
	}
	if registrable(inLetters(shown)) != registrable(inLetters(host)) {
		f.add(LinkText, host, "A link in %s shows %s, but goes to %s.", where, shown, host)
	}
}

// fileLike reports text that looks like a host and is rather the name of a file. Suffixes
// of two words that ICANN does not know, as github.io, are those of hosts all the same.
func fileLike(host string) bool {
	if suffix, known := publicsuffix.PublicSuffix(host); !known && !strings.Contains(suffix, ".") {
		return !strings.HasPrefix(host, "www.")
	}
	return slices.Contains([]string{".md", ".sh", ".py", ".rs", ".pl", ".zip", ".mov", ".ps", ".so", ".cc", ".app"}, host[strings.LastIndexByte(host, '.'):])
}

func (f *flagger) host(link, where string) {
	host := hostOf(link)
	if host == "" {
		return
	}
	if u, err := url.Parse(link); err == nil && u.User != nil {
		f.add(LookAlike, host, "A link in %s begins like %s, but goes to %s.", where, cut(oneLine(u.User.Username()), 100), host)
	}
	if f.hosts[host] {
		return
	}
	f.hosts[host] = true
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		f.add(LookAlike, host, "A link in %s goes to the number %s instead of a name.", where, addr)
		return
	}
	if like := like(host, f.known()); like != "" {
		f.add(LookAlike, host, "A link in %s goes to %s, which looks like %s, but is another domain.", where, host, like)
	}
}

func hostOf(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

// like returns which of the domains a host looks like without being it, "" when there is none.
func like(host string, known []domain) string {
	host = inLetters(host)
	look := newDomain(registrable(host))
	if slices.ContainsFunc(known, func(k domain) bool { return k.full == look.full }) {
		return ""
	}
	for _, k := range known {
		if look.imitates(k) || strings.HasPrefix(host, k.full+".") || strings.Contains(host, "."+k.full+".") || strings.HasPrefix(host, strings.ReplaceAll(k.full, ".", "-")+".") {
			return k.full
		}
	}
	return ""
}

// inLetters is a host in the letters that people read instead of those of the DNS.
func inLetters(host string) string {
	host = strings.ToLower(host)
	if u, err := idna.ToUnicode(host); err == nil {
		return u
	}
	return host
}

// domain is a registrable domain, taken apart for comparing.
type domain struct{ full, name, suffix, skeleton string }

func newDomain(full string) domain {
	full = inLetters(full)
	name, suffix, _ := strings.Cut(full, ".")
	return domain{full, name, suffix, skeleton(name)}
}

// known is the domains that links and senders are measured by: those of the user and of
// the mail's recipients, those that were given, and the usual ones.
func (f *flagger) known() []domain {
	if f.measure != nil {
		return f.measure
	}
	add := func(list ...string) {
		for _, d := range list {
			if d = registrable(strings.TrimSpace(d)); d != "" {
				f.measure = append(f.measure, newDomain(d))
			}
		}
	}
	for _, own := range f.c.Own {
		add(domainOf(own))
	}
	add(f.c.Known...)
	add(usual...)
	if f.c.Mail != nil {
		for _, a := range addressesIn(f.c.Mail.To + ", " + f.c.Mail.Cc) {
			add(domainOf(a))
		}
	}
	return f.measure
}

// imitates reports a domain that differs from another only as the eye does not see.
func (d domain) imitates(other domain) bool {
	size := len(other.name)
	switch {
	case d.full == other.full || d.full == "":
		return false
	case d.skeleton == other.skeleton && (d.name != other.name || suffixLike(d.suffix, other.suffix)):
		return true
	case d.suffix == other.suffix && (size >= 6 || size == 5 && len(d.name) == 5) && near(d.name, other.name):
		return true
	}
	affix, ok := strings.CutPrefix(d.name, other.name+"-")
	if !ok {
		affix, ok = strings.CutSuffix(d.name, "-"+other.name)
	}
	return ok && size >= 5 && slices.Contains([]string{"login", "support", "secure", "account", "verify"}, affix)
}

// suffixLike reports endings that are taken for another: .co and .cm for .com.
func suffixLike(a, b string) bool { return a != b && (near(a, b) || strings.HasPrefix(a, b)) }

// skeleton writes letters that look alike as one, and leaves marks on letters out.
func skeleton(name string) string {
	name = strings.NewReplacer("rn", "m", "vv", "w", "cl", "d").Replace(strings.ToLower(name))
	var b strings.Builder
	for _, r := range norm.NFD.String(name) {
		if unicode.Is(unicode.Mn, r) || r == '-' {
			continue
		}
		for _, c := range lookalikes {
			if strings.ContainsRune(c.as, r) {
				r = c.letter
				break
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// lookalikes is digits and letters of other scripts by the letter that they are read as.
var lookalikes = []struct {
	letter rune
	as     string
}{
	{'a', "аɑα"},
	{'b', "ьƅ"},
	{'c', "сϲᴄ"},
	{'d', "ԁɗđ"},
	{'e', "еєҽε3"},
	{'f', "ғſ"},
	{'g', "ɡɢց"},
	{'h', "һհħ"},
	{'j', "јϳ"},
	{'k', "кκ"},
	{'l', "1iіıɩι|ӏłƚ"},
	{'m', "м"},
	{'n', "ոռηп"},
	{'o', "0οоօσø"},
	{'p', "рρ"},
	{'q', "ԛզ"},
	{'r', "гᴦɾ"},
	{'s', "ѕꜱ5"},
	{'t', "тτŧ"},
	{'u', "υսʋ"},
	{'v', "νѵᴠ"},
	{'w', "ԝωѡա"},
	{'x', "хχ"},
	{'y', "уγүყ"},
	{'z', "ᴢ"},
}

// near reports texts that are one letter apart: one more, one less, another, or two swapped.
func near(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 || a == b {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	if len(x) == len(y) {
		if string(x[i+1:]) == string(y[i+1:]) {
			return true
		}
		return i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && string(x[i+2:]) == string(y[i+2:])
	}
	return string(x[i:]) == string(y[i+1:])
}

// registrable is the part of a host that somebody registered: example.co.uk of
// mail.example.co.uk.
func registrable(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "" {
		return ""
	}
	d, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return d
}
