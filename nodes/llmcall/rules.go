package llmcall

import (
	"slices"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

var (
	asksNothing = diag.Rule{
		Code: "llm-call/asks-nothing", Severity: diag.Error, Summary: "A model is asked nothing.",
		Explain: "`system` says how to answer, `prompt` and `messages` say what is asked. Providers refuse a request with a system " +
			"text alone.\n\n" +
			"    llm_call: {system: \"Summarise the mail.\"}                          # wrong\n" +
			"    llm_call: {system: \"Summarise the mail.\", prompt: \"{{ body }}\"}   # right\n",
	}
	badChoice = diag.Rule{
		Code: "llm-call/tool-choice", Severity: diag.Error, Summary: "A model must call a tool that it is not told of.",
		Explain: "`tool_choice` is auto (the model decides), required (it must call one), none, or the name of the one tool it must " +
			"call. That tool has to be among `tools`.\n\n" +
			"    llm_call: {prompt: …, tools: [search], tool_choice: send_email}   # wrong\n" +
			"    llm_call: {prompt: …, tools: [search], tool_choice: search}       # right\n",
	}
	responseAndTools = diag.Rule{
		Code: "llm-call/response-and-tools", Severity: diag.Error, Summary: "A model is asked for data and for tool calls at once.",
		Explain: "With `response` the answer is data of that shape, and `output` is the data; with `tools` the answer may be calls, and " +
			"`output.message` holds them. One request cannot be both: let the model call tools in one node, and ask for the data " +
			"in a node after it.\n",
	}
	aimlessHistory = diag.Rule{
		Code: "llm-call/history", Severity: diag.Error, Summary: "A history is cut that is not there.",
		Explain: "`history: 20` sends only the last 20 of `messages`; calls and their results stay together.\n\n" +
			"    llm_call: {prompt: …, history: 20}                                   # wrong: no messages\n" +
			"    llm_call: {messages: \"{{ messages }}\", history: 20}                # right\n",
	}
)

func check(s *build.Scope, v *source.Value) {
	if !v.Has("prompt") && !v.Has("messages") {
		s.Report(asksNothing.At(v.Pos, "the model is asked nothing: there is neither `prompt` nor `messages`").
			WithHint("Add a prompt, or the messages of the conversation."))
	}
	if v.Has("history") && !v.Has("messages") {
		s.Report(aimlessHistory.At(v.KeyPos("history"), "`history` limits `messages`, and there are none").
			WithHint("Add messages, or leave history out."))
	}
	if v.Has("response") && v.Has("tools") {
		s.Report(responseAndTools.At(v.KeyPos("response"), "the model is asked for data (`response`) and for tool calls (`tools`) at once").
			WithHint("Ask for the data in a node of its own, after the one that calls tools."))
	}
	checkChoice(s, v)
}

func checkChoice(s *build.Scope, v *source.Value) {
	choice := v.Get("tool_choice")
	if choice == nil || choice.Text == "auto" || choice.Text == "none" {
		return
	}
	var names []string
	if tools := v.Get("tools"); tools != nil {
		for _, t := range tools.Items {
			names = append(names, t.Text)
		}
	}
	switch {
	case len(names) == 0:
		s.Report(badChoice.At(choice.Pos, "a tool must be called (`tool_choice: %s`), and there are no `tools`", choice.Text).
			WithHint("List the tools that the model may call."))
	case choice.Text != "required" && !slices.Contains(names, choice.Text):
		f := badChoice.At(choice.Pos, "`tool_choice` names %q, which is not among `tools`", choice.Text)
		if near := diag.Nearest(choice.Text, append(names, "required", "auto", "none")); near != "" {
			s.Report(f.WithHint("Did you mean %q?", near))
			return
		}
		s.Report(f.WithHint("Add it to tools, or write auto, required or none."))
	}
}
