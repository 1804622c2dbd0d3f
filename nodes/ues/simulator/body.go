package simulator

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// mostDrained is how much of a body that is too large is read and thrown away.
const mostDrained = 64 << 20

// content is a request's body.
type content struct {
	value any  // the JSON value; nil also when there is none
	alien bool // there is a body that does not claim to be JSON
}

// readBody reads a body of at most MaxBody bytes and its syntax. Large bodies take turns,
// and those of callers without a key are not parsed at all.
func (c *exchange) readBody() (content, *modality.Response) {
	if c.r.ContentLength > MaxBody {
		_, _ = io.CopyN(io.Discard, c.r.Body, mostDrained) // so that clients who send first hear the answer
		return content{}, tooLarge()
	}
	if n := c.r.ContentLength; n > largeBody || n < 0 {
		if !c.s.keys.Opens(c.r.Header.Get(keyHeader)) {
			return content{}, c.authenticate("")
		}
		if !enter(c.r.Context(), c.s.gate.large) {
			return content{}, badBody()
		}
		defer leave(c.s.gate.large)
	}
	text, err := c.readText()
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return content{}, tooLarge()
	case err != nil:
		return content{}, badBody()
	case len(text) == 0:
		return content{}, nil
	case !claimsJSON(c.r.Header.Get("Content-Type")):
		return content{alien: true}, nil
	}
	return parse(text)
}

// readText reads the body's bytes; a length that was told has been checked already.
func (c *exchange) readText() ([]byte, error) {
	n := c.r.ContentLength
	if n < 0 {
		return io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, MaxBody)) //nolint:wrapcheck // only its kind is looked at
	}
	text := make([]byte, n)
	_, err := io.ReadFull(c.r.Body, text)
	return text, err //nolint:wrapcheck // only its kind is looked at
}

func tooLarge() *modality.Response {
	resp := modality.Detail(http.StatusRequestEntityTooLarge, fmt.Sprintf("Request body too large: send at most %d bytes.", MaxBody))
	return &resp
}

func badBody() *modality.Response {
	resp := modality.Detail(http.StatusBadRequest, "There was an error parsing the body")
	return &resp
}

// claimsJSON tells whether a content type is JSON; none at all counts as JSON.
func claimsJSON(contentType string) bool {
	if contentType == "" || contentType == "application/json" {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	return strings.HasPrefix(kind, "application/") && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

func parse(text []byte) (content, *modality.Response) {
	v, err := ordered.Parse(text)
	if err == nil {
		return content{value: v}, nil
	}
	wrong := (*ordered.SyntaxError)(nil)
	if !errors.As(err, &wrong) {
		return content{}, badBody()
	}
	resp := modality.Invalid([]field.Error{{
		Type: "json_invalid", Loc: []any{"body", wrong.At}, Msg: "JSON decode error", Input: &ordered.Map{},
		Ctx: []ordered.Member{{Name: "error", Value: wrong.Msg}},
	}})
	return content{}, &resp
}

// object gives the JSON object that a route takes.
func (b content) object(rule modality.BodyRule) (*ordered.Map, *modality.Response) {
	doc, isObject := b.value.(*ordered.Map)
	var resp modality.Response
	switch {
	case isObject || rule == modality.NoBody:
		return doc, nil
	case b.alien: // the original cannot encode its own error
		resp = modality.Crash("TypeError")
	case b.value != nil:
		resp = modality.Invalid([]field.Error{{
			Type: "model_attributes_type", Loc: []any{"body"}, Input: b.value,
			Msg: "Input should be a valid dictionary or object to extract fields from",
		}})
	case rule == modality.OptionalBody:
		return nil, nil
	default:
		resp = modality.Invalid([]field.Error{{Type: "missing", Loc: []any{"body"}, Msg: "Field required"}})
	}
	return nil, &resp
}
