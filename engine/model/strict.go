package model

// strictKeywords are what providers take in a strict schema.
var strictKeywords = map[string]bool{
	"type": true, "properties": true, "required": true, "additionalProperties": true, "items": true, "enum": true,
	"const": true, "anyOf": true, "description": true, "title": true, "$ref": true, "$defs": true,
}

// strict reports whether a schema is of the kind that providers enforce to the
// letter: each object closed, each of its properties required, plain keywords only.
func strict(schema map[string]any) bool {
	return schema["type"] == "object" && strictAt(schema)
}

func strictAt(v any) bool {
	schema, ok := v.(map[string]any)
	if !ok {
		return false
	}
	for keyword := range schema {
		if !strictKeywords[keyword] {
			return false
		}
	}
	if schema["type"] == "object" && !closedObject(schema) {
		return false
	}
	if items, ok := schema["items"]; ok && !strictAt(items) {
		return false
	}
	branches, _ := schema["anyOf"].([]any)
	for _, b := range branches {
		if !strictAt(b) {
			return false
		}
	}
	return strictMembers(schema["properties"]) && strictMembers(schema["$defs"])
}

func strictMembers(v any) bool {
	members, _ := v.(map[string]any)
	for _, m := range members {
		if !strictAt(m) {
			return false
		}
	}
	return true
}

func closedObject(schema map[string]any) bool {
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	return schema["additionalProperties"] == false && len(properties) == len(required)
}
