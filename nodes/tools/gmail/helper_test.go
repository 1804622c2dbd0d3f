package gmail_test

import (
	"fmt"
	"testing"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/internal/googlecall/calltest"
	"github.com/weft-engine/weft/nodes/tools/gmail"
)

const me = calltest.Me

// start is when tests begin.
var start = calltest.Start

// world is a local Google and a program that is logged in there.
type world struct{ *calltest.World }

func newWorld(t testing.TB) *world {
	t.Helper()
	return &world{calltest.New(t, func(a *google.Accounts) build.BackendType { return gmail.Type(gmail.Deps{Google: a}) })}
}

// letter is a mail from Ana, who asks for half an hour.
func letter(n int) []byte {
	return fmt.Appendf(nil, "From: Ana Costa <ana@partner.example>\r\nTo: Lance <%s>\r\nCc: Bo <bo@company.com>\r\nSubject: Half an hour?\r\nMessage-ID: <%d@partner.example>\r\n"+
		"Date: Mon, 9 Mar 2026 11:00:00 +0100\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nHi Lance,\r\n\r\nTuesday at two?\r\n\r\nAna\r\n", me, n)
}

// answer is the arguments of an answer to a mail.
func answer(id string) map[string]any {
	return map[string]any{"to": []any{"ana@partner.example"}, "subject": "Re: Half an hour?", "body": "Hi Ana,\n\nTuesday is fine.\n\nLance", "reply_to": id}
}
