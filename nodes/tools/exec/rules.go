package exec

import "github.com/weft-engine/weft/engine/diag"

// The findings about exec tools.
var (
	BadCommand = diag.Rule{
		Code: "tool/exec-command", Severity: diag.Error,
		Summary: "The program of an exec tool is not fixed.",
		Explain: "The first element of `command` is the program: text without expressions, so that arguments can never choose " +
			"what runs. There is no shell; what follows are the program's arguments, one each.\n\n" +
			"    command: [\"{{ args.program }}\"]             # wrong\n" +
			"    command: [wc, -l, --, \"{{ args.path }}\"]    # right\n",
	}
	BadDir = diag.Rule{
		Code: "tool/exec-dir", Severity: diag.Error,
		Summary: "The directory of an exec tool is outside of the spec.",
		Explain: "`dir` is relative to the spec's directory and stays inside of it.\n",
	}
)

// Rules returns the findings of this package.
func Rules() []diag.Rule { return []diag.Rule{BadCommand, BadDir} }
