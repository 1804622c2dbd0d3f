package jsontext_test

import (
	"encoding/json"
	"math"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
)

func TestStringsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "text")
		raw := jsontext.AppendString(nil, want)
		var got string
		if err := json.Unmarshal(raw, &got); err != nil || got != want {
			t.Fatalf("%q became %q: %v", want, got, err)
		}
	})
}

func TestBytesThatAreNoText(t *testing.T) {
	for _, s := range []string{"\xff", "a\xc3", "ok\xe2\x82", "\xed\xa0\x80x"} {
		raw := jsontext.AppendString(nil, s)
		if !utf8.Valid(raw) || !json.Valid(raw) {
			t.Errorf("%q became %q", s, raw)
		}
	}
}

func TestStringsAreNotEscapedMoreThanNeeded(t *testing.T) {
	if got := string(jsontext.AppendString(nil, "<a href='ü'>&\u2028\x00\x1f\"\\\n")); got != `"<a href='ü'>&`+"\u2028"+`\u0000\u001f\"\\\n"` {
		t.Errorf("got %s", got)
	}
}

func TestFloats(t *testing.T) {
	tests := map[float64]string{
		0: "0.0", 1: "1.0", -2.5: "-2.5", 0.1: "0.1", 1e16: "1e+16", 123456789012345: "123456789012345.0",
		0.0001: "0.0001", 0.00001: "1e-05", math.Inf(1): "null", math.NaN(): "null",
	}
	for f, want := range tests {
		if got := string(jsontext.AppendFloat(nil, f)); got != want {
			t.Errorf("%v is %s, want %s", f, got, want)
		}
	}
}

func TestObject(t *testing.T) {
	o := jsontext.Open([]byte("x"))
	o.String("a", `"`)
	o.Nullable("b", "")
	o.Int("c", -3)
	o.Float("d", 2)
	o.Bool("e", true)
	o.Strings("f", []string{"1", "2"})
	o.Key(`g"`)
	o.Write(func(dst []byte) []byte { inner := jsontext.Open(dst); return inner.Close() })
	o.Raw("h", []byte("[]"))
	want := `x{"a":"\"","b":null,"c":-3,"d":2.0,"e":true,"f":["1","2"],"g\"":{},"h":[]}`
	if got := string(o.Close()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
