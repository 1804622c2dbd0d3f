package display

import "strings"

// slotName is a slot type without what tells nothing: FreeTextSlot and free_text are freetext.
func slotName(s string) string {
	s = strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
	if short := strings.TrimSuffix(s, "slot"); short != "" {
		return short
	}
	return s
}

// form makes the fields that a human fills in. An object gives one for each of its
// entries: a value, or a slot that tells its type, label, options and bounds. Its fields
// or slots may also be a list or an object of their own. Anything else is a choice.
func (v *view) form() map[string]any {
	fields := []any{}
	switch v.shape {
	case shapeObject:
		fields = v.slots()
	case shapeText:
		fields = append(fields, v.field("value", map[string]any{"label": v.sentence(), "type": "text"}))
	default:
		fields = append(fields, v.choice())
	}
	return map[string]any{"fields": fields, "submit": textOf(v.labels["submit"])}
}

// slots returns the fields of a form from an object.
func (v *view) slots() []any {
	source := any(v.object)
	for _, name := range []string{"fields", "slots"} {
		if inner := v.object[name]; isGroup(inner) {
			source = inner
			break
		}
	}
	out := []any{}
	listed, ok := source.([]any)
	if !ok {
		object, _ := source.(map[string]any)
		names, _ := v.columns([]any{object}, len(object))
		for _, name := range names {
			listed = append(listed, map[string]any{"name": name, "slot": object[name]})
		}
	}
	for i, item := range listed {
		if i == maxFields {
			v.limit("fields", "shown", v.plainText(maxFields), "total", v.plainText(len(listed)))
			break
		}
		slot, _ := item.(map[string]any)
		if name := textOf(slot["name"]); name != "" {
			out = append(out, v.slot(name, slot, ok))
		}
	}
	return out
}

func isGroup(v any) bool {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if m, ok := item.(map[string]any); !ok || textOf(m["name"]) == "" {
				return false
			}
		}
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return false
}

// slot makes the field of one slot, which may be only a value.
func (v *view) slot(name string, given map[string]any, whole bool) map[string]any {
	if whole {
		return v.field(name, given)
	}
	if slot, ok := given["slot"].(map[string]any); ok && textOf(slot["type"]) != "" {
		return v.field(name, slot)
	}
	return v.field(name, map[string]any{"value": given["slot"]})
}

// field makes one field of a form.
func (v *view) field(name string, slot map[string]any) map[string]any {
	out := map[string]any{
		"name": name, "label": v.label(name), "input": v.input(slot), "value": slot["value"],
		"required": slot["required"] == true || slot["priority"] == "required",
	}
	if text := textOf(slot["label"]); text != "" {
		out["label"] = text
	}
	for _, key := range []string{"options", "choices", "enum"} {
		if options, ok := slot[key].([]any); ok && out["options"] == nil {
			out["options"] = v.options(options)
		}
	}
	for _, key := range []string{"min", "max", "step", "placeholder", "description"} {
		if value := slot[key]; value != nil {
			out[key] = value
		}
	}
	return out
}

// input is what a slot is filled in with.
func (v *view) input(slot map[string]any) string {
	if input := textOf(slot["input"]); input != "" {
		return input
	}
	if input := textOf(v.inputs[slotName(textOf(slot["type"]))]); input != "" {
		return input
	}
	switch value := slot["value"].(type) {
	case bool:
		return "checkbox"
	case int, float64:
		return "number"
	case []any:
		return "list"
	case map[string]any:
		return "key_value"
	case string:
		if strings.Contains(value, "\n") {
			return "textarea"
		}
	}
	return "text"
}

// options makes {value, label} of what may be chosen.
func (v *view) options(given []any) []any {
	if all := len(given); all > v.pageSize {
		given = given[:v.pageSize]
		v.limit("options", "shown", v.plainText(v.pageSize), "total", v.plainText(all))
	}
	out := make([]any, 0, len(given))
	for _, o := range given {
		row, ok := o.(map[string]any)
		if !ok {
			out = append(out, map[string]any{"value": o, "label": v.plainText(o)})
			continue
		}
		value, text := row["value"], v.plainText(row)
		if head := heading(row); head != "" {
			text = textOf(row[head])
		}
		for _, key := range []string{"id", "key"} {
			if value == nil {
				value = row[key]
			}
		}
		if value == nil {
			value = text
		}
		out = append(out, map[string]any{"value": value, "label": text})
	}
	return out
}

// choice is the one field of a form about records: which of them.
func (v *view) choice() map[string]any {
	return map[string]any{
		"name": "choice", "label": textOf(v.labels["choice"]), "input": "select", "value": nil, "required": true,
		"options": v.options(v.items),
	}
}
