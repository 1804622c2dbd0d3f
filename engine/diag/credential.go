package diag

import (
	"regexp"
	"slices"
	"strings"
)

// credentials are texts that can be nothing but a credential.
var credentials = regexp.MustCompile(strings.Join([]string{
	`\bsk-[A-Za-z0-9_-]{20,}`,
	`\bgh[pousr]_[A-Za-z0-9]{36}`,
	`\bAKIA[0-9A-Z]{16}\b`,
	`\bAIza[0-9A-Za-z_-]{35}`,
	`\bxox[abprs]-[0-9A-Za-z-]{10,}`,
	`-----BEGIN [A-Z ]*PRIVATE KEY-----`,
	`\b[a-z][a-z0-9+.-]*://[^/\s:@{}]+:[^/\s:@{}]+@`,
}, "|"))

// credentialParts are in every such text: looking for them is cheap.
var credentialParts = []string{"sk-", "gh", "AKIA", "AIza", "xox", "-----BEGIN", "://"}

// Credential returns where a text holds what can be nothing but a credential, -1 when
// it holds none.
func Credential(s string) int {
	if slices.ContainsFunc(credentialParts, func(part string) bool { return strings.Contains(s, part) }) {
		if at := credentials.FindStringIndex(s); at != nil {
			return at[0]
		}
	}
	return -1
}

// conceal overwrites credentials in a text, byte by byte, so that columns stay.
func conceal(s string) string {
	if Credential(s) < 0 {
		return s
	}
	return credentials.ReplaceAllStringFunc(s, stars)
}

// assigned matches a field whose name says that a credential follows, and what follows.
var assigned = regexp.MustCompile(`(?i)((?:api[-_]?key|passw(?:or)?d|secret|token|authorization|cookie|private[-_]?key)["']?\s*[:=]\s*)` +
	`("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"'{}\[\]&*|>#,][^{}\[\],]*)`)

// plainValues are what may follow such a name and is no credential.
var plainValues = regexp.MustCompile(`^["']?(true|false|null|nil|string|\d{1,6})?["']?$`)

// concealLine overwrites the credentials in a line of a file: a line is shown because
// something in it is wrong, and the file may be one that could not be read.
func concealLine(line string) string {
	line = conceal(line)
	places := assigned.FindAllStringSubmatchIndex(line, -1)
	if places == nil {
		return line
	}
	out := []byte(line)
	for _, p := range places {
		value := strings.TrimRight(line[p[4]:p[5]], " \t")
		if !plainValues.MatchString(value) && !strings.Contains(value, "{{") {
			copy(out[p[4]:], stars(value))
		}
	}
	return string(out)
}

func stars(s string) string { return strings.Repeat("*", len(s)) }
