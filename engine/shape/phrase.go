package shape

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// words says in plain words what one keyword found.
func words(found jsonschema.ErrorKind) string {
	switch k := found.(type) {
	case *kind.Type:
		return fmt.Sprintf("must be %s, not %s", kindList(k.Want), withArticle(k.Got))
	case *kind.Enum:
		return fmt.Sprintf("must be one of %s, not %s", valueList(k.Want), show(k.Got))
	case *kind.Const:
		return fmt.Sprintf("must be %s, not %s", show(k.Want), show(k.Got))
	case *kind.Format:
		return fmt.Sprintf("%s is not a valid %s", show(k.Got), k.Want)
	case *kind.Pattern:
		return fmt.Sprintf("%s does not match the pattern %s", show(k.Got), clip(k.Want, 80))
	case *kind.Not:
		return "is excluded by the schema"
	case *kind.FalseSchema:
		return "is not allowed"
	case *kind.UniqueItems:
		return fmt.Sprintf("has the same item at %d and %d", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains, *kind.MinContains:
		return "has too few items of the kind that it must contain"
	case *kind.MaxContains:
		return "has too many items of the kind that it may contain"
	case *kind.InvalidJsonValue:
		return "is not plain data"
	}
	return limits(found)
}

func limits(found jsonschema.ErrorKind) string {
	switch k := found.(type) {
	case *kind.MinProperties:
		return fmt.Sprintf("has %d properties and needs at least %d", k.Got, k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("has %d properties and may have at most %d", k.Got, k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("has %d items and needs at least %d", k.Got, k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("has %d items and may have at most %d", k.Got, k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("has %d characters and needs at least %d", k.Got, k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("has %d characters and may have at most %d", k.Got, k.Want)
	case *kind.Minimum:
		return fmt.Sprintf("must be at least %s, not %s", rat(k.Want), rat(k.Got))
	case *kind.Maximum:
		return fmt.Sprintf("must be at most %s, not %s", rat(k.Want), rat(k.Got))
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("must be greater than %s, not %s", rat(k.Want), rat(k.Got))
	case *kind.ExclusiveMaximum:
		return fmt.Sprintf("must be less than %s, not %s", rat(k.Want), rat(k.Got))
	case *kind.MultipleOf:
		return fmt.Sprintf("must be a multiple of %s, not %s", rat(k.Want), rat(k.Got))
	}
	return "does not fit the keyword " + strings.Join(found.KeywordPath(), "/")
}

func rat(r *big.Rat) string {
	if r == nil {
		return "it"
	}
	f, _ := r.Float64()
	return show(f)
}

// kindList names the wanted kinds: a string, an integer or null.
func kindList(want []string) string {
	var out []string
	for _, w := range typeWords {
		if slices.Contains(want, w) {
			out = append(out, withArticle(w))
		}
	}
	if len(out) < 2 {
		return strings.Join(out, "")
	}
	return strings.Join(out[:len(out)-1], ", ") + " or " + out[len(out)-1]
}

func withArticle(kindWord string) string {
	switch kindWord {
	case "null":
		return kindWord
	case "integer", "array", "object":
		return "an " + kindWord
	}
	return "a " + kindWord
}

func valueList(values []any) string {
	const most = 10
	var out []string
	for i, v := range values {
		if i == most {
			out = append(out, fmt.Sprintf("… (%d in all)", len(values)))
			break
		}
		out = append(out, show(v))
	}
	return strings.Join(out, ", ")
}
