package preview

// inputKinds are the inputs that are not a plain line of text, by what the page makes of them.
var inputKinds = map[string]string{
	"textarea": "textarea", "key_value": "textarea", "list": "textarea", "select": "select", "radio": "radio", "checkboxes": "checkboxes",
	"checkbox": "checkbox", "number": "number", "range": "range", "date": "date", "time": "time", "datetime": "datetime-local",
	"email": "email", "url": "url",
}

func (v *block) inputs(fields []any) {
	for _, f := range fields {
		f := objectOf(f)
		in := input{
			Name: textOf(f["name"]), Label: textOf(f["label"]), Kind: inputKinds[textOf(f["input"])], Value: words(f["value"]),
			Min: words(f["min"]), Max: words(f["max"]), Step: words(f["step"]), Hint: textOf(f["placeholder"]), Description: textOf(f["description"]),
			Required: f["required"] == true, Checked: f["value"] == true,
		}
		if in.Kind == "" {
			in.Kind = "text"
		}
		if in.Label == "" {
			in.Label = in.Name
		}
		chosen := map[string]bool{words(f["value"]): true}
		for _, c := range listOf(f["value"]) {
			chosen[words(c)] = true
		}
		for _, o := range listOf(f["options"]) {
			value := words(objectOf(o)["value"])
			in.Options = append(in.Options, option{value, called(o), chosen[value]})
		}
		v.Inputs = append(v.Inputs, in)
	}
}
