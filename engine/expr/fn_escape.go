package expr

import "github.com/weft-engine/weft/engine/richtext"

// escapeFunctions keep the values in a text from being read as its markup.
func escapeFunctions() []*function {
	return []*function{
		{
			Function: Function{
				Signature: "escape_values(text string, values list) string",
				Doc:       "Returns the Markdown text with each of the values in it written so that it is shown as it is.",
				Example:   `message_html(escape_values("**Saved** *x*", ["*x*"])) == "<strong>Saved</strong> *x*"`,
			},
			call: escapeValues,
		},
	}
}

func escapeValues(m *machine, a []any) (any, error) {
	s := text(a, 0)
	var values []string
	for _, v := range list(a, 1) {
		if value, ok := v.(string); ok {
			values = append(values, value)
		}
	}
	if err := m.spend(len(values) + len(s)/16); err != nil {
		return nil, err
	}
	out := richtext.EscapeValues(s, values)
	return out, m.grow(len(out))
}
