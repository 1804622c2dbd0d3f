package spec

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/engine/source"
)

func contentHash(bundle []byte) string {
	sum := sha256.Sum256(bundle)
	return hex.EncodeToString(sum[:])
}

// canonical writes a tree as JSON, the same for every way to write the same spec.
func canonical(v *source.Value) []byte {
	w := &canonicalWriter{}
	w.value(v)
	return w.Bytes()
}

type canonicalWriter struct {
	bytes.Buffer
	path []string
}

func (w *canonicalWriter) value(v *source.Value) {
	switch v.Kind {
	case source.Null:
		w.WriteString("null")
	case source.Bool:
		w.WriteString(strconv.FormatBool(v.Bool))
	case source.Number:
		w.WriteString(canonicalNumber(v.Text))
	case source.String:
		w.text(v.Text)
	case source.List:
		w.list(v)
	case source.Map:
		w.object(v)
	}
}

func (w *canonicalWriter) text(s string) {
	if isSimple(s) {
		w.WriteByte('"')
		w.WriteString(s)
		w.WriteByte('"')
		return
	}
	enc := json.NewEncoder(&w.Buffer)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string into a buffer: cannot fail
	w.Truncate(w.Len() - 1)
}

// isSimple reports whether a text is written in JSON as it is.
func isSimple(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func (w *canonicalWriter) list(v *source.Value) {
	w.WriteByte('[')
	w.path = append(w.path, "")
	for i, item := range v.Items {
		if i > 0 {
			w.WriteByte(',')
		}
		w.value(item)
	}
	w.path = w.path[:len(w.path)-1]
	w.WriteByte(']')
}

func (w *canonicalWriter) object(v *source.Value) {
	fields := v.Fields
	if !w.ordered() {
		fields = slices.Clone(fields)
		slices.SortFunc(fields, func(a, b source.Field) int { return cmp.Compare(a.Key, b.Key) })
	}
	w.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			w.WriteByte(',')
		}
		w.text(f.Key)
		w.WriteByte(':')
		w.path = append(w.path, f.Key)
		w.value(f.Value)
		w.path = w.path[:len(w.path)-1]
	}
	w.WriteByte('}')
}

// ordered reports whether the order of the map at hand counts: nodes write in their
// order, and models are shown (and answer) properties in theirs.
func (w *canonicalWriter) ordered() bool {
	n := len(w.path)
	if n == 3 && w.path[0] == "graphs" && w.path[2] == "nodes" {
		return true
	}
	return n > 0 && w.path[n-1] == "properties"
}

// canonicalNumber writes equal numbers alike. An integer stays one, whatever its size;
// 2.0 and 2 remain different, since they are different to expressions.
func canonicalNumber(literal string) string {
	if isWhole(literal) {
		if literal == "-0" {
			return "0"
		}
		return literal
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || math.IsInf(f, 0) {
		return literal
	}
	out := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(out, ".e") {
		out += ".0"
	}
	return out
}

// without returns a map without some of its fields.
func without(v *source.Value, keys ...string) *source.Value {
	out := *v
	out.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(f source.Field) bool { return slices.Contains(keys, f.Key) })
	return &out
}

// textOf returns a string, "" when v is none.
func textOf(v *source.Value) string {
	if v == nil || v.Kind != source.String {
		return ""
	}
	return v.Text
}
