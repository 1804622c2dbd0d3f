package tool

import (
	"maps"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// checkArgs compares the arguments that a spec writes with the tool's parameters.
func checkArgs(s *build.Scope, t *build.Tool, config *source.Value, x *expr.Value) {
	args := config.Get("args")
	if args != nil && args.Kind != source.Map {
		if got := x.Type(); build.Fits(got, &shape.Type{Kind: shape.Object, Open: true}) == build.Never {
			s.Report(badArgs.At(args.Pos, "arguments are an object, and this is %s", build.Describe(got)).
				WithHint("Pass named arguments: {name: value}."))
		}
		return
	}
	params := &shape.Type{Kind: shape.Object}
	if t.Params != nil {
		params = t.Params.Type()
	}
	fixed := t.Params != nil && args != nil && constant(args)
	switch {
	case fixed:
		checkConstant(s, t, args, params)
	case t.Params != nil:
		checkRequired(s, t, config, args)
	}
	if args == nil || params.Kind != shape.Object {
		return
	}
	names := slices.Sorted(maps.Keys(params.Fields))
	got := x.Type()
	for _, f := range args.Fields {
		switch want := params.Fields[f.Key]; {
		case want != nil && !fixed:
			checkArg(s, t, f, got.Fields[f.Key], want)
		case want == nil && !params.Open:
			s.Report(unknownArg(t, f, names))
		}
	}
}

// checkConstant holds arguments without expressions against the schema itself, but for
// those that the tool does not have.
func checkConstant(s *build.Scope, t *build.Tool, args *source.Value, params *shape.Type) {
	known := *args
	known.Fields = slices.DeleteFunc(slices.Clone(args.Fields), func(f source.Field) bool {
		return params.Kind == shape.Object && params.Fields[f.Key] == nil && !params.Open
	})
	for _, p := range second(t.Params.Coerce(known.Go())) {
		at := args.Pos
		if name, _, _ := strings.Cut(strings.TrimPrefix(p.Path, "/"), "/"); args.Has(name) {
			at = args.Get(name).Pos
		}
		s.Report(badArgs.At(at, "the arguments do not fit tool %q: %s", t.Name, p).WithHint("Put them right, or change the tool's parameters."))
	}
}

func second(_ any, problems []shape.Problem) []shape.Problem { return problems }

// constant reports whether no expression takes part in a value.
func constant(v *source.Value) bool {
	if v.Kind == source.String && (strings.Contains(v.Text, "{{") || strings.Contains(v.Text, "{%")) {
		return false
	}
	for _, item := range v.Items {
		if !constant(item) {
			return false
		}
	}
	for _, f := range v.Fields {
		if !constant(f.Value) {
			return false
		}
	}
	return true
}

func checkRequired(s *build.Scope, t *build.Tool, config, args *source.Value) {
	required, _ := t.Params.Schema()["required"].([]any)
	for _, r := range required {
		name, _ := r.(string)
		if args.Get(name) != nil || name == "" || hasDefault(t, name) {
			continue
		}
		at := config.Get("name").Pos
		if args != nil {
			at = args.Pos
		}
		s.Report(badArgs.At(at, "tool %q needs the argument %q", t.Name, name).WithHint("Add it to args."))
	}
}

func hasDefault(t *build.Tool, name string) bool {
	properties, _ := t.Params.Schema()["properties"].(map[string]any)
	property, _ := properties[name].(map[string]any)
	_, ok := property["default"]
	return ok
}

// checkArg lets text stand for anything: it is parsed when the call is made.
func checkArg(s *build.Scope, t *build.Tool, f source.Field, got, want *shape.Type) {
	if got == nil || got.Kind == shape.String && f.Value.Kind == source.String {
		return
	}
	if build.Fits(got, want) == build.Never {
		s.Report(badArgs.At(f.Value.Pos, "argument %q of tool %q is %s, and this is %s", f.Key, t.Name, build.Describe(want), build.Describe(got)).
			WithHint("Pass a value of that type."))
	}
}

func unknownArg(t *build.Tool, f source.Field, names []string) diag.Finding {
	finding := badArgs.At(f.Pos, "tool %q has no parameter %q", t.Name, f.Key)
	if near := diag.Nearest(f.Key, names); near != "" {
		return finding.WithHint("Did you mean %q?", near)
	}
	return finding.WithHint("Leave it out, or declare it in the tool's parameters.")
}
