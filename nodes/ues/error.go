package ues

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Error is what the server refused: any answer that is not 2xx.
type Error struct {
	Method, Path string
	Status       int          // of HTTP
	Detail       string       // why, for people
	Fields       []FieldError // what is wrong with the request, with status 422
	Type         string       // the server's word for it, "" when it has none
	Body         []byte       // the answer, at most 64 KiB of it
}

// FieldError is one thing that is wrong with a request.
type FieldError struct {
	Type string `json:"type"`
	Loc  []any  `json:"loc"` // "body", then names and indexes
	Msg  string `json:"msg"`
}

// Where is the place in the request: body.to_addresses.0.
func (f FieldError) Where() string {
	parts := make([]string, len(f.Loc))
	for i, p := range f.Loc {
		if n, ok := p.(float64); ok {
			p = strconv.Itoa(int(n))
		}
		parts[i] = fmt.Sprint(p)
	}
	return strings.Join(parts, ".")
}

// Error says what was refused and why.
func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: status %d: %s", e.Method, e.Path, e.Status, e.Detail)
}

// StatusOf returns the status with which the server refused a call, 0 when err is
// something else.
func StatusOf(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status
	}
	return 0
}

// LostError is a call that got no answer.
type LostError struct {
	Method, Path string
	Left         bool // the request went out: the server may have acted on it
	Err          error
}

// Error says what was lost and why.
func (e *LostError) Error() string {
	return fmt.Sprintf("%s %s: no answer: %s", e.Method, e.Path, e.Err)
}

// Unwrap returns what the network said.
func (e *LostError) Unwrap() error { return e.Err }

// AnswerError is an answer that cannot be understood.
type AnswerError struct {
	Method, Path string
	Err          error
}

// Error says whose answer is meant and what is wrong with it.
func (e *AnswerError) Error() string {
	return fmt.Sprintf("%s %s: the answer is not understood: %s", e.Method, e.Path, e.Err)
}

// Unwrap returns what is wrong with it.
func (e *AnswerError) Unwrap() error { return e.Err }

// plain is a network error without the address, which the message has already.
func plain(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// refused reads an error's answer. Its detail is a text, a list of {loc, msg}, or an
// object with a message; without one its error is taken, else the status.
func refused(r request, res *http.Response) *Error {
	e := &Error{Method: r.method, Path: r.path, Status: res.StatusCode}
	e.Body, _ = io.ReadAll(io.LimitReader(res.Body, maxError)) // what came counts
	var body struct {
		Detail json.RawMessage `json:"detail"`
		Error  string          `json:"error"`
		Type   string          `json:"type"`
	}
	if json.Unmarshal(e.Body, &body) == nil {
		e.Type = body.Type
		e.Detail = e.detail(body.Detail)
	}
	if e.Detail == "" {
		e.Detail = body.Error
	}
	if e.Detail == "" {
		e.Detail = strings.TrimSpace(http.StatusText(res.StatusCode))
	}
	e.Detail = clip(e.Detail)
	return e
}

// maxDetail bounds the text of an error.
const maxDetail = 2000

func clip(text string) string {
	if len(text) <= maxDetail {
		return text
	}
	return strings.ToValidUTF8(text[:maxDetail], "") + "…"
}

func (e *Error) detail(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	if json.Unmarshal(raw, &e.Fields) == nil {
		parts := make([]string, len(e.Fields))
		for i, f := range e.Fields {
			parts[i] = f.Where() + ": " + f.Msg
		}
		return strings.Join(parts, "; ")
	}
	e.Fields = nil
	var object struct {
		Message string `json:"message"`
		Detail  string `json:"detail"`
	}
	if json.Unmarshal(raw, &object) != nil {
		return ""
	}
	if object.Message != "" {
		return object.Message
	}
	return object.Detail
}
