package spec

import "github.com/weft-engine/weft/engine/diag"

// The findings of this package.
var (
	ruleEmpty = diag.Rule{
		Code: "spec/empty", Severity: diag.Error,
		Summary: "The directory holds no spec.",
		Explain: "A spec is a directory with at least one `.yaml`, `.yml`, `.json` or `.cue` file. Names that begin with `_` or `.`, " +
			"folders called `testdata` and files that end in `_test.yaml` do not count.\n\n`weft init DIR` writes a small spec to begin with.",
	}
	ruleRead = diag.Rule{
		Code: "spec/read", Severity: diag.Error,
		Summary: "A file or directory of the spec cannot be read.",
		Explain: "The directory does not exist, is not a directory, or the operating system refuses to read it or a file in it. " +
			"Check the path and its permissions.",
	}
	ruleSyntax = diag.Rule{
		Code: "spec/syntax", Severity: diag.Error,
		Summary: "A file is not well-formed YAML, JSON or CUE.",
		Explain: "The file cannot be understood at all, so nothing else in it was checked. Frequent causes in YAML: a tab in the " +
			"indentation, a quote that is not closed, a text with `: ` or ` #` in it that needs quotes.\n\nWrong:\n\n" +
			"```yaml\ntitle: Re: lunch\n```\n\nRight:\n\n```yaml\ntitle: \"Re: lunch\"\n```",
	}
	ruleDuplicate = diag.Rule{
		Code: "spec/duplicate", Severity: diag.Error,
		Summary: "A map has the same key twice.",
		Explain: "One of the two values would be lost. Delete one, or rename it.",
	}
	ruleConflict = diag.Rule{
		Code: "spec/conflict", Severity: diag.Error,
		Summary: "Two places give one field different values.",
		Explain: "All files of a spec are unified into one value: each field may be written in several files, if they agree. " +
			"The same holds for imports and for the profile that is unified on top. Lists must agree item by item.\n\n" +
			"Take the field out of one of the places. To let profiles differ, take it out of the spec and give it in each profile.",
	}
	ruleUnknownField = diag.Rule{
		Code: "spec/unknown-field", Severity: diag.Error,
		Summary: "A field that the spec language does not have.",
		Explain: "Unknown fields are errors, so that a misspelt one cannot be overlooked. `weft schema` prints all fields there are.\n\n" +
			"Wrong:\n\n```yaml\nllm_call: {mdoel: default}\n```\n\nRight:\n\n```yaml\nllm_call: {model: default}\n```",
	}
	ruleType = diag.Rule{
		Code: "spec/type", Severity: diag.Error,
		Summary: "A value of the wrong kind.",
		Explain: "For example a text where a list is wanted, or a number that YAML reads as text because of its quotes.\n\n" +
			"Wrong:\n\n```yaml\njoin: a\n```\n\nRight:\n\n```yaml\njoin: [a]\n```",
	}
	ruleValue = diag.Rule{
		Code: "spec/value", Severity: diag.Error,
		Summary: "A value that is not allowed here.",
		Explain: "The kind is right, but the value is not one of those listed, not in the range, or not of the form that is wanted.",
	}
	ruleMissing = diag.Rule{
		Code: "spec/missing", Severity: diag.Error,
		Summary: "A required field is not there.",
		Explain: "The finding points at the map that lacks the field.",
	}
	ruleName = diag.Rule{
		Code: "spec/name", Severity: diag.Error,
		Summary: "A name of a form that is not allowed.",
		Explain: "Names of tools, graphs, nodes and so on are used in expressions, so they consist of lower-case letters, digits and `_` " +
			"and begin with a letter. Names of types may have capitals; the name of the spec has `-` instead of `_`.",
	}
	ruleFile = diag.Rule{
		Code: "spec/file", Severity: diag.Error,
		Summary: "A text file that cannot be included.",
		Explain: "`{file: prompts/triage.md}` stands for the content of a file inside the spec, relative to the file that says so. " +
			"It must exist, be UTF-8 text and hold at most 1 MiB.",
	}
	ruleOutside = diag.Rule{
		Code: "spec/outside", Severity: diag.Error,
		Summary: "A path or a symbolic link that leaves the spec.",
		Explain: "A spec reads nothing outside its directory, so that it can be copied, pinned and trusted as a whole. Paths are relative, " +
			"have no `..`, and symbolic links must stay inside. To share files between specs, make them a spec of their own and use `imports`.",
	}
	ruleImport = diag.Rule{
		Code: "spec/import", Severity: diag.Error,
		Summary: "An import that cannot be followed.",
		Explain: "`imports: [../common]` unifies another spec directory into this one. The path is relative to the importing spec's " +
			"directory and must name a directory with spec files. A `.cue` file may import only CUE's own packages that compute; " +
			"modules and packages that touch the machine are refused.",
	}
	ruleImportCycle = diag.Rule{
		Code: "spec/import-cycle", Severity: diag.Error,
		Summary: "Specs import each other in a circle.",
		Explain: "Move what both need into a third spec that both import.",
	}
	ruleProfile = diag.Rule{
		Code: "spec/profile", Severity: diag.Error,
		Summary: "A profile that the spec does not have.",
		Explain: "`--profile` and `default_profile` name an entry of `profiles`.",
	}
	ruleTooLarge = diag.Rule{
		Code: "spec/too-large", Severity: diag.Error,
		Summary: "A spec beyond the limits.",
		Explain: "A file holds at most 4 MiB (256 KiB for `.cue`), a spec 16 MiB, 2000 files, 500,000 values and 100 levels; YAML aliases may " +
			"repeat 50,000 values. The limits keep a hostile or broken file from using up the machine. " +
			"`.cue` files are programs: what they may compute is estimated before they run, and refused when it is far too much.",
	}
	ruleEncoding = diag.Rule{
		Code: "spec/encoding", Severity: diag.Error,
		Summary: "A file that is not UTF-8 text.",
		Explain: "Spec files and the texts they include are UTF-8 without NUL bytes. Save the file as UTF-8.",
	}
	ruleSecretLiteral = diag.Rule{
		Code: "secret/literal", Severity: diag.Error,
		Summary: "A secret is written into the spec.",
		Explain: "Specs are shared, stored with runs and shown; a secret in one is lost. Write where it is kept instead.\n\n" +
			"Wrong:\n\n```yaml\napi_key: sk-123\n```\n\nRight:\n\n```yaml\napi_key: {env: OPENAI_API_KEY}\n```",
	}
	ruleSecretMisplaced = diag.Rule{
		Code: "secret/misplaced", Severity: diag.Error,
		Summary: "A secret where none is allowed.",
		Explain: "`{env: NAME}` stands for a secret, and secrets may go only where they are resolved at the moment of use and never stored: " +
			"`api_key`, `headers` and `env`. Anywhere else the secret would end up in prompts, journals or logs.",
	}
)

// Rules returns the findings of this package, for `weft explain`.
func Rules() []diag.Rule {
	return []diag.Rule{
		ruleEmpty, ruleRead, ruleSyntax, ruleDuplicate, ruleConflict, ruleUnknownField, ruleType, ruleValue, ruleMissing,
		ruleName, ruleFile, ruleOutside, ruleImport, ruleImportCycle, ruleProfile, ruleTooLarge, ruleEncoding,
		ruleSecretLiteral, ruleSecretMisplaced,
	}
}
