package naturalize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weft-engine/weft/nodes/internal/facts"
)

// gate lets an answer through while it is being written, sentence by sentence, as long
// as nothing in it has to be taken back. The first sentence that brings a fact closes it.
type gate struct {
	check *facts.Check
	most  int                      // letters that an answer may have
	holds func(answer string) bool // whether the whole answer is used

	letters int
	shown   strings.Builder
	echo    [2]bool // signs of the instructions
	closed  bool

	held  []byte // what was not let through yet
	at    int    // what of held was looked at
	last  rune   // the last letter before at that is no space
	space rune   // the space after last, a new line before others; 0: none
	code  int    // where in held the code begins that at stands in; 0: it stands in none
}

// Next takes a piece of the answer and returns the sentences that are complete with it.
func (g *gate) Next(piece string) string {
	if g.closed {
		return ""
	}
	g.letters += utf8.RuneCountInString(piece)
	g.held = append(g.held, piece...)
	from := g.shown.Len()
	for end := g.sentence(); end > 0; end = g.sentence() {
		s := string(g.held[:end])
		if !g.passes(s) {
			g.closed, g.held = true, nil
			break
		}
		g.shown.WriteString(s)
		g.held = g.held[end:]
		g.at, g.last, g.space, g.code = 0, 0, 0, 0
	}
	return g.shown.String()[from:]
}

// Rest returns what of an answer that is used was not shown yet.
func (g *gate) Rest(answer string) string {
	if !g.holds(answer) {
		return ""
	}
	if rest, ok := strings.CutPrefix(answer, g.shown.String()); ok {
		return rest
	}
	return string(g.held) // the client asked again after a part was shown
}

// passes reports whether a sentence may be shown.
func (g *gate) passes(s string) bool {
	g.echo[0] = g.echo[0] || strings.Contains(s, echoName)
	g.echo[1] = g.echo[1] || strings.Contains(s, echoLine)
	return g.letters <= g.most && g.echo != [2]bool{true, true} && g.check.Passes(s)
}

// sentence returns where the first sentence of what is held ends, 0 when that is not
// known yet. No amount, link or code goes on beyond it.
func (g *gate) sentence() int {
	for g.at < len(g.held) && utf8.FullRune(g.held[g.at:]) {
		r, size := utf8.DecodeRune(g.held[g.at:])
		if g.ended(r) {
			return g.at
		}
		g.at += size
		switch r {
		case '\n':
			g.space, g.code = '\n', 0
		case ' ', '\t', '\r':
			if g.space == 0 {
				g.space = ' '
			}
		default:
			g.last, g.space = r, 0
			if r == '`' {
				g.mark()
			}
		}
	}
	return 0
}

// mark deals with the mark of code before at: it ends code, unless that would be empty;
// else it begins some.
func (g *gate) mark() {
	if g.code > 0 && g.at > g.code+1 {
		g.code = 0
	} else {
		g.code = g.at
	}
}

// ended reports whether a sentence ends before next.
func (g *gate) ended(next rune) bool {
	switch {
	case g.code > 0 || next == ' ' || next == '\t' || next == '\r' || next == '\n':
		return false
	case next == '%' || unicode.Is(unicode.Sc, next) || unicode.Is(unicode.Sc, g.last):
		return false // a sign may belong to the number on its other side
	case strings.ContainsRune("。！？", g.last):
		return true
	}
	return g.space == '\n' || g.space != 0 && strings.ContainsRune(".!?…", g.last)
}
