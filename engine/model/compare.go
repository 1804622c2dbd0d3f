package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// difference is the first place where two requests differ, and how much is the same.
type difference struct {
	same     int
	found    bool
	path     string
	was, got any
	hasWas   bool
	hasGot   bool
}

// fieldOrder is the order in which the fields of requests are compared.
var fieldOrder = []string{"model", "messages", "tools", "tool_choice", "response", "temperature", "max_tokens", "role", "content"}

// compare finds the first difference between what was recorded and what is asked.
func compare(was, got any) difference {
	d := difference{}
	d.value("", was, got)
	return d
}

func (d *difference) value(path string, was, got any) {
	switch w := was.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			d.fields(path, w, g)
			return
		}
	case []any:
		if g, ok := got.([]any); ok {
			d.items(path, w, g)
			return
		}
	default:
		if equalScalar(was, got) {
			d.same++
			return
		}
	}
	d.note(path, was, got, true, true)
}

func equalScalar(a, b any) bool {
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}

func (d *difference) note(path string, was, got any, hasWas, hasGot bool) {
	if !d.found {
		d.found, d.path, d.was, d.got, d.hasWas, d.hasGot = true, path, was, got, hasWas, hasGot
	}
}

func (d *difference) fields(path string, was, got map[string]any) {
	keys := maps.Clone(was)
	maps.Copy(keys, got)
	names := slices.SortedFunc(maps.Keys(keys), func(a, b string) int {
		if byRank := rank(a) - rank(b); byRank != 0 {
			return byRank
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		w, inWas := was[name]
		g, inGot := got[name]
		at := strings.TrimPrefix(path+"."+name, ".")
		if inWas && inGot {
			d.value(at, w, g)
		} else {
			d.note(at, w, g, inWas, inGot)
		}
	}
}

func rank(name string) int {
	if i := slices.Index(fieldOrder, name); i >= 0 {
		return i
	}
	return len(fieldOrder)
}

func (d *difference) items(path string, was, got []any) {
	for i := range max(len(was), len(got)) {
		at := path + "[" + strconv.Itoa(i) + "]"
		switch {
		case i >= len(was):
			d.note(at, nil, got[i], false, true)
			return
		case i >= len(got):
			d.note(at, was[i], nil, true, false)
			return
		}
		d.value(at, was[i], got[i])
	}
}

// String says where and how the two differ.
func (d difference) String() string {
	switch {
	case !d.found:
		return "nothing differs"
	case !d.hasWas:
		return fmt.Sprintf("%s is missing: asked is %s", d.path, brief(d.got))
	case !d.hasGot:
		return fmt.Sprintf("%s is recorded and not asked: %s", d.path, brief(d.was))
	}
	was, wok := d.was.(string)
	got, gok := d.got.(string)
	if wok && gok {
		was, got = around(was, got)
		return fmt.Sprintf("%s differs: recorded %q, asked %q", d.path, was, got)
	}
	return fmt.Sprintf("%s differs: recorded %s, asked %s", d.path, brief(d.was), brief(d.got))
}

func brief(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return kindName(v)
	}
	return clip(string(data), 80)
}

// around cuts two texts to where they begin to differ.
func around(a, b string) (was, got string) {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	i = max(i-20, 0)
	for i > 0 && i < len(a) && !utf8.RuneStart(a[i]) {
		i--
	}
	lead := ""
	if i > 0 {
		lead = "…"
	}
	return lead + clip(a[i:], 60), lead + clip(b[i:], 60)
}
