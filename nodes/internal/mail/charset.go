package mail

import (
	"bytes"
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// decode makes text of bytes that claim a charset. What the bytes are counts for more
// than what they claim: text that is UTF-8 is UTF-8, because mailboxes convert bodies
// and leave the header as it was. Whatever cannot be decoded is read as Windows-1252,
// in which every byte is a letter.
func decode(b []byte, charset string) string {
	charset = strings.ToLower(strings.Trim(strings.TrimSpace(charset), `"'`))
	b = bytes.TrimPrefix(b, []byte("\xEF\xBB\xBF"))
	if utf8.Valid(b) && !sevenBit(b, charset) {
		return string(b)
	}
	enc, err := htmlindex.Get(charset)
	if err == nil && !isUTF8(charset) {
		if text, err := enc.NewDecoder().Bytes(b); err == nil && good(text, len(b)) {
			return string(text)
		}
	}
	if mostlyUTF8(b) {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return latin(b)
}

// sevenBit reports charsets whose texts look like UTF-8 and are not.
func sevenBit(b []byte, charset string) bool {
	switch {
	case strings.HasPrefix(charset, "iso-2022"), charset == "csiso2022jp":
		return bytes.IndexByte(b, 0x1b) >= 0
	case strings.HasPrefix(charset, "utf-16"):
		return bytes.IndexByte(b, 0) >= 0
	}
	return false
}

func isUTF8(charset string) bool { return charset == "utf-8" || charset == "utf8" }

// good refuses a decoding in which more than one letter in ten is not one.
func good(text []byte, size int) bool {
	return bytes.Count(text, []byte("\uFFFD"))*10 <= size
}

// mostlyUTF8 reports UTF-8 with a few broken places, as cut texts have them.
func mostlyUTF8(b []byte) bool {
	letters, broken := 0, 0
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n <= 1:
			broken++
		case n > 1:
			letters++
		}
		b = b[max(n, 1):]
	}
	return letters > 2*broken
}

func latin(b []byte) string {
	text, err := charmap.Windows1252.NewDecoder().Bytes(b)
	if err != nil {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return string(text)
}

// words decodes =?charset?q?…?= in headers.
var words = mime.WordDecoder{CharsetReader: func(charset string, input io.Reader) (io.Reader, error) {
	b, err := io.ReadAll(io.LimitReader(input, maxLine*8))
	if err != nil {
		return nil, err
	}
	return strings.NewReader(decode(b, charset)), nil
}}

// decodeWords decodes a header; one that is broken stays as it is.
func decodeWords(s string) string {
	s = toUTF8(s)
	if !strings.Contains(s, "=?") {
		return s
	}
	out, err := words.DecodeHeader(s)
	if err != nil {
		return s
	}
	return toUTF8(out)
}

// toUTF8 makes UTF-8 of a header that was written in who knows what.
func toUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return decode([]byte(s), "")
}
