package model_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/model"
	"github.com/weft-engine/weft/engine/source"
)

func anyData(depth int) *rapid.Generator[any] {
	scalars := rapid.OneOf(
		rapid.Just(any(nil)), rapid.Bool().AsAny(), rapid.Int().AsAny(), rapid.String().AsAny(),
		rapid.Float64().Filter(func(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }).AsAny(),
	)
	if depth == 0 {
		return scalars
	}
	inner := rapid.Deferred(func() *rapid.Generator[any] { return anyData(depth - 1) })
	return rapid.OneOf(scalars, rapid.SliceOfN(inner, 0, 3).AsAny(), rapid.MapOfN(rapid.String(), inner, 0, 20).AsAny())
}

// Data is written as encoding/json writes it.
func TestEncodesAnyData(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		args := map[string]any{"v": anyData(3).Draw(t, "data")}
		text := rapid.String().Draw(t, "text")
		req := chat.Request{Model: gpt(), Messages: []chat.Message{{Role: "user", Content: text, ToolCalls: []chat.ToolCall{{Args: args}}}}, Tools: []chat.Tool{{Name: "x", Parameters: args}}}
		data, err := model.Encode(req.Model, &req, false)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Messages []struct {
				Content   string
				ToolCalls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
			}
			Tools []struct {
				Function struct{ Parameters json.RawMessage }
			}
		}
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		plain, _ := json.Marshal(args)
		want, _ := source.DecodeJSON(plain)
		for _, text := range []string{string(got.Tools[0].Function.Parameters), got.Messages[0].ToolCalls[0].Function.Arguments} {
			again, err := source.DecodeJSON([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, again); diff != "" {
				t.Fatal(diff)
			}
		}
		if content := got.Messages[0].Content; content != text && content != string([]rune(text)) {
			t.Fatalf("%q became %q", text, content)
		}
	})
}

func TestEncodesOtherData(t *testing.T) {
	t.Parallel()
	req := hello(gpt())
	req.Tools = []chat.Tool{{Name: "x", Parameters: map[string]any{"required": []string{"a"}, "n": int64(3)}}}
	data, err := model.Encode(req.Model, &req, false)
	if err != nil || !json.Valid(data) {
		t.Fatalf("%s %v", data, err)
	}
	req.Tools[0].Parameters["n"] = math.NaN()
	if _, err := provider(nil, nil).Complete(t.Context(), req, nil); failed(t, err).Transient || err.Error() != `model "default" (openai gpt-4.1): encode the request: json: unsupported value: NaN` {
		t.Error(err)
	}
}
