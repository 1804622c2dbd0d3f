package mail

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/weft-engine/weft/engine/richtext"
)

// htmlToText makes text of HTML, with links as [text](address). Pictures are dropped,
// and so is what a person who reads the mail would not see.
func htmlToText(s string) string {
	s = cut(s, maxHTML)
	if richtext.Entangled(s) {
		return richtext.Strip(s)
	}
	doc, err := html.Parse(strings.NewReader(s))
	if err != nil {
		return richtext.Strip(s)
	}
	prune(doc)
	out, err := richtext.FromTree(doc)
	if err != nil {
		return richtext.Strip(s)
	}
	return out
}

// actsHere reports a link that goes nowhere but does something where it is opened.
func actsHere(a html.Attribute) bool {
	if !strings.EqualFold(a.Key, "href") {
		return false
	}
	// Browsers overlook spaces and controls here.
	scheme, _, ok := strings.Cut(strings.Join(strings.FieldsFunc(a.Val, func(r rune) bool { return r <= ' ' || invisible(r) }), ""), ":")
	switch strings.ToLower(scheme) {
	case "javascript", "vbscript", "data", "file":
		return ok
	}
	return false
}

// prune removes pictures and what is hidden; of links that are programs the text stays. A mail that hides text from its reader
// means it for machines.
func prune(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if dropped(child) {
			n.RemoveChild(child)
		} else {
			if slices.ContainsFunc(child.Attr, actsHere) {
				child.Data, child.DataAtom, child.Attr = "span", atom.Span, nil
			}
			prune(child)
		}
		child = next
	}
}

func dropped(n *html.Node) bool {
	switch n.Type {
	case html.CommentNode:
		return true
	case html.ElementNode:
	default:
		return false
	}
	switch n.Data {
	case "head", "script", "style", "template", "noscript", "title", "meta", "link", "img", "picture", "svg", "object", "embed",
		"iframe", "video", "audio", "canvas", "map", "input", "select", "textarea":
		return true
	}
	return hidden(n)
}

// hidden reports an element whose own style or attribute hides it.
func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch strings.ToLower(a.Key) {
		case "hidden":
			return true
		case "style":
			if hiddenStyle(a.Val) {
				return true
			}
		}
	}
	return false
}

func hiddenStyle(style string) bool {
	clipped, flat := false, false // what does not fit is not shown, and nothing fits
	for rule := range strings.SplitSeq(strings.ToLower(style), ";") {
		name, value, _ := strings.Cut(rule, ":")
		name = strings.TrimSpace(name)
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		switch {
		case hides(name, value):
			return true
		case name == "overflow" && value == "hidden":
			clipped = true
		case (name == "height" || name == "width") && nothing(value):
			flat = true
		}
	}
	return clipped && flat
}

// hides reports a rule after which nothing is seen of an element.
func hides(name, value string) bool {
	switch name {
	case "display":
		return value == "none"
	case "visibility":
		return value == "hidden" || value == "collapse"
	case "color":
		return value == "transparent"
	case "opacity", "font-size", "max-height", "max-width":
		return nothing(value) || value == "1px"
	case "left", "top", "text-indent":
		return beyond(value)
	}
	return name == "mso-hide"
}

// beyond reports a measure that moves things off the page: -9999px.
func beyond(value string) bool {
	digits, minus := strings.CutPrefix(value, "-")
	digits = digits[:len(digits)-len(strings.TrimLeft(digits, "0123456789"))]
	return minus && len(digits) >= 3
}

// nothing reports a measure of zero: 0, 0px, 0.0em, 0%.
func nothing(value string) bool {
	number := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz% ")
	return number != "" && strings.Trim(number, "0.") == ""
}
