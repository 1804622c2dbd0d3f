package shape

import "github.com/weft-engine/weft/engine/diag"

var (
	invalid = diag.Rule{
		Code: "shape/invalid", Severity: diag.Error, Summary: "A schema is not valid JSON Schema.",
		Explain: "Shapes are JSON Schema 2020-12. The value of this keyword is not what the keyword takes, or it can never hold.\n\n" +
			"Wrong:\n\n```yaml\nproperties:\n  age: {type: strng, minimum: 10, maximum: 1}\n```\n\n" +
			"Right:\n\n```yaml\nproperties:\n  age: {type: integer, minimum: 1, maximum: 10}\n```\n",
	}
	unknownKeyword = diag.Rule{
		Code: "shape/unknown-keyword", Severity: diag.Error, Summary: "A schema has a keyword that does not exist.",
		Explain: "JSON Schema ignores keywords it does not know, so a misspelt one would silently check nothing. Weft refuses it.\n\n" +
			"Wrong:\n\n```yaml\ntypes:\n  Email: {type: object, reqired: [id], properties: {id: {type: string}}}\n```\n\n" +
			"Right:\n\n```yaml\ntypes:\n  Email: {type: object, required: [id], properties: {id: {type: string}}}\n```\n",
	}
	unknownType = diag.Rule{
		Code: "shape/unknown-type", Severity: diag.Error, Summary: "A schema refers to a type that the spec does not define.",
		Explain: "`{$ref: \"#/types/Name\"}` needs an entry `Name` in the spec's `types`. `Message` and `ToolCall` are built in.\n\n" +
			"Wrong:\n\n```yaml\nstate:\n  email: {$ref: \"#/types/Emial\"}\n```\n\n" +
			"Right:\n\n```yaml\nstate:\n  email: {$ref: \"#/types/Email\"}\n```\n",
	}
	badRef = diag.Rule{
		Code: "shape/bad-ref", Severity: diag.Error, Summary: "A schema refers to something other than a type of the spec, or to itself without end.",
		Explain: "References go to the spec's `types` only: no files, no network, no parts of other schemas. " +
			"A type may contain itself (a tree), but it may not be itself.\n\n" +
			"Wrong:\n\n```yaml\nstate:\n  email: {$ref: \"https://example.com/email.json\"}\n```\n\n" +
			"Right:\n\n```yaml\ntypes:\n  Email: {type: object, properties: {id: {type: string}}}\ngraphs:\n  g:\n    state:\n      email: {$ref: \"#/types/Email\"}\n```\n",
	}
	reservedType = diag.Rule{
		Code: "shape/reserved-type", Severity: diag.Error, Summary: "A type has the name of a built-in one.",
		Explain: "`Message` and `ToolCall` are built in and mean the same in every spec.\n\n" +
			"Wrong:\n\n```yaml\ntypes:\n  Message: {type: object}\n```\n\n" +
			"Right:\n\n```yaml\ntypes:\n  ChatLine: {type: object}\n```\n",
	}
	requiredUndeclared = diag.Rule{
		Code: "shape/required-undeclared", Severity: diag.Error, Summary: "A required property can never be there.",
		Explain: "`additionalProperties: false` allows the declared properties only, so a required one that is not declared makes every value wrong.\n\n" +
			"Wrong:\n\n```yaml\n{type: object, additionalProperties: false, required: [tilte], properties: {title: {type: string}}}\n```\n\n" +
			"Right:\n\n```yaml\n{type: object, additionalProperties: false, required: [title], properties: {title: {type: string}}}\n```\n",
	}
	unknownFormat = diag.Rule{
		Code: "shape/unknown-format", Severity: diag.Warning, Summary: "A format is not known and is not checked.",
		Explain: "Texts are checked against the formats that JSON Schema defines (date-time, date, time, duration, email, uri, uuid, …). " +
			"Another one is passed on to models but checks nothing.\n\n" +
			"Wrong:\n\n```yaml\n{type: string, format: datetime}\n```\n\nRight:\n\n```yaml\n{type: string, format: date-time}\n```\n",
	}
	badDefault = diag.Rule{
		Code: "shape/bad-default", Severity: diag.Error, Summary: "A default does not fit its own schema.",
		Explain: "Missing properties take their default, so the default must fit, and it must end: the default of a recursive type may not contain itself.\n\n" +
			"Wrong:\n\n```yaml\ndays: {type: integer, default: many}\n```\n\nRight:\n\n```yaml\ndays: {type: integer, default: 3}\n```\n",
	}
	tooComplex = diag.Rule{
		Code: "shape/too-complex", Severity: diag.Error, Summary: "A schema is nested too deep or multiplies without bound.",
		Explain: "Schemas may be nested 100 deep, and one value may be looked at by 10,000 subschemas. " +
			"Types that use each other twice in allOf, anyOf or oneOf, level upon level, double the work with each level.\n\n" +
			"Wrong:\n\n```yaml\nA: {allOf: [{$ref: \"#/types/B\"}, {$ref: \"#/types/B\"}]}\nB: {allOf: [{$ref: \"#/types/C\"}, {$ref: \"#/types/C\"}]}\n# … and so on\n```\n\n" +
			"Right:\n\n```yaml\nA: {$ref: \"#/types/B\"}\n```\n",
	}
)

// Rules returns the findings of this package.
func Rules() []diag.Rule {
	return []diag.Rule{
		invalid, unknownKeyword, unknownType, badRef, reservedType,
		requiredUndeclared, unknownFormat, badDefault, tooComplex,
	}
}
