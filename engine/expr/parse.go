package expr

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/weft-engine/weft/engine/diag"
)

// complaint is a finding whose place is still a letter of the expression's text.
type complaint struct {
	rule          diag.Rule
	at            int
	message, hint string
}

// parse returns the syntax tree of an expression, or what is wrong with it.
func parse(text string) (node ast.Node, c *complaint) {
	defer func() {
		if p := recover(); p != nil { // the parser is not ours: no input may end the process
			node, c = nil, &complaint{ruleSyntax, 0, fmt.Sprintf("the expression cannot be read: %v", p), ""}
		}
	}()
	if strings.TrimSpace(text) == "" {
		return nil, &complaint{ruleSyntax, 0, "the expression is empty", "Write an expression, or remove the field."}
	}
	if c := tooLarge(text); c != nil {
		return nil, c
	}
	tree, err := parser.ParseWithConfig(text, &conf.Config{MaxNodes: maxNodes})
	if err == nil {
		return tree.Node, nil
	}
	e, ok := errors.AsType[*file.Error](err)
	if !ok {
		return nil, &complaint{ruleSyntax, 0, "the expression cannot be read: " + err.Error(), ""}
	}
	return nil, syntaxComplaint(text, e)
}

// tooLarge finds what would make the parser recurse without bound.
func tooLarge(text string) *complaint {
	if len(text) > maxExpression {
		return &complaint{
			ruleTooLarge, 0, fmt.Sprintf("the expression has more than %d KiB", maxExpression>>10),
			"Split it, or compute parts of it in a node of their own.",
		}
	}
	var n nesting
	for i := 0; i < len(text); i++ {
		i = n.step(text, i)
		if n.brackets <= maxBrackets && n.signs <= maxBrackets && n.chained <= maxDepth {
			continue
		}
		return &complaint{
			ruleTooLarge, utf8.RuneCountInString(text[:i]),
			fmt.Sprintf("the expression nests more than %d levels deep", maxBrackets),
			"Split it with let, or compute parts of it in a node of their own.",
		}
	}
	return nil
}

// nesting counts what the parser recurses on.
type nesting struct {
	brackets int // open ones
	signs    int // prefix operators in a row
	chained  int // operators that nest to the right
}

// step reads the token at i, and returns its last byte.
func (n *nesting) step(text string, i int) int {
	signs := n.signs
	n.signs = 0
	switch c := text[i]; c {
	case ' ', '\t', '\r', '\n':
		n.signs = signs
	case '!', '-', '+':
		n.signs = signs + 1
	case '\'', '"', '`':
		return skipLiteral(text, i)
	case '(', '[', '{':
		n.brackets++
	case ')', ']', '}':
		n.brackets--
	case '?', '^', '*':
		n.chained++
	case 'n':
		if hasWord(text, i, "not") {
			n.signs = signs + 1
			return i + 2
		}
	case 'l', 'e':
		if hasWord(text, i, "let") || hasWord(text, i, "else") {
			n.chained++
		}
	}
	return i
}

func hasWord(text string, i int, word string) bool {
	return strings.HasPrefix(text[i:], word) && (i == 0 || !isWord(text[i-1])) &&
		(i+len(word) == len(text) || !isWord(text[i+len(word)]))
}

func isWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// skipLiteral returns the index of the quote that ends the string that begins at i,
// or of the last byte when none does.
func skipLiteral(text string, i int) int {
	quote := text[i]
	for j := i + 1; j < len(text); j++ {
		switch {
		case text[j] == '\\' && quote != '`':
			j++
		case text[j] == quote:
			return j
		}
	}
	return len(text) - 1
}

// syntaxComplaint says in words what the parser says in terms of its tokens.
func syntaxComplaint(text string, e *file.Error) *complaint {
	c := &complaint{rule: ruleSyntax, at: e.From}
	msg := e.Message
	kind, token := tokenOf(msg)
	switch {
	case strings.Contains(msg, "exceeds maximum allowed nodes"):
		c.rule, c.message = ruleTooLarge, fmt.Sprintf("the expression has more than %d parts", maxNodes)
		c.hint = "Split it, or compute parts of it in a node of their own."
	case strings.HasPrefix(strings.TrimSpace(text), "{{"):
		c.message, c.hint = "the expression has braces around it", "Write the expression bare, without {{ and }}."
	case kind == "EOF" || strings.Contains(msg, "unexpected end"):
		c.message, c.hint = "the expression ends too early", "Complete it, or close the bracket that is still open."
		c.at = max(utf8.RuneCountInString(strings.TrimRight(text, " \t\r\n"))-1, 0)
	case kind != "":
		c.message, c.hint = fmt.Sprintf("%s is not expected here", token), tokenHint(kind, token)
	case strings.Contains(msg, "literal not terminated"):
		c.message, c.hint = "the text literal is not closed", "Close it with the quote it begins with, on the same line."
		c.at = openLiteral(text)
	case strings.Contains(msg, "escape"):
		c.message = "the text literal has an escape that does not exist"
		c.hint = `Write \\ for a backslash, or put the text in back quotes.`
	case strings.HasPrefix(msg, "unrecognized character"):
		c.message, c.hint = fmt.Sprintf("the letter %s has no meaning here", letterAt(text, e.From)), "Put text in quotes."
	case strings.HasPrefix(msg, "bad number"):
		c.message, c.hint = "the number cannot be read", "Put it in quotes when it is a text; names begin with a letter."
	case strings.Contains(msg, "wrap predicate"):
		c.message, c.hint = "several statements need braces", "Write { and } around them."
	case strings.Contains(msg, "coalesce"):
		c.message, c.hint = "?? and other operators cannot be mixed", "Put brackets around the ?? and its two sides."
	case strings.HasPrefix(msg, "a map key"):
		c.message, c.hint = "the key of an object must be a name or a text", "Quote the key, or put brackets around an expression."
	case msg == "expected name":
		c.message, c.hint = "a name must follow the dot", `Write the field's name, or ["…"] when it is no plain name.`
	case strings.HasPrefix(msg, "expected at least"):
		c.message, c.hint = "the function wants more arguments", "Give it a list and a condition on its items."
	default:
		c.message = msg
	}
	return c
}

// openLiteral returns the letter where the text literal that is not closed begins.
func openLiteral(text string) int {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == '\'' || c == '"' || c == '`' {
			end := closingQuote(text, i)
			if end < 0 {
				return utf8.RuneCountInString(text[:i])
			}
			i = end
		}
	}
	return 0
}

// tokenOf reads "unexpected token Kind("text")".
func tokenOf(msg string) (kind, token string) {
	rest, ok := strings.CutPrefix(msg, "unexpected token ")
	if !ok {
		return "", ""
	}
	kind, token, _ = strings.Cut(rest, "(")
	return kind, strings.TrimSuffix(token, ")")
}

func tokenHint(kind, token string) string {
	switch token {
	case `"="`:
		return "Write == to compare."
	case `"&"`:
		return "Write and, or &&."
	case `"!"`:
		return "Write != to compare, or not before a condition."
	case `":"`:
		return "Put brackets around an object inside of map, filter and the like: ({a: 1})."
	case `"."`, `"#"`:
		return "Name the value before the dot; a bare dot is the item of a list inside of filter, any and the like."
	case `"=>"`, `"->"`:
		return "Write the condition on the item alone, for example any(calls, .done)."
	}
	switch kind {
	case "Identifier", "Number", "String":
		return "Put an operator before it, or quote it when it belongs to a text."
	case "Bracket":
		return "Check that each bracket has its counterpart."
	}
	return "Remove it, or complete what stands before it."
}

func letterAt(text string, at int) string {
	for i, r := range []rune(text) {
		if i == at {
			return fmt.Sprintf("%q", r)
		}
	}
	return "at the end"
}
