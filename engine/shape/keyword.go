package shape

// form is what a keyword's value must be.
type form = uint8

const (
	anyData form = iota + 1
	aSchema
	schemaList
	schemaMap
	patternMap
	count
	number
	positive
	text
	pattern
	formatName
	reference
	flag
	values
	list
	names
	namesMap
	typeNames
	dialect
)

// keywords is the vocabulary: JSON Schema 2020-12 without what identifies and loads
// schemas, and the annotations of ours.
var keywords = map[string]form{
	"$ref": reference, "$schema": dialect, "$comment": text,
	"type": typeNames, "enum": values, "const": anyData,
	"title": text, "description": text, "default": anyData, "examples": list,
	"deprecated": flag, "readOnly": flag, "writeOnly": flag,
	"properties": schemaMap, "patternProperties": patternMap, "additionalProperties": aSchema,
	"unevaluatedProperties": aSchema, "propertyNames": aSchema, "required": names,
	"dependentRequired": namesMap, "dependentSchemas": schemaMap,
	"minProperties": count, "maxProperties": count,
	"items": aSchema, "prefixItems": schemaList, "unevaluatedItems": aSchema, "contains": aSchema,
	"minContains": count, "maxContains": count, "minItems": count, "maxItems": count, "uniqueItems": flag,
	"minLength": count, "maxLength": count, "pattern": pattern, "format": formatName,
	"contentEncoding": text, "contentMediaType": text, "contentSchema": aSchema,
	"minimum": number, "maximum": number, "exclusiveMinimum": number, "exclusiveMaximum": number, "multipleOf": positive,
	"allOf": schemaList, "anyOf": schemaList, "oneOf": schemaList, "not": aSchema,
	"if": aSchema, "then": aSchema, "else": aSchema,
	"untrusted": flag, "reduce": text,
}

// annotations restrict nothing.
var annotations = map[string]bool{
	"$schema": true, "$comment": true, "title": true, "description": true, "default": true, "examples": true,
	"deprecated": true, "readOnly": true, "writeOnly": true, "untrusted": true, "reduce": true,
}

// doubled are the keywords whose schemas look at a value that others look at too.
var doubled = map[string]bool{
	"not": true, "if": true, "then": true, "else": true,
	"contains": true, "unevaluatedProperties": true, "unevaluatedItems": true,
}

// private are the annotations that only Weft knows.
var private = map[string]bool{"untrusted": true, "reduce": true, "$schema": true}

// elsewhere says what to do instead of keywords that exist, but not here.
var elsewhere = map[string]string{
	"$defs":            "Move the schemas to the spec's `types` and refer to them as {$ref: \"#/types/Name\"}.",
	"definitions":      "Move the schemas to the spec's `types` and refer to them as {$ref: \"#/types/Name\"}.",
	"$id":              "Leave it out: schemas of a spec are referred to as {$ref: \"#/types/Name\"}.",
	"id":               "Leave it out: schemas of a spec are referred to as {$ref: \"#/types/Name\"}.",
	"$anchor":          "Leave it out: schemas of a spec are referred to as {$ref: \"#/types/Name\"}.",
	"$dynamicAnchor":   "Leave it out: schemas of a spec are referred to as {$ref: \"#/types/Name\"}.",
	"$dynamicRef":      "Use {$ref: \"#/types/Name\"}.",
	"nullable":         "Write type: [string, \"null\"] (with the type you mean).",
	"optional":         "List the properties that must be there in `required`; the others are optional.",
	"example":          "Write examples: [ … ].",
	"dependencies":     "Use `dependentRequired` or `dependentSchemas`.",
	"additionalItems":  "Use `prefixItems` for the first items and `items` for the rest.",
	"values":           "Use `enum` for the allowed values.",
	"additionalFields": "Use `additionalProperties`.",
	"fields":           "Use `properties`.",
	"min":              "Use `minimum`, `minLength` or `minItems`.",
	"max":              "Use `maximum`, `maxLength` or `maxItems`.",
}

// pairs are limits that must not cross.
var pairs = [][2]string{
	{"minimum", "maximum"},
	{"exclusiveMinimum", "exclusiveMaximum"},
	{"minLength", "maxLength"},
	{"minItems", "maxItems"},
	{"minContains", "maxContains"},
	{"minProperties", "maxProperties"},
}

// formats are those that are asserted.
var formats = []string{
	"date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference", "iri",
	"iri-reference", "uri-template", "uuid", "json-pointer", "relative-json-pointer", "regex", "period", "semver",
}
