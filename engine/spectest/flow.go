package spectest

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/engine/source"
)

// flow writes a tree as YAML on one line.
func flow(v *source.Value) string {
	var b strings.Builder
	writeFlow(&b, v)
	return b.String()
}

func writeFlow(b *strings.Builder, v *source.Value) {
	switch v.Kind {
	case source.Null:
		b.WriteString("null")
	case source.Bool:
		b.WriteString(strconv.FormatBool(v.Bool))
	case source.Number:
		b.WriteString(v.Text)
	case source.String:
		b.WriteString(scalar(v.Text))
	case source.List:
		b.WriteByte('[')
		for i, item := range v.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			writeFlow(b, item)
		}
		b.WriteByte(']')
	case source.Map:
		b.WriteByte('{')
		for i, f := range v.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(scalar(f.Key) + ": ")
			writeFlow(b, f.Value)
		}
		b.WriteByte('}')
	}
}

// plain is texts that mean themselves in YAML, wherever they stand.
var plain = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*$`)

// notText is words that YAML takes for something else than text.
var notText = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n)$`)

func scalar(s string) string {
	if plain.MatchString(s) && !notText.MatchString(s) {
		return s
	}
	return strconv.Quote(s) // every escape of Go is one of YAML
}
