// Package plot draws charts as SVG: areas, bars, stacked bars, points and lines. The
// picture takes the color of the text around it, so it suits a light and a dark page. It
// holds no scripts and no references, and every text in it is escaped.
package plot

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"image/color"
	"math"
	"regexp"
	"strconv"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Kind tells how the places across are spaced.
type Kind string

// The kinds of places across.
const (
	Category Kind = "category" // evenly, each with a label
	Number   Kind = "number"   // by their value
	Time     Kind = "time"     // by their instant
)

// Chart is what is drawn. Every series has a value for each place across.
type Chart struct {
	Kind           string // area, bar, stack, scatter or line
	Title          string // for those who cannot see the picture
	XTitle, YTitle string
	XKind          Kind
	Labels         []string  // Category
	X              []float64 // Number; Time: seconds since 1970, in order
	Series         []Series
	Colors         []string // #rrggbb or #rgb, taken in turn
}

// Series is the values of one thing; NaN is a value that is missing.
type Series struct {
	Name   string
	Values []float64
}

// The size of the picture, in points.
const (
	width  = 520
	height = 320
)

// limit bounds numbers: what is greater cannot be placed exactly.
const limit = 1e200

var colorText = regexp.MustCompile(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)

// IsColor reports whether a text is a color that charts take: #rrggbb or #rgb.
func IsColor(s string) bool { return colorText.MatchString(s) }

// Color returns the color of a series.
func (c *Chart) Color(i int) string {
	if len(c.Colors) == 0 {
		return "#4e79a7"
	}
	return c.Colors[i%len(c.Colors)]
}

// ErrEmpty is the error of a chart without points.
var ErrEmpty = errors.New("the chart has no points")

// ErrRange is the error of a chart whose numbers are too great to be drawn.
var ErrRange = errors.New("the numbers are too great to be drawn")

// SVG draws a chart as an element that can stand in a page. Errors are ErrEmpty,
// ErrRange, and that of series which do not fit the places across.
func SVG(c *Chart) (string, error) {
	if err := c.check(); err != nil {
		return "", err
	}
	p := c.frame()
	legend := c.draw(p)
	svg := vgsvg.New(width, height)
	all := draw.New(svg)
	area := draw.Crop(all, 6, -10, 4, -8)
	if legend != nil {
		legend.Draw(draw.Crop(all, 0, -4, 0, -8))
		area = draw.Crop(all, 6, -min(legend.Rectangle(all).Size().X+12, width/3), 4, -8)
	}
	p.Draw(area)
	var b bytes.Buffer
	if _, err := svg.WriteTo(&b); err != nil {
		return "", fmt.Errorf("write the picture: %w", err)
	}
	return c.element(b.Bytes())
}

func (c *Chart) places() int {
	if c.XKind == Category {
		return len(c.Labels)
	}
	return len(c.X)
}

func (c *Chart) check() error {
	n, points := c.places(), 0
	for _, x := range c.X {
		if !(math.Abs(x) <= limit) {
			return ErrRange
		}
	}
	for _, s := range c.Series {
		if len(s.Values) != n {
			return fmt.Errorf("series %q has %d values for %d places", s.Name, len(s.Values), n)
		}
		for _, y := range s.Values {
			if math.Abs(y) > limit {
				return ErrRange
			}
			if !math.IsNaN(y) {
				points++
			}
		}
	}
	if points == 0 {
		return ErrEmpty
	}
	return nil
}

// ink is a color that no chart has; it becomes the color of the text around the picture.
var ink = color.RGBA{R: 1, G: 2, B: 3, A: 255}

// style is that of all texts.
func style(size float64) text.Style {
	f := font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, font.Length(size))
	return text.Style{Color: ink, Font: f, XAlign: draw.XCenter, YAlign: draw.YTop, Handler: gonum.DefaultTextHandler}
}

// frame makes the axes.
func (c *Chart) frame() *gonum.Plot {
	p := gonum.New()
	p.BackgroundColor = nil
	p.X.Label.Text, p.Y.Label.Text = short(c.XTitle, 60), short(c.YTitle, 40)
	for _, axis := range []*gonum.Axis{&p.X, &p.Y} {
		axis.Color, axis.Tick.Color = ink, ink
		label, tick := style(11), style(10)
		label.YAlign, tick.XAlign, tick.YAlign = axis.Label.TextStyle.YAlign, axis.Tick.Label.XAlign, axis.Tick.Label.YAlign
		axis.Label.TextStyle, axis.Tick.Label = label, tick
		axis.Padding = 2
	}
	p.Y.Tick.Marker = numbers{}
	switch c.XKind {
	case Number:
		p.X.Tick.Marker = numbers{}
	case Time:
		p.X.Tick.Marker = instants{}
	default:
		p.X.Tick.Marker = labels(c.Labels)
	}
	return p
}

var (
	opening = regexp.MustCompile(`(?s)^.*?<svg[^>]*>`)
	fonts   = regexp.MustCompile(`font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal;`)
)

// element makes of the file that the library writes an element that can stand in HTML.
func (c *Chart) element(file []byte) (string, error) {
	end := opening.FindIndex(file)
	if end == nil {
		return "", errors.New("the picture cannot be read")
	}
	body := bytes.ReplaceAll(file[end[1]:], []byte(":#010203"), []byte(":currentColor"))
	body = fonts.ReplaceAll(body, nil)
	name := html.EscapeString(short(c.Title, 200))
	if name == "" {
		name = html.EscapeString(short(c.Kind, 20))
	}
	head := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ` + strconv.Itoa(width) + " " + strconv.Itoa(height) +
		`" role="img" aria-label="` + name + `" font-family="system-ui,sans-serif" fill="currentColor">`
	return head + string(bytes.TrimSpace(body)), nil
}
