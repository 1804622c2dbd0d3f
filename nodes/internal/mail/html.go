package mail

import (
	"strings"

	"golang.org/x/net/html"

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

// prune removes pictures and what is hidden. A mail that hides text from its reader
// means it for machines.
func prune(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if dropped(child) {
			n.RemoveChild(child)
		} else {
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
	for rule := range strings.SplitSeq(strings.ToLower(style), ";") {
		name, value, _ := strings.Cut(rule, ":")
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		switch strings.TrimSpace(name) {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		case "opacity", "font-size", "max-height", "max-width":
			if nothing(value) {
				return true
			}
		case "mso-hide":
			return true
		}
	}
	return false
}

// nothing reports a measure of zero: 0, 0px, 0.0em, 0%.
func nothing(value string) bool {
	number := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz% ")
	return number != "" && strings.Trim(number, "0.") == ""
}
