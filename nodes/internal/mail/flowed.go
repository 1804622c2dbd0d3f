package mail

import "strings"

// unflow joins the lines that format=flowed broke (RFC 3676): those that end in a space
// and are quoted as deep as the next one. delsp says that the space belongs to the break.
func unflow(text string, delsp bool) string {
	var b strings.Builder
	b.Grow(len(text))
	open, depth := false, 0 // whether the line before goes on, and how deep it is quoted
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		rest := strings.TrimLeft(line, ">")
		deep := len(line) - len(rest)
		rest = strings.TrimPrefix(rest, " ") // what stands before > or a space of the text
		signature := rest == "-- "
		if !open || deep != depth || signature {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(strings.Repeat(">", deep))
			if deep > 0 && rest != "" {
				b.WriteByte(' ')
			}
		}
		open, depth = strings.HasSuffix(rest, " ") && !signature, deep
		if open && delsp {
			rest = rest[:len(rest)-1]
		}
		b.WriteString(rest)
	}
	return b.String()
}
