package googlecall

import "github.com/weft-engine/weft/engine/diag"

// The findings about tools of Google's services.
var (
	BadEndpoint = diag.Rule{
		Code: "tool/google-endpoint", Severity: diag.Error,
		Summary: "A Google tool is to reach something that is not Google.",
		Explain: "`endpoint` is for tests and demos with a local Google, on this machine. A login at Google is never sent anywhere else.\n\n" +
			"    gmail: {action: send, endpoint: \"http://127.0.0.1:8080\"}\n",
	}
	BadOption = diag.Rule{
		Code: "tool/google-option", Severity: diag.Error,
		Summary: "A Google tool has an option that its action does not go by.",
		Explain: "Each action has its own options. One that stands at another action would be ignored, and what it was meant to " +
			"prevent would happen.\n\n" +
			"    gmail: {action: fetch, draft_only: true}   # wrong: nothing is sent here\n" +
			"    gmail: {action: send, draft_only: true}    # right\n",
	}
	NoArgument = diag.Rule{
		Code: "tool/google-argument", Severity: diag.Error,
		Summary: "A Google tool does not have an argument that its action needs.",
		Explain: "The arguments of the tool are what the action works with, by name. A tool whose parameters are called something " +
			"else translates them with `input`.\n\n" +
			"    parameters: {type: object, properties: {email_id: {type: string}}}\n" +
			"    gmail: {action: fetch, input: {id: \"{{ args.email_id }}\"}}\n",
	}
	BadAddress = diag.Rule{
		Code: "tool/google-address", Severity: diag.Error,
		Summary: "An option of a Google tool is no mail address.",
		Explain: "`recipients` lists whom mail and invitations may go to, as addresses or as @domains; to others they are refused. " +
			"`from` is an address of the account.\n\n" +
			"    gmail: {action: send, recipients: [\"@company.com\", ana@partner.example]}\n",
	}
)

// Rules returns the findings of this package.
func Rules() []diag.Rule { return []diag.Rule{BadEndpoint, BadOption, NoArgument, BadAddress} }
