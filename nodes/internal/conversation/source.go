package conversation

import (
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// Source is messages as a spec writes them: an expression that gives a list, or a list
// of messages and of expressions that give one or several.
type Source struct {
	parts []part
}

type part struct {
	value *expr.Value  // a list of messages, or a message
	role  string       // with text
	text  *engine.Text // the content of a message written in place
}

// BadMessages is found where something else than messages stands.
var BadMessages = diag.Rule{
	Code: "node/messages", Severity: diag.Error, Summary: "Something else stands where messages belong.",
	Explain: "`messages` is a conversation: a list of `#/types/Message`, or an expression that gives one.\n\n" +
		"    messages: \"{{ email.body }}\"     # wrong: a text\n" +
		"    prompt: \"{{ email.body }}\"       # right: a text is a prompt\n" +
		"    messages: \"{{ messages }}\"       # right: a state field of messages\n",
}

// Compile reads messages. Nil when v is nil.
func Compile(s *build.Scope, v *source.Value) *Source {
	if v == nil {
		return nil
	}
	if v.Kind != source.List {
		return &Source{parts: []part{expression(s, v, MessageList(s))}}
	}
	out := &Source{}
	for _, item := range v.Items {
		if content := item.Get("content"); item.Kind == source.Map && content != nil && !item.Has("tool_calls") && !item.Has("tool_call_id") {
			out.parts = append(out.parts, part{role: item.Get("role").Text, text: s.Prompt(content)})
			continue
		}
		out.parts = append(out.parts, expression(s, item, nil))
	}
	return out
}

func expression(s *build.Scope, v *source.Value, want *shape.Type) part {
	x := s.Value(v)
	if got := x.Type(); want != nil && build.Fits(got, want) == build.Never {
		s.Report(BadMessages.At(v.Pos, "messages are a list, and this is %s", build.Describe(got)).
			WithHint("Pass a list of #/types/Message, or use `prompt` for a text."))
	}
	return part{value: x}
}

// Messages returns the messages in a scope.
func (s *Source) Messages(scope map[string]any) ([]chat.Message, error) {
	if s == nil {
		return nil, nil
	}
	if len(s.parts) == 1 && s.parts[0].value != nil {
		v, err := s.parts[0].eval(scope)
		if err != nil {
			return nil, err
		}
		if _, one := v.(map[string]any); !one {
			return Parse(v)
		}
	}
	var out []chat.Message
	for i := range s.parts {
		more, err := s.parts[i].messages(scope)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
		out = append(out, more...)
	}
	return out, nil
}

func (p *part) eval(scope map[string]any) (any, error) {
	v, err := p.value.Eval(scope)
	if err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	return engine.Plain(v)
}

func (p *part) messages(scope map[string]any) ([]chat.Message, error) {
	if p.value == nil {
		text, err := p.text.Render(scope)
		return []chat.Message{{Role: p.role, Content: text}}, err
	}
	v, err := p.eval(scope)
	if err != nil {
		return nil, err
	}
	if _, one := v.(map[string]any); one {
		v = []any{v}
	}
	return Parse(v)
}

// MessageType returns the type of a message.
func MessageType(s *build.Scope) *shape.Type { return s.Shape(reference("Message")).Type() }

// MessageList returns the type of a list of messages.
func MessageList(s *build.Scope) *shape.Type {
	return &shape.Type{Kind: shape.List, Elem: MessageType(s)}
}

// CallList returns the type of a list of tool calls.
func CallList(s *build.Scope) *shape.Type {
	return &shape.Type{Kind: shape.List, Elem: s.Shape(reference("ToolCall")).Type()}
}

// reference is {$ref: "#/types/NAME"}.
func reference(name string) *source.Value {
	return &source.Value{Kind: source.Map, Fields: []source.Field{
		{Key: "$ref", Value: &source.Value{Kind: source.String, Text: "#/types/" + name}},
	}}
}
