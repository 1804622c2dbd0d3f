package spectest

import (
	"path"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/model"
	"github.com/weft-engine/weft/engine/source"
)

// Test is one test as it is written.
type Test struct {
	Name string
	Pos  diag.Pos

	graph, profile *source.Value // nil: the default
	user           string
	now            time.Time
	input          map[string]any
	memory         []initial
	script         []any
	answers        *source.Value
	expect         *expectation
	lines          *source.Value // `expect` as written
}

// initial is what a memory holds before the run.
type initial struct {
	source.Field
	text string
}

// start is the instant that a test begins at unless it says another.
const start = "2026-01-05T09:00:00Z"

// test reads one test, nil after findings that leave nothing to run.
func (l *loader) test(v *source.Value, file string) *Test {
	known := []string{"name", "description", "graph", "profile", "user", "now", "input", "memory", "script", "answers", "expect"}
	if !l.fields(v, "a test", known...) {
		return nil
	}
	if !l.need(v, "the test", "name", "Add name: what the test shows.") || !l.need(v, "the test", "expect", "Add expect: {status: done}.") {
		return nil
	}
	l.text(v.Get("description"), `"description"`)
	t := &Test{
		Name: l.text(v.Get("name"), `"name"`), Pos: v.Get("name").Pos, user: l.text(v.Get("user"), `"user"`),
		graph: l.word(v, "graph"), profile: l.word(v, "profile"), now: l.now(v.Get("now")), lines: v.Get("expect"),
	}
	t.input = l.object(l.include(v.Get("input"), file), `"input"`)
	l.initials(t, v.Get("memory"), file)
	l.scripted(t, v.Get("script"), file)
	t.answers = v.Get("answers")
	readAnswers(t.answers, &l.reader, true)
	t.expect = l.expectation(v.Get("expect"))
	return t
}

// word returns a field that is a text, nil when it is not written or is none.
func (l *loader) word(v *source.Value, key string) *source.Value {
	if l.text(v.Get(key), `"`+key+`"`) == "" {
		return nil
	}
	return v.Get(key)
}

func (l *loader) now(v *source.Value) time.Time {
	text := start
	if v != nil {
		text = l.text(v, `"now"`)
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil && v != nil && v.Kind == source.String {
		l.list.Add(badValue.At(v.Pos, "%q is not an instant", text).WithHint("Write one such as %s.", start))
	}
	return t.UTC()
}

func (l *loader) initials(t *Test, v *source.Value, file string) {
	if v == nil || l.object(v, `"memory"`) == nil {
		return
	}
	for _, f := range v.Fields {
		value := l.include(f.Value, file)
		t.memory = append(t.memory, initial{f, l.text(value, `"`+f.Key+`"`)})
	}
}

// scripted reads the script, which may be a file of its own, and checks each entry.
func (l *loader) scripted(t *Test, v *source.Value, file string) {
	if isInclude(v) {
		v = l.include(v, file)
	}
	for _, item := range l.items(v, `"script"`) {
		entry := item.Go()
		if _, err := model.NewScript([]any{entry}); err != nil {
			l.list.Add(badScript.At(item.Pos, "%s", strings.TrimPrefix(err.Error(), "script entry 1: ")).
				WithHint("See `weft explain test/script` for what an entry looks like."))
			continue
		}
		t.script = append(t.script, entry)
	}
}

// isInclude reports whether v is {file: PATH}.
func isInclude(v *source.Value) bool {
	return v != nil && v.Kind == source.Map && len(v.Fields) == 1 && v.Has("file") && v.Get("file").Kind == source.String
}

// include returns v with every {file: PATH} in it replaced by what the file holds:
// data of .json, .yaml and .yml files, the text of all others.
func (l *loader) include(v *source.Value, file string) *source.Value {
	if v == nil {
		return nil
	}
	if isInclude(v) {
		return l.included(v.Get("file"), file)
	}
	out := *v
	switch v.Kind {
	case source.List:
		out.Items = make([]*source.Value, len(v.Items))
		for i, item := range v.Items {
			out.Items[i] = l.include(item, file)
		}
	case source.Map:
		out.Fields = make([]source.Field, len(v.Fields))
		for i, f := range v.Fields {
			out.Fields[i] = source.Field{Key: f.Key, Pos: f.Pos, Value: l.include(f.Value, file)}
		}
	case source.Null, source.Bool, source.Number, source.String:
	}
	return &out
}

func (l *loader) included(v *source.Value, file string) *source.Value {
	name := path.Join(path.Dir(file), v.Text)
	if path.IsAbs(v.Text) {
		name = v.Text
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".json", ".yaml", ".yml":
		if data := l.decode(name, v.Pos); data != nil {
			return data
		}
	default:
		if data := l.read(name, v.Pos); data != nil {
			return &source.Value{Kind: source.String, Text: string(data), Pos: v.Pos}
		}
	}
	return &source.Value{Kind: source.Map, Pos: v.Pos} // reported; what is left can be read
}
