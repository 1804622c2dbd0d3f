// Package specs_test runs the specs that are shipped on files of cases.
package specs_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/spec"
)

// object is data as JSON has it.
type object = map[string]any

// fixtures is what a file of cases brings with it: the responder works with these
// settings and texts instead of its own.
type fixtures struct {
	Config   object `json:"config"`
	Registry struct {
		Base      map[string]string `json:"base"`
		Overrides map[string]object `json:"overrides"`
	} `json:"registry"`
	InlineTypes []any `json:"inline_types"`
}

// overlay writes the spec that imports the responder's graphs and gives them the
// fixtures, and what one case says on top of them.
func (f *fixtures) overlay(input object) object {
	settings := maps.Clone(f.Config)
	settings["inline_types"] = f.InlineTypes
	if own, ok := input["config"].(object); ok {
		maps.Copy(settings, own)
	}
	intents := object{}
	if own, ok := input["intent_map"].(object); ok {
		for name, base := range own {
			intents[strings.ToLower(name)] = object{"base": strings.ToLower(base.(string))}
		}
	}
	speaker := modelOf(settings)
	return object{
		"name": "cases", "imports": []any{"../responder/_core"},
		"models":    object{"naturalize": speaker, "merge": speaker, "router": speaker},
		"data":      object{"domain": settings},
		"intents":   intents,
		"templates": f.templates(input),
	}
}

// modelOf is the model that the settings give to naturalize.
func modelOf(settings object) object {
	models, _ := settings["models"].(object)
	chosen, _ := models["default"].(object)
	chosen = maps.Clone(chosen)
	overrides, _ := models["overrides"].(object)
	if own, ok := overrides["naturalize"].(object); ok {
		maps.Copy(chosen, own)
	}
	out := object{"provider": "ollama", "model": chosen["model_id"], "temperature": chosen["temperature"]}
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == nil })
	return out
}

// inline is the name of the template that a case brings with it.
const inline = "case_inline"

func (f *fixtures) templates(input object) object {
	out := object{}
	for intent, text := range f.Registry.Base {
		name := strings.ToLower(intent)
		out[name] = object{"intent": name, "text": text}
	}
	for flow, entry := range f.Registry.Overrides {
		t := object{"dact": flow, "text": entry["template"], "skip_naturalize": entry["skip_naturalize"], "block_hint": entry["block_hint"], "version": entry["version"]}
		maps.DeleteFunc(t, func(_ string, v any) bool { return v == nil })
		name, _ := entry["id"].(string)
		if name == "" {
			name = flow
		}
		out[name] = t
	}
	if text, ok := input["template"].(string); ok {
		out[inline] = object{"dact": inline, "text": text}
	}
	return out
}

// files is the responder as it is shipped, and the spec beside it.
func files(t testing.TB, overlay []byte) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{"cases/spec.json": {Data: overlay}}
	shipped := os.DirFS(".")
	err := fs.WalkDir(shipped, "responder/_core", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(shipped, name)
		out[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// load loads the responder with what a case gives it.
func (f *fixtures) load(t testing.TB, input object) *spec.Spec {
	t.Helper()
	data, err := json.Marshal(f.overlay(input))
	if err != nil {
		t.Fatal(err)
	}
	sp, list := spec.Load(files(t, data), "cases", spec.Options{})
	report(t, list, sp.Source)
	return sp
}

func report(t testing.TB, list *diag.List, source func(string) []byte) {
	t.Helper()
	if !list.HasErrors() {
		return
	}
	var b strings.Builder
	if err := diag.Text(&b, list.Sorted(), source); err != nil {
		t.Fatal(err)
	}
	t.Fatal(b.String())
}
