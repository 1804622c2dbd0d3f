package draw

// SVG returns the picture as an SVG document.
func (p *Picture) SVG() string { return "" }
