package completion

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// maxStarts bounds the places in an answer at which JSON is looked for.
const maxStarts = 64

// errCutOff: the answer ends in the middle of its JSON.
var errCutOff = errors.New("the JSON ends too early: it was cut off")

// errNoJSON: there is none in the answer.
var errNoJSON = errors.New("there is no JSON in the answer")

// Extract finds the JSON value in a model's answer that fits the shape: the answer
// itself, what stands in its first code fence, or a value surrounded by prose. The
// value is coerced. Without one that fits, it returns how the first falls short.
func Extract(answer string, s *shape.Shape) (any, []shape.Problem) {
	var first []shape.Problem
	values, err := candidates(answer)
	for _, v := range values {
		fitted, problems := s.Coerce(v)
		if len(problems) == 0 {
			return fitted, nil
		}
		if first == nil {
			first = problems
		}
	}
	if first == nil {
		first = []shape.Problem{{Message: err.Error()}}
	}
	return nil, first
}

// candidates returns the JSON values in a text, in order; err says why there is none.
func candidates(answer string) ([]any, error) {
	trimmed := strings.TrimSpace(answer)
	for _, whole := range []string{trimmed, fenced(trimmed)} {
		if v, err := source.DecodeJSON([]byte(whole)); err == nil {
			return []any{v}, nil
		}
	}
	var out []any
	for at, starts := 0, 0; starts < maxStarts; starts++ {
		next := strings.IndexAny(trimmed[at:], "{[")
		if next < 0 {
			break
		}
		at += next
		raw, err := firstValue(trimmed[at:])
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return out, errCutOff
		case err != nil:
			at++
			continue
		}
		if v, err := source.DecodeJSON(raw); err == nil {
			out = append(out, v)
		}
		at += len(raw)
	}
	return out, errNoJSON
}

func firstValue(text string) (json.RawMessage, error) {
	var raw json.RawMessage
	err := json.NewDecoder(strings.NewReader(text)).Decode(&raw)
	return bytes.TrimSpace(raw), err
}

// fenced returns the inside of the first code fence.
func fenced(text string) string {
	_, rest, ok := strings.Cut(text, "```")
	if !ok {
		return ""
	}
	_, rest, _ = strings.Cut(rest, "\n")
	inside, _, _ := strings.Cut(rest, "```")
	return strings.TrimSpace(inside)
}
