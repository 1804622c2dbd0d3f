package plot_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/nodes/internal/plot"
)

var nan = math.NaN()

// charts are pictures that are kept in testdata, to be looked at.
func charts() map[string]*plot.Chart {
	months := []string{"January", "February", "March", "April"}
	two := []plot.Series{{"Sales", []float64{3, 5, nan, 4}}, {"Cost", []float64{2, -1, 3, 1}}}
	return map[string]*plot.Chart{
		"bar":     {Kind: "bar", Title: "Sales & cost", XTitle: "Month", YTitle: "EUR", XKind: plot.Category, Labels: months, Series: two, Colors: []string{"#4e79a7", "#f28e2b"}},
		"stack":   {Kind: "stack", Title: "Stacked", XTitle: "Month", YTitle: "EUR", XKind: plot.Category, Labels: months, Series: two, Colors: []string{"#4e79a7", "#f28e2b"}},
		"line":    {Kind: "line", Title: "Lines", XTitle: "Day", YTitle: "EUR", XKind: plot.Time, X: []float64{1.7e9, 1.7001e9, 1.7002e9, 1.7003e9}, Series: two, Colors: []string{"#4e79a7", "#f28e2b"}},
		"area":    {Kind: "area", Title: "Areas", XTitle: "x", YTitle: "y", XKind: plot.Number, X: []float64{1, 2, 3, 4}, Series: two, Colors: []string{"#47a", "#f82"}},
		"scatter": {Kind: "scatter", Title: "Points", XTitle: "x", YTitle: "y", XKind: plot.Number, X: []float64{1, 2.5, 3, 9}, Series: two[:1]},
	}
}

// TestPictures holds the pictures equal to those that were looked at. UPDATE=1 writes them.
func TestPictures(t *testing.T) {
	for name, chart := range charts() {
		t.Run(name, func(t *testing.T) {
			got, err := plot.SVG(chart)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".svg")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, []byte(got+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
				t.Errorf("UPDATE=1 rewrites (-want +got):\n%s", diff)
			}
			wellFormed(t, got)
		})
	}
}

// wellFormed fails when a picture is no XML, or holds what could run or load something.
func wellFormed(t testing.TB, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "svg", "g", "path", "text":
		default:
			t.Errorf("the picture has an element %q", e.Name.Local)
		}
		for _, a := range e.Attr {
			if strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Name.Local, "href") || strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "url(") {
				t.Errorf("the picture has %s=%q", a.Name.Local, a.Value)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name  string
		chart plot.Chart
		want  error
	}{
		{"nothing", plot.Chart{Kind: "bar"}, plot.ErrEmpty},
		{"only gaps", plot.Chart{Kind: "line", XKind: plot.Number, X: []float64{1}, Series: []plot.Series{{"a", []float64{nan}}}}, plot.ErrEmpty},
		{"too great", plot.Chart{Kind: "line", XKind: plot.Number, X: []float64{1}, Series: []plot.Series{{"a", []float64{math.Inf(1)}}}}, plot.ErrRange},
		{"too far", plot.Chart{Kind: "line", XKind: plot.Number, X: []float64{nan}, Series: []plot.Series{{"a", []float64{1}}}}, plot.ErrRange},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := plot.SVG(&tt.chart); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	if _, err := plot.SVG(&plot.Chart{Kind: "bar", XKind: plot.Category, Labels: []string{"a"}, Series: []plot.Series{{"s", nil}}}); err == nil {
		t.Error("a series without values is drawn")
	}
}

func TestIsColor(t *testing.T) {
	for s, want := range map[string]bool{
		"#4e79a7": true, "#ABC": true, "red": false, "#12": false, "#1234567": false, "#zzz": false, "": false,
		"#123;stroke:url(x)": false, "\n#123456": false, "#123456\n": false,
	} {
		if plot.IsColor(s) != want {
			t.Errorf("IsColor(%q) is not %v", s, want)
		}
	}
}

// FuzzSVG draws anything: there is a picture or an error, and nothing of a text is markup.
func FuzzSVG(f *testing.F) {
	f.Add("bar", "category", "a</text><script>alert(1)</script>", "\"><b onload=x>", 1.0, -2.0, 3.5)
	f.Add("line", "number", "x", "\x00\xff]]>", 1e16, 1e16+2, 1e16+4)
	f.Add("area", "time", "&amp;", "#010203", -1e199, 1e199, 0.0)
	f.Add("stack", "category", "", "", 5e-324, 0.0, -5e-324)
	f.Add("scatter", "number", "", "", 1e15, 1e15, 1e15)
	f.Add("line", "time", "", "", 1e18, -1e18, 4e9)
	f.Fuzz(func(t *testing.T, kind, across, label, name string, a, b, c float64) {
		chart := &plot.Chart{
			Kind: kind, Title: name, XTitle: label, YTitle: name, XKind: plot.Kind(across), Colors: []string{name, "#fff"},
			Series: []plot.Series{{name, []float64{a, nan, c, b}}, {label, []float64{b, c, a, nan}}},
		}
		if chart.XKind == plot.Category {
			chart.Labels = []string{label, name, "", "x"}
		} else {
			chart.X = []float64{a, b, c, a}
		}
		svg, err := plot.SVG(chart)
		if err == nil {
			wellFormed(t, svg)
		}
	})
}

func BenchmarkSVG(b *testing.B) {
	c := &plot.Chart{Kind: "line", XKind: plot.Number, Series: []plot.Series{{Name: "a"}}}
	for i := range 512 {
		c.X = append(c.X, float64(i))
		c.Series[0].Values = append(c.Series[0].Values, float64(i*i%97))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := plot.SVG(c); err != nil {
			b.Fatal(err)
		}
	}
}
