package gmail

import (
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/nodes/internal/googlecall"
)

// BadQuery is the finding about triggers whose query is not understood.
var BadQuery = diag.Rule{
	Code: "trigger/gmail-query", Severity: diag.Error,
	Summary: "The query of a Gmail trigger cannot be understood.",
	Explain: "A trigger decides by itself whether a new mail fits, as Gmail's search knows new mail only after a while. It " +
		"understands in:, is:, label:, category:, from:, to:, cc:, subject:, has:attachment, newer_than:, older_than:, words, -, OR, ( ) " +
		"and { }.\n\n" +
		"    gmail: {query: \"in:inbox is:unread -category:promotions newer_than:2d\"}\n",
}

// Rules returns the findings of this package.
func Rules() []diag.Rule { return append(googlecall.Rules(), BadQuery) }
