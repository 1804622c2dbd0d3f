package plot

import (
	"image/color"
	"math"
	"strconv"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// draw adds the grid and the series, and returns the legend; nil when it would say nothing.
func (c *Chart) draw(p *gonum.Plot) *gonum.Legend {
	p.Add(grid{})
	layers := c.layers()
	legend := gonum.NewLegend()
	legend.Top, legend.Padding, legend.TextStyle = true, 4, style(10)
	legend.TextStyle.XAlign, legend.TextStyle.YAlign = draw.XLeft, draw.YBottom
	for i := range layers {
		p.Add(&layers[i])
		legend.Add(short(layers[i].name, 24), &layers[i])
	}
	c.fit(p)
	if len(layers) < 2 {
		return nil
	}
	return &legend
}

// layer is one series on the picture.
type layer struct {
	kind    string
	name    string
	color   color.RGBA
	x, y    []float64
	from    []float64 // bars, areas: where they begin; nil is 0
	offset  float64   // bars: of the middle from x
	breadth float64   // bars: of one, in places
}

func (c *Chart) layers() []layer {
	n := c.places()
	x := c.X
	if c.XKind == Category {
		x = make([]float64, n)
		for i := range x {
			x[i] = float64(i)
		}
	}
	out := make([]layer, len(c.Series))
	above, below := make([]float64, n), make([]float64, n)
	for i, s := range c.Series {
		l := layer{kind: c.Kind, name: s.Name, color: parseColor(c.Color(i)), x: x, y: s.Values, breadth: 0.8}
		switch c.Kind {
		case "bar":
			l.breadth = 0.8 / float64(len(c.Series))
			l.offset = (float64(i) - float64(len(c.Series)-1)/2) * l.breadth
		case "stack":
			l.from, l.y = stacked(s.Values, above, below)
		}
		out[i] = l
	}
	return out
}

// stacked puts values on those below them: what is positive upwards, the rest downwards.
func stacked(values, above, below []float64) (from, to []float64) {
	from, to = make([]float64, len(values)), make([]float64, len(values))
	for i, v := range values {
		sum := above
		if v < 0 {
			sum = below
		}
		from[i] = sum[i]
		if !math.IsNaN(v) {
			sum[i] += v
		}
		to[i] = from[i] + v
	}
	return from, to
}

// fit sets the ranges: bars and areas stand on zero, bars have room beside them.
func (c *Chart) fit(p *gonum.Plot) {
	room := 0.0
	if c.Kind == "bar" || c.Kind == "stack" || c.XKind == Category {
		room = 0.5
	}
	p.X.Min -= room
	p.X.Max += room
	if c.Kind != "line" && c.Kind != "scatter" {
		p.Y.Min, p.Y.Max = min(p.Y.Min, 0), max(p.Y.Max, 0)
	}
	for _, axis := range []*gonum.Axis{&p.X, &p.Y} {
		// A range that is nothing beside its numbers cannot be divided.
		if least := max(math.Abs(axis.Min), math.Abs(axis.Max)) * 1e-9; axis.Max-axis.Min <= least {
			axis.Min -= max(least, 1)
			axis.Max += max(least, 1)
		}
	}
	margin := (p.Y.Max - p.Y.Min) * 0.05
	if p.Y.Max != 0 {
		p.Y.Max += margin
	}
	if p.Y.Min != 0 {
		p.Y.Min -= margin
	}
	if beside := (p.X.Max - p.X.Min) * 0.03; c.Kind == "scatter" && room == 0 {
		p.X.Min -= beside
		p.X.Max += beside
	}
}

// DataRange returns what the layer covers.
func (l *layer) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i, y := range l.y {
		xmin, xmax = min(xmin, l.x[i]), max(xmax, l.x[i])
		if !math.IsNaN(y) {
			ymin, ymax = min(ymin, y), max(ymax, y)
		}
	}
	return xmin, xmax, ymin, ymax
}

// Plot draws the layer.
func (l *layer) Plot(c draw.Canvas, p *gonum.Plot) {
	x, y := p.Transforms(&c)
	switch l.kind {
	case "bar", "stack":
		l.bars(c, x, y)
	case "scatter":
		l.points(c, x, y, 3)
	case "area":
		l.runs(func(from, to int) { l.area(c, x, y, from, to) })
	default:
		l.runs(func(from, to int) { l.line(c, x, y, from, to) })
	}
}

// scale places a number on the canvas.
type scale func(float64) vg.Length

func (l *layer) bars(c draw.Canvas, x, y scale) {
	for i, v := range l.y {
		if math.IsNaN(v) {
			continue
		}
		low := 0.0
		if l.from != nil {
			low = l.from[i]
		}
		at := l.x[i] + l.offset
		left, right := x(at-l.breadth/2), x(at+l.breadth/2)
		c.FillPolygon(l.color, []vg.Point{{X: left, Y: y(low)}, {X: left, Y: y(v)}, {X: right, Y: y(v)}, {X: right, Y: y(low)}})
	}
}

func (l *layer) points(c draw.Canvas, x, y scale, radius vg.Length) {
	for i, v := range l.y {
		if math.IsNaN(v) {
			continue
		}
		c.DrawGlyph(draw.GlyphStyle{Color: l.color, Radius: radius, Shape: draw.CircleGlyph{}}, vg.Point{X: x(l.x[i]), Y: y(v)})
	}
}

// runs calls f for each stretch of values without a gap.
func (l *layer) runs(f func(from, to int)) {
	from := 0
	for i := 0; i <= len(l.y); i++ {
		if i < len(l.y) && !math.IsNaN(l.y[i]) {
			continue
		}
		if i > from {
			f(from, i)
		}
		from = i + 1
	}
}

func (l *layer) path(x, y scale, from, to int) []vg.Point {
	out := make([]vg.Point, 0, to-from)
	for i := from; i < to; i++ {
		out = append(out, vg.Point{X: x(l.x[i]), Y: y(l.y[i])})
	}
	return out
}

func (l *layer) line(c draw.Canvas, x, y scale, from, to int) {
	if to-from == 1 {
		one := layer{color: l.color, x: l.x[from:to], y: l.y[from:to]}
		one.points(c, x, y, 2)
		return
	}
	c.StrokeLines(draw.LineStyle{Color: l.color, Width: 2}, l.path(x, y, from, to))
}

func (l *layer) area(c draw.Canvas, x, y scale, from, to int) {
	edge := l.path(x, y, from, to)
	floor := y(0)
	shape := append([]vg.Point{{X: edge[0].X, Y: floor}}, edge...)
	shape = append(shape, vg.Point{X: edge[len(edge)-1].X, Y: floor})
	pale := color.NRGBA{R: l.color.R, G: l.color.G, B: l.color.B, A: 110}
	c.FillPolygon(pale, shape)
	l.line(c, x, y, from, to)
}

// Thumbnail draws the sample in the legend.
func (l *layer) Thumbnail(c *draw.Canvas) {
	h := c.Max.Y - c.Min.Y
	left := c.Max.X - h
	c.FillPolygon(l.color, []vg.Point{{X: left, Y: c.Min.Y}, {X: left, Y: c.Max.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: c.Max.X, Y: c.Min.Y}})
}

// grid is a pale line at every tick of the upright axis.
type grid struct{}

// Plot draws the grid.
func (grid) Plot(c draw.Canvas, p *gonum.Plot) {
	_, y := p.Transforms(&c)
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if at := y(tick.Value); c.ContainsY(at) {
			c.StrokeLine2(draw.LineStyle{Color: color.NRGBA{R: 128, G: 128, B: 128, A: 64}, Width: 0.5}, c.Min.X, at, c.Max.X, at)
		}
	}
}

// parseColor reads #rgb or #rrggbb; anything else is gray.
func parseColor(s string) color.RGBA {
	if !IsColor(s) {
		return color.RGBA{R: 128, G: 128, B: 128, A: 255}
	}
	s = s[1:]
	if len(s) == 3 {
		s = string([]byte{s[0], s[0], s[1], s[1], s[2], s[2]})
	}
	n, err := strconv.ParseUint(s, 16, 32)
	if err != nil {
		return color.RGBA{A: 255}
	}
	return color.RGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n), A: 255}
}
