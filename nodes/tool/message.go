package tool

import (
	"errors"
	"fmt"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/nodes/internal/completion"
	"github.com/weft-engine/weft/nodes/internal/conversation"
)

// What a tool message holds at most, and what it quotes of arguments and errors.
const (
	resultLimit = 64 << 10
	argsLimit   = 4 << 10
	errorLimit  = 4 << 10
	quoteLimit  = 400
)

// succeed is the outcome of a call that was carried out.
func succeed(o *outcome, result any) *outcome {
	o.status, o.result = statusOK, result
	text := "Done."
	if result != nil {
		text = conversation.Cut(conversation.Compact(result), resultLimit)
	}
	o.reply = text
	if o.made == nil {
		return o
	}
	// The model keeps its own call in the conversation: without this line it would
	// take the call for what happened, and make it again.
	switch o.made.Answer.Response {
	case engine.Edit:
		o.reply = fmt.Sprintf("The user changed the arguments; %s was called with: %s\n\n%s",
			o.call.Name, conversation.Cut(conversation.Compact(o.args), argsLimit), text)
	case engine.Respond:
		o.reply = fmt.Sprintf("%s\n\nThe user said: %s", text, o.made.Answer.Text)
	case engine.Accept, engine.Ignore:
	}
	return o
}

// fail is the outcome of a call that was tried.
func fail(o *outcome, f *engine.Failure) *outcome {
	o.status, o.failure = statusFailed, f
	o.problem = conversation.Cut(f.Message, errorLimit)
	o.reply = fmt.Sprintf("%s failed: %s", o.call.Name, o.problem)
	switch f.Class {
	case engine.Uncertain:
		o.reply += "\nIt is not known whether it took effect. Do not call it again for this."
	case engine.Transient, engine.Timeout:
		o.reply += "\nThis may pass; it did not within the tries it was given."
	case engine.Permanent, engine.Limit:
	}
	return o
}

func asFailure(err error) *engine.Failure {
	if f, ok := errors.AsType[*engine.Failure](err); ok {
		return f
	}
	return &engine.Failure{Class: engine.Permanent, Message: err.Error()}
}

// refusal is what a model reads of a call that a human did not let run.
func refusal(o *outcome) string {
	if o.made.Answer.Response == engine.Respond {
		return fmt.Sprintf("%s was not called. The user said: %s", o.call.Name, o.made.Answer.Text)
	}
	return fmt.Sprintf("%s was not called: the user does not want it. Do not call it again for this.", o.call.Name)
}

// misfit is the outcome of a call whose arguments do not fit.
func misfit(call chat.ToolCall, problems []shape.Problem) *outcome {
	list := completion.Problems(problems)
	return &outcome{
		status: statusInvalid, call: call, args: call.Args, problem: list,
		reply: fmt.Sprintf("%s was not called, because its arguments do not fit:\n%s\nCall it again with arguments that fit its parameters.", call.Name, list),
	}
}

// garbled is the outcome of a call whose arguments are no JSON object.
func garbled(call chat.ToolCall) *outcome {
	problem := fmt.Sprintf("its arguments are not a JSON object: %s", conversation.Cut(call.Invalid, quoteLimit))
	return &outcome{
		status: statusInvalid, call: call, args: call.Args, problem: problem,
		reply: fmt.Sprintf("%s was not called: %s\nCall it again with one JSON object.", call.Name, problem),
	}
}

// unknown is the outcome of a call of a tool that there is not.
func unknown(call chat.ToolCall, names []string) *outcome {
	name := conversation.Cut(call.Name, quoteLimit)
	problem := fmt.Sprintf("there is no tool %q", name)
	reply := fmt.Sprintf("Nothing was called: %s.", problem)
	if near := diag.Nearest(call.Name, names); near != "" {
		reply += fmt.Sprintf(" Did you mean %q?", near)
	}
	if len(names) > 0 {
		reply += " The tools are: " + strings.Join(names, ", ") + "."
	}
	return &outcome{status: statusInvalid, call: call, args: call.Args, problem: problem, reply: reply}
}

// notRun is the outcome of a call that comes after one at which the batch ended.
func notRun(call chat.ToolCall, why string) *outcome {
	return &outcome{status: statusNotRun, call: call, args: call.Args, problem: why, reply: "Not run: " + why + "."}
}
