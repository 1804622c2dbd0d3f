package modality

import (
	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Route is one endpoint, declared. The server reads the body as JSON, finds the caller,
// checks the permission and that the body is an object; then it calls Handle under the
// world's lock. Handle checks fields first (answering Invalid), then acts.
type Route struct {
	Method     string // "GET", "POST", …
	Path       string // "/email/send"; a part in braces is a parameter: "/keys/{key_id}"
	Permission string // "email:send"; empty: no key needed
	Summary    string // one line for the OpenAPI document
	Body       BodyRule
	Query      []Param // for the OpenAPI document; Handle reads and checks them

	// Outside means that Handle and its Response's Write run without the world's lock:
	// for endpoints that have nothing to do with the world.
	Outside bool

	Handle func(r *Request) Response
}

// BodyRule says what body a route takes.
type BodyRule int

// The rules for bodies.
const (
	NoBody       BodyRule = iota // a body is not looked at
	NeedBody                     // missing, null or no object: 422
	OptionalBody                 // missing or null: Request.Body is nil
)

// Param describes a query parameter.
type Param struct {
	Name string
	Type string // "boolean", "integer", "string"
	Doc  string
}

// Request is what a handler sees of a request.
type Request struct {
	Moment
	Body  *ordered.Map                     // the JSON object, see BodyRule
	Query func(name string) (string, bool) // the last value of a query parameter
	Path  func(name string) string         // a parameter of the path
	Key   string                           // key_id of the caller
	// State is the modality's state, or nil when the environment lacks the modality:
	// answer Absent, or act all the same (the event then fails with a KeyError).
	State State
	// World performs; see Deed.
	World World
}

// World is what a handler can have done.
type World interface {
	// Act makes an event of priority 100 at the present time, stamped with the key,
	// executes it at once and tells how it went. The input must have passed Check.
	Act(modality string, in Input, key string) Outcome
	// Modalities are the names in the environment, in its order.
	Modalities() []string
	// Tell informs listeners (WebSocket, webhooks); data writes a JSON object.
	Tell(kind string, data func(dst []byte) []byte)
}

// Outcome is an event that was executed at once.
type Outcome struct {
	EventID string
	At      field.Time
	Error   string // "ValueError: …" when it failed, else empty
}

// Deed is one action of an action endpoint.
type Deed struct {
	Modality string
	Input    Input
	Done     func() string                           // the message of success, asked after the execution
	Failed   string                                  // "Failed to send email"; the message is this, ": " and the error
	Notice   string                                  // what listeners are told on success, such as "email.sent"; empty: nothing
	Data     func(dst []byte, eventID string) []byte // the notice's data
	Blind    bool                                    // tell of success whatever happened to the event, as the original's calendar does
}

// Response is an answer. Write appends the JSON body; it is called under the world's
// lock, right after Handle, so it may read the state without copying it. A nil Write
// is an empty body.
type Response struct {
	Status      int
	ContentType string // empty: application/json
	Write       func(dst []byte) []byte
}
