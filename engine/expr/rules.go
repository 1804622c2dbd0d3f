package expr

import "github.com/weft-engine/weft/engine/diag"

var (
	ruleSyntax = diag.Rule{
		Code: "expr/syntax", Severity: diag.Error,
		Summary: "an expression cannot be read",
		Explain: "Expressions are written in the expr language: `a == b`, `len(xs) > 0`, `a and not b`,\n" +
			"`any(calls, .name == \"done\")`. Texts stand in quotes.\n\n" +
			"Wrong:\n\n```yaml\nwhen: classification = respond\n```\n\n" +
			"Right:\n\n```yaml\nwhen: classification == \"respond\"\n```\n",
	}
	ruleUnknownName = diag.Rule{
		Code: "expr/unknown-name", Severity: diag.Error,
		Summary: "an expression names something that is not in scope",
		Explain: "An expression sees the fields of the state by name, `input`, `memory`, `run`, and what the place\n" +
			"adds: `output` in `set` and `next`, the item under `for_each`, the parameters of a template.\n\n" +
			"Wrong:\n\n```yaml\nwhen: classfication == \"respond\"\n```\n\n" +
			"Right:\n\n```yaml\nwhen: classification == \"respond\"\n```\n",
	}
	ruleUnknownField = diag.Rule{
		Code: "expr/unknown-field", Severity: diag.Error,
		Summary: "an expression names a field that its object does not have",
		Explain: "The declared type of the object has no such field and is closed (`additionalProperties: false`), so\n" +
			"the field would always be null. Correct the name, or add the field to the type.\n\n" +
			"Wrong:\n\n```yaml\nprompt: \"{{ email.boddy }}\"\n```\n\n" +
			"Right:\n\n```yaml\nprompt: \"{{ email.body }}\"\n```\n",
	}
	ruleType = diag.Rule{
		Code: "expr/type", Severity: diag.Error,
		Summary: "an operator or function is used on a value of the wrong type",
		Explain: "The declared types are known before anything runs, so what can never work is refused.\n\n" +
			"Wrong:\n\n```yaml\nwhen: email.subject > 3\n```\n\n" +
			"Right:\n\n```yaml\nwhen: len(email.subject) > 3\n```\n",
	}
	ruleNotBoolean = diag.Rule{
		Code: "expr/not-boolean", Severity: diag.Error,
		Summary: "a condition does not give true or false",
		Explain: "The condition of an edge must be a comparison, or a value that is true or false. (In templates\n" +
			"`{% if %}` takes any value.)\n\n" +
			"Wrong:\n\n```yaml\nwhen: messages\n```\n\n" +
			"Right:\n\n```yaml\nwhen: len(messages) > 0\n```\n",
	}
	ruleEnum = diag.Rule{
		Code: "expr/enum", Severity: diag.Error,
		Summary: "a value is compared with one that it can never have",
		Explain: "The type of the value lists what it can be (`enum`), and the other side is none of these, so the\n" +
			"comparison never changes.\n\n" +
			"Wrong, for `classification: {enum: [ignore, notify, respond]}`:\n\n```yaml\nwhen: classification == \"reply\"\n```\n\n" +
			"Right:\n\n```yaml\nwhen: classification == \"respond\"\n```\n",
	}
	ruleTooLarge = diag.Rule{
		Code: "expr/too-large", Severity: diag.Error,
		Summary: "an expression or template is too large",
		Explain: "An expression has at most 64 KiB, 10,000 parts and 200 brackets inside each other; a template\n" +
			"1 MiB, 10,000 tags and 64 blocks inside each other. Split it, or compute parts of it in nodes of their own.\n",
	}
	ruleUnknownFunction = diag.Rule{
		Code: "expr/unknown-function", Severity: diag.Error,
		Summary: "an expression calls a function that there is not",
		Explain: "The functions are those of the expr language that always give the same result for the same\n" +
			"arguments, and some more for messages, texts and times. There is no clock: `run.now` is the time of the step.\n\n" +
			"Wrong:\n\n```yaml\nwhen: now() > deadline\n```\n\n" +
			"Right:\n\n```yaml\nwhen: run.now > date(deadline)\n```\n",
	}
	ruleText = diag.Rule{
		Code: "text/syntax", Severity: diag.Error,
		Summary: "the tags of a template cannot be read",
		Explain: "A template is text with `{{ expression }}`, `{% if expression %} … {% elif expression %} … {% else %} …\n" +
			"{% endif %}`, `{% for x in expression %} … {% endfor %}`, `{% include name %}` (the text of another template) and `{# remarks #}`. Every block is closed by its\n" +
			"own end. `{{ \"{{\" }}` writes literal braces.\n\n" +
			"Wrong:\n\n```yaml\ntext: \"{% if urgent %}Hurry!\"\n```\n\n" +
			"Right:\n\n```yaml\ntext: \"{% if urgent %}Hurry!{% endif %}\"\n```\n",
	}
)

// Rules returns the kinds of findings of this package.
func Rules() []diag.Rule {
	return []diag.Rule{
		ruleSyntax, ruleUnknownName, ruleUnknownField, ruleType, ruleNotBoolean,
		ruleEnum, ruleTooLarge, ruleUnknownFunction, ruleText,
	}
}
