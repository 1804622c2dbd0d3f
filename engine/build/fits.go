package build

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/engine/shape"
)

// Fit says whether values of one type can be where another type is wanted.
type Fit uint8

// The fits.
const (
	Never     Fit = iota // no value of the type fits
	Sometimes            // it depends on the value: check it when it runs
	Always               // every value fits, as far as types tell
)

// maxFit bounds how deep types are compared; deeper is checked when it runs.
const maxFit = 8

// Fits compares the type of a value with the type that is wanted. Only values that can
// never fit are Never: what may be null, or is not known, is Sometimes.
func Fits(got, want *shape.Type) Fit { return fits(got, want, maxFit) }

func fits(got, want *shape.Type, depth int) Fit {
	switch {
	case want == nil || want.Kind == shape.Any && len(want.Enum) == 0:
		return Always
	case got == want:
		return Always
	case got == nil || got.Kind == shape.Any && len(got.Enum) == 0 || depth == 0:
		return Sometimes
	case got.Kind == shape.Null:
		return nullFits(want)
	case got.Nullable:
		return both(nullFits(want), kindFits(got, want, depth))
	case got.Kind == shape.Any: // an enum of several kinds, null perhaps among them
		return both(Sometimes, kindFits(got, want, depth))
	}
	return kindFits(got, want, depth)
}

// nullFits says whether null can be where a type is wanted.
func nullFits(want *shape.Type) Fit {
	switch {
	case want.Nullable || want.Kind == shape.Null:
		return Always
	case want.Kind == shape.Any: // an enum of several kinds, null perhaps among them
		return Sometimes
	}
	return Never
}

// both is the fit of what is one thing or the other.
func both(a, b Fit) Fit {
	if a == b {
		return a
	}
	return Sometimes
}

func sometimesIf(ok bool) Fit {
	if ok {
		return Sometimes
	}
	return Never
}

func kindFits(got, want *shape.Type, depth int) Fit {
	g, w := dataKind(got.Kind), dataKind(want.Kind)
	if len(want.Enum) > 0 {
		return enumFits(got, want, g, w)
	}
	switch {
	case g == shape.Int && w == shape.Number:
		return Always
	case g == shape.Number && w == shape.Int:
		return Sometimes
	case g != w:
		return Never
	case g == shape.List:
		return listFits(got, want, depth)
	case g == shape.Object:
		return objectFits(got, want, depth)
	}
	return Always
}

// dataKind is a kind as data has it: instants and durations are text.
func dataKind(k shape.Kind) shape.Kind {
	if k == shape.Time || k == shape.Duration {
		return shape.String
	}
	return k
}

func enumFits(got, want *shape.Type, g, w shape.Kind) Fit {
	if len(got.Enum) == 0 {
		return sometimesIf(w == shape.Any || g == w || g == shape.Number && w == shape.Int || g == shape.Int && w == shape.Number)
	}
	n := 0
	for _, v := range got.Enum {
		if slices.ContainsFunc(want.Enum, func(w any) bool { return reflect.DeepEqual(w, v) }) {
			n++
		}
	}
	switch n {
	case 0:
		return Never
	case len(got.Enum):
		return Always
	}
	return Sometimes
}

// listFits never says Never for the items: a list may be empty, but one whose items
// cannot fit is a mistake all the same.
func listFits(got, want *shape.Type, depth int) Fit {
	if want.Elem == nil {
		return Always
	}
	if got.Elem == nil {
		return Sometimes
	}
	return fits(got.Elem, want.Elem, depth-1)
}

func objectFits(got, want *shape.Type, depth int) Fit {
	fit := Always
	for name, w := range want.Fields {
		g := got.Fields[name]
		if g == nil {
			fit = min(fit, Sometimes) // it may be optional, or come with an open type
			continue
		}
		if fit = min(fit, fits(g, w, depth-1)); fit == Never {
			return Never
		}
	}
	if got.Open || !want.Open {
		return min(fit, Sometimes)
	}
	return fit
}

// Misfit ends a sentence that says what is wanted: "this is a text", or, when the kind is
// right, "its property \"days\" is a text, not a whole number".
func Misfit(got, want *shape.Type) string { return misfit("this", got, want, maxFit) }

func misfit(what string, got, want *shape.Type, depth int) string {
	if got != nil && want != nil && got.Kind == want.Kind && depth > 0 {
		switch {
		case got.Kind == shape.List && Fits(got.Elem, want.Elem) == Never:
			return misfit("an item of "+what, got.Elem, want.Elem, depth-1)
		case got.Kind == shape.Object:
			for _, name := range slices.Sorted(maps.Keys(want.Fields)) {
				if g := got.Fields[name]; g != nil && Fits(g, want.Fields[name]) == Never {
					return misfit(fmt.Sprintf("property %q of %s", name, what), g, want.Fields[name], depth-1)
				}
			}
		}
	}
	if what == "this" {
		return "this is " + Describe(got)
	}
	return what + " is " + Describe(got) + ", not " + Describe(want)
}

var kindWords = [...]string{
	shape.Any: "any value", shape.Null: "null", shape.Bool: "a boolean", shape.Int: "a whole number",
	shape.Number: "a number", shape.String: "a text", shape.List: "a list", shape.Object: "an object",
	shape.Time: "an instant", shape.Duration: "a duration",
}

// Describe names a type in a sentence: "a text", "a list of objects", "one of a, b".
func Describe(t *shape.Type) string {
	if t == nil {
		return kindWords[shape.Any]
	}
	words := describe(t)
	if t.Nullable && t.Kind != shape.Null {
		return words + " or null"
	}
	return words
}

func describe(t *shape.Type) string {
	switch {
	case len(t.Enum) == 1:
		return valueWord(t.Enum[0])
	case len(t.Enum) > 1 && len(t.Enum) <= 6:
		words := make([]string, len(t.Enum))
		for i, v := range t.Enum {
			words[i] = strings.TrimPrefix(valueWord(v), "the text ")
		}
		return "one of " + strings.Join(words, ", ")
	case t.Kind == shape.List && t.Elem != nil && t.Elem.Kind != shape.Any:
		_, noun, _ := strings.Cut(kindWords[t.Elem.Kind], " ")
		return "a list of " + noun + "s"
	}
	return kindWords[t.Kind]
}

// valueWord writes a value that a type lists.
func valueWord(v any) string {
	if s, ok := v.(string); ok {
		return "the text " + strconv.Quote(s)
	}
	return fmt.Sprint(v)
}
