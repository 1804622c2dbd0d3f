package spectest

import "github.com/weft-engine/weft/engine/diag"

var (
	unknownKey = diag.Rule{
		Code: "test/unknown-key", Severity: diag.Error, Summary: "A test file has a field that means nothing there.",
		Explain: "Fields that nobody reads would make a test look stricter than it is, so they are errors.\n\n" +
			"    expect: {stauts: done}   # wrong\n" +
			"    expect: {status: done}   # right\n",
	}
	wrongType = diag.Rule{
		Code: "test/type", Severity: diag.Error, Summary: "A value in a test file is of the wrong kind.",
		Explain: "Each field of a test wants text, a list, a map or a truth value.\n\n" +
			"    expect: {path: triage}     # wrong\n" +
			"    expect: {path: [triage]}   # right\n",
	}
	missing = diag.Rule{
		Code: "test/missing", Severity: diag.Error, Summary: "A test, an answer or a call lacks what it cannot be without.",
		Explain: "A test has a `name` and an `expect`; an answer has one of accept, edit, respond, ignore; an expected call has a `tool`.\n",
	}
	duplicate = diag.Rule{
		Code: "test/duplicate-name", Severity: diag.Error, Summary: "Two tests of one file have the same name.",
		Explain: "The name is what a failure is reported under and what `weft test --run` selects.\n",
	}
	unknownName = diag.Rule{
		Code: "test/unknown-name", Severity: diag.Error, Summary: "A test names something that the spec does not have.",
		Explain: "Graphs, profiles, nodes, state fields, tools and memories that a test names must exist in the spec under test.\n\n" +
			"    expect: {path: [triaje]}   # wrong: the node is called triage\n" +
			"    expect: {path: [triage]}   # right\n",
	}
	badFile = diag.Rule{
		Code: "test/file", Severity: diag.Error, Summary: "A file that a test includes cannot be used.",
		Explain: "`{file: PATH}` is relative to the test file and stays inside the spec's directory. `.json`, `.yaml` and `.yml` files are " +
			"read as data, all others as text.\n",
	}
	badScript = diag.Rule{
		Code: "test/script", Severity: diag.Error, Summary: "The script of a model cannot be read.",
		Explain: "A script is a list of answers. Each says which node it is for and what the model answers:\n\n" +
			"    script:\n" +
			"      - {node: triage, reply: {reasoning: …, classification: ignore}}   # data, where the node asks for data\n" +
			"      - {node: agent, call: {name: done, args: {}}}                     # a tool call\n" +
			"      - {node: agent, text: Good morning.}                              # text\n" +
			"      - {node: agent, error: {status: 429, message: busy}}              # a failure\n",
	}
	badValue = diag.Rule{
		Code: "test/value", Severity: diag.Error, Summary: "A value in a test file is not one of those that are possible.",
		Explain: "Instants are RFC 3339 (2026-01-05T09:00:00Z), durations Go style (72h) or ISO 8601 (PT72H); a status is done, failed, " +
			"limited, parked or canceled.\n",
	}
)

// Rules returns the findings of this package.
func Rules() []diag.Rule {
	return []diag.Rule{unknownKey, wrongType, missing, duplicate, unknownName, badFile, badScript, badValue}
}
