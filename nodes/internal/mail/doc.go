// Package mail reads and writes mails. It turns what a mailbox holds, a tree of MIME
// parts in any charset, with HTML or without, into the plain text and the single-line
// headers that specs call an Email, once, where mail comes in; and it makes a mail of
// a draft, threaded under the mail that it answers.
//
// Everything that is read here was written by strangers. Reading is bounded in time
// and memory, never fails because of what a mail holds, and says what it left out.
// The package does no I/O and does not know Gmail.
package mail

// Bounds of what is read of one mail.
const (
	MaxText   = 256 << 10 // bytes of text in Email.Body
	maxHTML   = 2 << 20   // bytes of HTML that are converted
	maxLine   = 2000      // letters of one header
	maxParts  = 500       // parts of one mail
	maxDepth  = 20        // parts inside of parts
	maxListed = 100       // attachments that are listed
)
