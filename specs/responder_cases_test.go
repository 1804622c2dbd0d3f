package specs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// casesFile and moreCases are files of cases; the environment variable WEFT_RES_CASES
// names another one of the same form in their place.
const (
	casesFile = "../testdata/res/cases.json"
	moreCases = "../testdata/res/more.json"
)

type caseFile struct {
	Fixtures fixtures   `json:"fixtures"`
	Cases    []testCase `json:"cases"`
}

type testCase struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Input  object `json:"input"`
	Expect object `json:"expect"`
}

// readCases reads the cases, and the fixtures of the first file.
func readCases(t testing.TB) *caseFile {
	t.Helper()
	if name := os.Getenv("WEFT_RES_CASES"); name != "" {
		return readFile(t, name)
	}
	return readFile(t, casesFile)
}

func readFile(t testing.TB, name string) *caseFile {
	t.Helper()
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(name) {
		data, err = os.ReadFile(filepath.Join("..", name)) // as it is seen from the repository's root
	}
	if err != nil {
		t.Fatal(err)
	}
	out := &caseFile{}
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(out.Cases) == 0 {
		t.Fatalf("%s holds no cases", name)
	}
	return out
}

// TestResponseCases runs every case through the responder as it is shipped: its graphs
// and the engine decide, the test only hands over and compares.
func TestResponseCases(t *testing.T) {
	runCases(t, readCases(t))
	if os.Getenv("WEFT_RES_CASES") == "" {
		runCases(t, readFile(t, moreCases))
	}
}

func runCases(t *testing.T, file *caseFile) {
	t.Helper()
	for _, c := range file.Cases {
		t.Run(c.Kind+"/"+c.Name, func(t *testing.T) {
			t.Parallel()
			k, ok := kinds[c.Kind]
			if !ok {
				t.Fatalf("there is no kind %q", c.Kind)
			}
			w := newWorld()
			input := c.Input
			if k.input != nil {
				input = k.input(c.Input)
			}
			got := w.run(t, w.program(t, file.Fixtures.load(t, c.Input)), k.graph, input)
			if k.output != nil {
				got = k.output(got)
			}
			if want, counts := c.Expect["llm_calls"]; counts && fmt.Sprint(want) != fmt.Sprint(len(w.model.calls())) {
				t.Errorf("the model was asked %d times, want %v", len(w.model.calls()), want)
			}
			want := plain(t, c.Expect)
			if k.expect != nil {
				want = k.expect(want.(object))
			}
			if problem := subset(want, plain(t, got), ""); problem != "" {
				t.Errorf("%s\ngot: %s", problem, show(got))
			}
		})
	}
}

// plain is data as JSON reads it.
func plain(t testing.TB, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func show(v any) string {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// subset says what is expected and not there, "" when nothing is missing: maps may hold
// more than is expected, lists may not.
func subset(want, got any, path string) string {
	fields, ok := want.(object)
	if !ok {
		if !reflect.DeepEqual(want, got) {
			return fmt.Sprintf("%s (-want +got):\n%s", path, cmp.Diff(want, got))
		}
		return ""
	}
	have, ok := got.(object)
	if !ok {
		return fmt.Sprintf("%s: want an object, got %v", path, got)
	}
	for name, w := range fields {
		g, there := have[name]
		if !there {
			return fmt.Sprintf("%s.%s is not there", path, name)
		}
		if problem := subset(w, g, path+"."+name); problem != "" {
			return problem
		}
	}
	return ""
}

// lowered returns an object with names of intents in lower case, as specs write them.
func lowered(in object, keys ...string) object {
	for _, k := range keys {
		if s, ok := in[k].(string); ok {
			in[k] = strings.ToLower(s)
		}
	}
	return in
}
