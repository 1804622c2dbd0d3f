package field_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

func object(t testing.TB, text string) *ordered.Map {
	t.Helper()
	m, err := ordered.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// attempt reads the field "x" of a type and gives what was read, or the errors as JSON.
func attempt[T any](r *field.Reader, read func(r *field.Reader) T) (T, string) {
	x := read(r)
	if errs := r.Errors(); len(errs) > 0 {
		return x, string(field.AppendErrors(nil, errs))
	}
	return x, ""
}

func one[T any](t *testing.T, typ field.Type[T], value string) (T, string) {
	t.Helper()
	return attempt(field.Read(object(t, `{"x":`+value+`}`), "body"), func(r *field.Reader) T { return field.Need(r, "x", typ) })
}

// good and bad check one conversion.
func good[T comparable](t *testing.T, typ field.Type[T], value string, want T) {
	t.Helper()
	if got, errs := one(t, typ, value); got != want || errs != "" {
		t.Errorf("%s: %v %s, want %v", value, got, errs, want)
	}
}

func bad[T any](t *testing.T, typ field.Type[T], value, kind, msg, ctx string) {
	t.Helper()
	_, got := one(t, typ, value)
	want := `[{"type":"` + kind + `","loc":["body","x"],"msg":"` + msg + `","input":` + value
	if ctx != "" {
		want += `,"ctx":` + ctx
	}
	if want += "}]"; got != want {
		t.Errorf("%s:\n got %s\nwant %s", value, got, want)
	}
}

func TestScalars(t *testing.T) {
	t.Parallel()
	good(t, field.String, `"a"`, "a")
	bad(t, field.String, `5`, "string_type", "Input should be a valid string", "")
	bad(t, field.String, `null`, "string_type", "Input should be a valid string", "")

	for _, yes := range []string{`true`, `1`, `1.0`, `"yes"`, `"ON"`, `"t"`, `"1"`, `"True"`, `"y"`} {
		good(t, field.Bool, yes, true)
	}
	for _, no := range []string{`false`, `0`, `"no"`, `"off"`, `"F"`, `"0"`, `"n"`} {
		good(t, field.Bool, no, false)
	}
	for _, x := range []string{`"maybe"`, `2`, `0.5`} {
		bad(t, field.Bool, x, "bool_parsing", "Input should be a valid boolean, unable to interpret input", "")
	}
	bad(t, field.Bool, `[]`, "bool_type", "Input should be a valid boolean", "")

	for text, want := range map[string]int{`5`: 5, `"5"`: 5, `" -5 "`: -5, `"+5"`: 5, `5.0`: 5, `"5.00"`: 5, `"1_000"`: 1000, `true`: 1, `false`: 0, `1e3`: 1000} {
		good(t, field.Int, text, want)
	}
	for _, x := range []string{`"two"`, `""`, `"1__0"`, `"--1"`, `"5.5"`, `"_1"`, `"1_"`} {
		bad(t, field.Int, x, "int_parsing", "Input should be a valid integer, unable to parse string as an integer", "")
	}
	bad(t, field.Int, `1.5`, "int_from_float", "Input should be a valid integer, got a number with a fractional part", "")
	bad(t, field.Int, `null`, "int_type", "Input should be a valid integer", "")
	bad(t, field.Int, `99999999999999999999`, "int_parsing_size", "Unable to parse input string as an integer, exceeded maximum size", "")
	if _, errs := one(t, field.Int, `1e400`); !strings.Contains(errs, "finite_number") {
		t.Errorf("infinite integer: %s", errs)
	}

	for text, want := range map[string]float64{`5`: 5, `"5.5"`: 5.5, `true`: 1, `-1e3`: -1000, `" 1 "`: 1} {
		good(t, field.Float, text, want)
	}
	for _, x := range []string{`"ten"`, `""`, `"0x10"`} {
		bad(t, field.Float, x, "float_parsing", "Input should be a valid number, unable to parse string as a number", "")
	}
	bad(t, field.Float, `null`, "float_type", "Input should be a valid number", "")
	bad(t, field.Object, `[]`, "dict_type", "Input should be a valid dictionary", "")
	if _, errs := one(t, field.Finite, `1e999`); !strings.Contains(errs, "finite_number") {
		t.Errorf("infinite number: %s", errs)
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	noon := field.UTC(1736942400e6)
	good(t, field.When, `1736942400`, noon)
	good(t, field.When, `"2025-01-15T12:00:00Z"`, noon)
	bad(t, field.When, `"nope"`, "datetime_from_date_parsing", "Input should be a valid datetime or date, input is too short", `{"error":"input is too short"}`)
	bad(t, field.When, `true`, "datetime_type", "Input should be a valid datetime", "")
	bad(t, field.When, `99999999999999999999`, "datetime_parsing", "Input should be a valid datetime, dates after 9999 are not supported as unix timestamps",
		`{"error":"dates after 9999 are not supported as unix timestamps"}`)
	day := field.Date{Year: 2025, Month: 1, Day: 15}
	good(t, field.Day, `"2025-01-15"`, day)
	good(t, field.Day, `"2025-01-15T00:00:00Z"`, day)
	good(t, field.Day, `1736899200`, day)
	bad(t, field.Day, `"2025-01-15T12:00:00Z"`, "date_from_datetime_inexact", "Datetimes provided to dates should have zero time - e.g. be exact dates", "")
	bad(t, field.Day, `"soon"`, "date_from_datetime_parsing", "Input should be a valid date or datetime, input is too short", `{"error":"input is too short"}`)
	bad(t, field.Day, `false`, "date_type", "Input should be a valid date", "")
}

func TestConstraints(t *testing.T) {
	t.Parallel()
	word := field.OneOf("high", "normal", "low")
	good(t, word, `"low"`, "low")
	for _, x := range []string{`"urgent"`, `5`, `null`} {
		bad(t, word, x, "literal_error", "Input should be 'high', 'normal' or 'low'", `{"expected":"'high', 'normal' or 'low'"}`)
	}
	bad(t, field.OneOf("a"), `"b"`, "literal_error", "Input should be 'a'", `{"expected":"'a'"}`)
	bad(t, field.OneOf("a", "b"), `"c"`, "literal_error", "Input should be 'a' or 'b'", `{"expected":"'a' or 'b'"}`)

	good(t, field.Above(field.Float, 0), `0.5`, 0.5)
	good(t, field.Between(field.Int, 1, 1000), `1`, 1)
	good(t, field.Between(field.Int, 1, 1000), `1000`, 1000)
	bad(t, field.Above(field.Float, 0), `0`, "greater_than", "Input should be greater than 0", `{"gt":0.0}`)
	bad(t, field.Above(field.Int, 0), `0`, "greater_than", "Input should be greater than 0", `{"gt":0}`)
	bad(t, field.Between(field.Int, 1, 1000), `"0"`, "greater_than_equal", "Input should be greater than or equal to 1", `{"ge":1}`)
	bad(t, field.Between(field.Int, 1, 1000), `1001`, "less_than_equal", "Input should be less than or equal to 1000", `{"le":1000}`)
	bad(t, field.Between(field.Int, 1, 1000), `"x"`, "int_parsing", "Input should be a valid integer, unable to parse string as an integer", "")

	good(t, field.Length(1, 3), `"äöü"`, "äöü")
	bad(t, field.Length(1, 3), `""`, "string_too_short", "String should have at least 1 character", `{"min_length":1}`)
	bad(t, field.Length(2, 0), `"a"`, "string_too_short", "String should have at least 2 characters", `{"min_length":2}`)
	bad(t, field.Length(1, 3), `"abcd"`, "string_too_long", "String should have at most 3 characters", `{"max_length":3}`)
	bad(t, field.Length(1, 3), `1`, "string_type", "Input should be a valid string", "")

	list := field.List(field.String, 1)
	bad(t, list, `"a"`, "list_type", "Input should be a valid list", "")
	bad(t, list, `[]`, "too_short", "List should have at least 1 item after validation, not 0", `{"field_type":"List","min_length":1,"actual_length":0}`)
}

func TestLocations(t *testing.T) {
	t.Parallel()
	item := field.Model(func(r *field.Reader) int { return field.Need(r, "size", field.Above(field.Int, 0)) })
	r := field.Read(object(t, `{"a":[{"size":1},{"size":0},5,{}],"m":{"k":{"size":"x"},"":{}}}`), "body", 3)
	field.Need(r, "a", field.List(item, 9))
	field.Need(r, "m", field.Values(item))
	field.Need(r, "gone", field.String)
	r.Fail("a", "is wrong", nil)
	r.Fail("", "all is wrong", nil)
	var got []string
	for _, e := range r.Errors() {
		got = append(got, e.Where()+" "+e.Type)
	}
	want := []string{
		"body.3.a.1.size greater_than", "body.3.a.2 model_attributes_type", "body.3.a.3.size missing", "body.3.m.k.size int_parsing", "body.3.m..size missing",
		"body.3.gone missing", "body.3.a value_error", "body.3 value_error",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAbsence(t *testing.T) {
	t.Parallel()
	r := field.Read(object(t, `{"null":null,"s":"x"}`), "body")
	if field.Or(r, "no", field.String, "default") != "default" || field.Or(r, "s", field.String, "") != "x" {
		t.Error("Or")
	}
	if field.Maybe(r, "no", field.String) != nil || field.Maybe(r, "null", field.String) != nil || *field.Maybe(r, "s", field.String) != "x" {
		t.Error("Maybe")
	}
	if field.MaybeOr(r, "null", field.String, "d") != "d" || field.MaybeOr(r, "no", field.String, "d") != "d" || field.MaybeOr(r, "s", field.String, "d") != "x" {
		t.Error("MaybeOr")
	}
	if len(r.Errors()) > 0 {
		t.Errorf("errors %v", r.Errors())
	}
	field.Or(r, "null", field.String, "default")
	field.Need(r, "no", field.String)
	want := `[{"type":"string_type","loc":["body","null"],"msg":"Input should be a valid string","input":null},` +
		`{"type":"missing","loc":["body","no"],"msg":"Field required","input":{"null":null,"s":"x"}}]`
	if got := string(field.AppendErrors(nil, r.Errors())); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if field.Or(r, "null", field.Nullable(field.String), nil) != nil {
		t.Error("Nullable")
	}
}

func TestQuery(t *testing.T) {
	t.Parallel()
	r := field.ReadQuery(func(name string) (string, bool) {
		v, found := map[string]string{"limit": "0", "flag": "1"}[name]
		return v, found
	})
	field.Or(r, "limit", field.AtLeast(field.Int, 1), 100)
	if !field.Or(r, "flag", field.Bool, false) {
		t.Error("flag")
	}
	field.Need(r, "gone", field.String)
	want := `[{"type":"greater_than_equal","loc":["query","limit"],"msg":"Input should be greater than or equal to 1","input":"0","ctx":{"ge":1}},` +
		`{"type":"missing","loc":["query","gone"],"msg":"Field required","input":null}]`
	if got := string(field.AppendErrors(nil, r.Errors())); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	e := field.Wrong("Latitude must be between -90 and 90, got 91.0", ordered.Float(91), "latitude")
	want := "1 validation error for LocationInput\nlatitude\n  Value error, Latitude must be between -90 and 90, got 91.0 [type=value_error, input_value=91.0, input_type=float]\n" +
		"    For further information visit https://errors.pydantic.dev/2.10/v/value_error"
	if got := field.Report("LocationInput", []field.Error{e}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	missing := field.Error{Type: "missing", Loc: []any{"a", 0, "b"}, Msg: "Field required", Input: object(t, `{"key":"a long text that does not fit into the line at all"}`)}
	want = "2 validation errors for X\na.0.b\n  Field required [type=missing, input_value={'key': 'a long text that...t into the line at all'}, input_type=dict]\n" +
		"    For further information visit https://errors.pydantic.dev/2.10/v/missing\n  Value error, all [type=value_error, input_value=None, input_type=NoneType]\n" +
		"    For further information visit https://errors.pydantic.dev/2.10/v/value_error"
	if got := field.Report("X", []field.Error{missing, field.Wrong("all", nil)}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := missing.Error(); got != "a.0.b: Field required" {
		t.Errorf("Error: %s", got)
	}
}

// TestRepr has what Python's repr gives.
func TestRepr(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`null`: "None", `true`: "True", `false`: "False", `1`: "1", `1.50`: "1.5", `1e400`: "inf", `NaN`: "nan", `1e16`: "1e+16", `0.00001`: "1e-05",
		`[1,"a",{"b":[]}]`: "[1, 'a', {'b': []}]",
		`"it's"`:           `"it's"`, `"a'b\"c"`: `'a\'b"c'`, `"tab\tline\n\r\\"`: `'tab\tline\n\r\\'`,
		`"é 😀"`: `'é 😀'`, `"\u0000\u200b"`: `'\x00\u200b'`,
	} {
		v, err := ordered.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := field.Repr(v); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestBranches has the locations of a union's branches.
func TestBranches(t *testing.T) {
	t.Parallel()
	_, got := one(t, func(v any, at *field.Place) int {
		at.Inside("str").Fail("string_type", "m", v)
		at.Inside("list").Item(2).Refuse("no", v)
		return 0
	}, `5`)
	want := `[{"type":"string_type","loc":["body","x","str"],"msg":"m","input":5},{"type":"value_error","loc":["body","x","list",2],"msg":"Value error, no","input":5,"ctx":{"error":{}}}]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"x":"5"}`)
	f.Add(`{"x":[{"size":1e999}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := ordered.ParseObject([]byte(text))
		if err != nil {
			return
		}
		r := field.Read(doc, "body")
		field.Need(r, "x", field.Int)
		field.Need(r, "x", field.Float)
		field.Need(r, "x", field.Bool)
		field.Need(r, "x", field.When)
		field.Need(r, "x", field.Day)
		field.Need(r, "x", field.List(field.Model(func(r *field.Reader) int { return field.Need(r, "size", field.Int) }), 1))
		if _, err := ordered.Parse(field.AppendErrors(nil, r.Errors())); err != nil {
			t.Fatalf("errors are no JSON: %v", err)
		}
		field.Report("X", r.Errors())
	})
}
