package spec

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// cueErrors turns CUE's errors about the user's .cue files into findings: one for
// each place, the branches of a failed disjunction folded into one. twin is what the
// YAML and JSON files say, for positions. The findings wait until the check is done,
// which says the same in better words about what stands in YAML and JSON files.
func (l *loader) cueErrors(err error, twin *source.Value) {
	all := cueerrors.Errors(cueerrors.Sanitize(cueerrors.Promote(err, "")))
	var folded [][]string
	for _, e := range all {
		if format, _ := e.Msg(); strings.Contains(format, "empty disjunction") {
			folded = append(folded, e.Path())
		}
	}
	seen := map[string]bool{}
	for _, e := range all {
		path := e.Path()
		format, _ := e.Msg()
		branch := slices.ContainsFunc(folded, func(f []string) bool { return len(path) >= len(f) && slices.Equal(path[:len(f)], f) })
		if branch && !strings.Contains(format, "empty disjunction") {
			continue
		}
		key := strings.Join(path, ".")
		if key == "" {
			key = e.Position().String() + format
		}
		if seen[key] || len(seen) >= maxFindings {
			continue
		}
		seen[key] = true
		l.later = append(l.later, l.cueFinding(e, all, twin))
	}
}

func (l *loader) cueFinding(e cueerrors.Error, all []cueerrors.Error, twin *source.Value) diag.Finding {
	places := l.cuePlaces(e, all, twin)
	pos := diag.Pos{}
	if len(places) > 0 {
		pos, places = places[0], places[1:]
	}
	rule, text, hint := cueMeaning(e)
	if path := e.Path(); len(path) > 0 && secretName.MatchString(strings.Trim(path[len(path)-1], `"`)) {
		text = "the values do not agree" // CUE shows them
	}
	if where := strings.Join(e.Path(), "."); where != "" {
		text = where + ": " + text
	}
	f := rule.At(pos, "%s", text).WithHint("%s", hint)
	for _, p := range places[:min(len(places), maxPlaces)] {
		f = f.WithRelated(p, "takes part")
	}
	return f
}

// sameMistake reports whether two errors are about one value. Errors of syntax have no
// path, and nothing to do with each other.
func sameMistake(a, b cueerrors.Error) bool {
	return a == b || len(a.Path()) > 0 && slices.Equal(a.Path(), b.Path())
}

// maxPlaces bounds the places that a finding names beside its own.
const maxPlaces = 4

// cuePlaces lists the user's places that take part in an error, the first few.
func (l *loader) cuePlaces(e cueerrors.Error, all []cueerrors.Error, twin *source.Value) []diag.Pos {
	var out []diag.Pos
	add := func(p diag.Pos) {
		if p.Known() && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	v := twin
	for _, step := range e.Path() {
		v = v.Get(strings.Trim(step, `"`))
	}
	add(posOf(v))
	for _, other := range all {
		if len(out) > maxPlaces {
			break
		}
		if !sameMistake(e, other) {
			continue
		}
		for _, p := range cueerrors.Positions(other) {
			add(l.cuePos(p))
		}
	}
	if len(out) == 0 && len(e.Path()) > 0 {
		add(l.labelPos(e.Path()[0]))
	}
	if len(out) == 0 {
		for _, p := range l.parts {
			for _, t := range p.texts {
				add(begin(t.file))
			}
		}
	}
	return out
}

// labelPos returns where a top-level field of the CUE files is written.
func (l *loader) labelPos(name string) diag.Pos {
	for _, p := range l.parts {
		for _, f := range p.cue {
			for _, d := range f.Decls {
				if field, ok := d.(*ast.Field); ok && labelName(field.Label) == name {
					return l.cuePos(field.Label.Pos())
				}
			}
		}
	}
	return diag.Pos{}
}

// cueMeanings say what CUE's messages are to us; the first that fits holds.
var cueMeanings = []struct {
	part string
	rule *diag.Rule
	hint string
}{
	{"empty disjunction", &ruleConflict, "Write a value that one of the alternatives allows."},
	{"conflicting", &ruleConflict, "Keep one of the values, or make them agree."},
	{"mismatched types", &ruleConflict, "Keep one of the values, or make them agree."},
	{"incompatible list lengths", &ruleConflict, "Keep one of the lists, or make them agree."},
	{"invalid value", &ruleConflict, "Write a value that fits, or relax the constraint."},
	{"field not allowed", &ruleUnknownField, "Delete the field, or correct its name."},
	{"required but not present", &ruleMissing, "Write the field."},
	{"incomplete", &ruleValue, "Write a definite value, or a default with *."},
	{"non-concrete", &ruleValue, "Write a definite value, or a default with *."},
	{"cycle", &ruleValue, "Write a definite value at one place of the circle."},
}

func cueMeaning(e cueerrors.Error) (rule diag.Rule, text, hint string) {
	format, args := e.Msg()
	text = fmt.Sprintf(format, args...)
	if strings.Contains(text, "empty disjunction") {
		text = "the value fits none of the alternatives"
		return ruleConflict, text, "Write a value that one of the alternatives allows."
	}
	for _, m := range cueMeanings {
		if strings.Contains(text, m.part) {
			return *m.rule, oneLine(text), m.hint
		}
	}
	if text = oneLine(text); text == "" {
		text = "it cannot be read as CUE"
	}
	return ruleSyntax, text, "Correct the CUE file."
}

// oneLine keeps a message to a line of bearable length.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return strings.TrimSuffix(s, ":")
}

// addLater adds CUE's findings about places where nothing else was found.
func (l *loader) addLater() {
	known := map[diag.Pos]bool{}
	for _, f := range l.list.Sorted() {
		known[f.Pos] = f.Pos.Known()
	}
	for _, f := range l.later {
		if !known[f.Pos] {
			l.list.Add(f)
		}
	}
}
