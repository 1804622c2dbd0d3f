package mail

import (
	"maps"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// param returns a parameter of a header such as Content-Type, also of a broken one.
func param(header, name string) string {
	if header == "" {
		return ""
	}
	if strings.Contains(strings.ToLower(header), name+"*") {
		if value := extended(header, name); value != "" {
			return value
		}
	}
	if _, params, err := mime.ParseMediaType(header); err == nil {
		return params[name]
	}
	value := ""
	pieces(header, func(key, v string) {
		if value == "" && key == name {
			value = v
		}
	})
	return value
}

// extended reads a parameter that says its charset, or is cut into several: name*,
// name*0, name*1* (RFC 2231). The standard library knows two charsets only, and mails
// have all of them.
func extended(header, name string) string {
	parts, coded := map[int]string{}, map[int]bool{}
	pieces(header, func(key, value string) {
		rest, ok := strings.CutPrefix(key, name+"*")
		if !ok {
			return
		}
		rest, star := strings.CutSuffix(rest, "*")
		n, err := strconv.Atoi(rest)
		if rest == "" {
			n, star, err = 0, true, nil
		}
		if _, twice := parts[n]; err == nil && n >= 0 && !twice {
			parts[n], coded[n] = value, star
		}
	})
	charset := ""
	if coded[0] {
		if first := strings.SplitN(parts[0], "'", 3); len(first) == 3 {
			charset, parts[0] = first[0], first[2]
		}
	}
	var b strings.Builder
	for i, n := range slices.Sorted(maps.Keys(parts)) {
		text, err := parts[n], error(nil)
		if coded[n] {
			text, err = url.PathUnescape(text)
		}
		if i != n || err != nil {
			break // a part is missing or broken
		}
		b.WriteString(text)
	}
	return decode([]byte(b.String()), charset)
}

// pieces visits the parameters of a header; keys are in lower case.
func pieces(header string, visit func(key, value string)) {
	var b strings.Builder
	quoted, escaped := false, false
	end := func() {
		if key, value, ok := strings.Cut(b.String(), "="); ok {
			visit(strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value))
		}
		b.Reset()
	}
	for i := range len(header) {
		switch c := header[i]; {
		case escaped:
			b.WriteByte(c)
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == ';' && !quoted:
			end()
		default:
			b.WriteByte(c)
		}
	}
	end()
}
