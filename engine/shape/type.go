package shape

// Kind is what a value is, as far as expressions care.
type Kind uint8

// The kinds. Any is "not known": everything is allowed and checked when it runs.
const (
	Any Kind = iota
	Null
	Bool
	Int
	Number
	String
	List
	Object
	Time     // time.Time in expressions, RFC 3339 text in data
	Duration // time.Duration in expressions, Go duration text in data
)

// Type is the static type of a value: what expressions are checked against.
// Types are immutable, may be recursive (through $ref), and are compared by pointer.
type Type struct {
	Kind      Kind
	Fields    map[string]*Type // Object: the declared properties
	Open      bool             // Object: other properties are allowed too
	Elem      *Type            // List: of the items; Object: of undeclared properties when Open; nil is Any
	Enum      []any            // the allowed values, when limited
	Nullable  bool             // null is allowed beside Kind
	Untrusted bool             // marked `untrusted: true` in the schema: text from outside
}
