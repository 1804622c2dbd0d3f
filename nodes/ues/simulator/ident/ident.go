// Package ident makes the identifiers of a simulated world from one source of random
// bytes. With a seeded source the same calls give the same identifiers; that is what
// makes two worlds with the same seed and the same events equal byte for byte.
// It is no source of secrets: see Secret for those.
package ident

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"sync"
)

// Source gives identifiers drawn from a stream of random bytes. It is safe for
// concurrent use; the order of the calls decides who gets which.
type Source struct {
	mu   sync.Mutex
	from *bufio.Reader
	err  error
}

// New reads from the given stream, which must not end.
func New(from io.Reader) *Source {
	return &Source{from: bufio.NewReaderSize(from, 4096)}
}

// UUID is a random identifier of version 4 in lower case, 36 characters. When the
// stream has ended it counts on from zeroes and Err tells why.
func (s *Source) UUID() string {
	var raw [16]byte
	s.fill(raw[:])
	raw[6] = raw[6]&0x0f | 0x40
	raw[8] = raw[8]&0x3f | 0x80
	return Format(raw)
}

// Hex is n random bytes as 2n lower case hexadecimal digits.
func (s *Source) Hex(n int) string {
	raw := make([]byte, n)
	s.fill(raw)
	return hex.EncodeToString(raw)
}

// Err is the error of the stream, if it ever gave one.
func (s *Source) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Raw fills sixteen bytes; Format makes a UUID of them when somebody wants to read it.
func (s *Source) Raw() [16]byte {
	var raw [16]byte
	s.fill(raw[:])
	raw[6] = raw[6]&0x0f | 0x40
	raw[8] = raw[8]&0x3f | 0x80
	return raw
}

func (s *Source) fill(raw []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := io.ReadFull(s.from, raw); err != nil && s.err == nil {
		s.err = fmt.Errorf("read random bytes: %w", err)
	}
}

// Format writes sixteen bytes in the usual form of 36 characters.
func Format(raw [16]byte) string {
	var out [36]byte
	hex.Encode(out[:8], raw[:4])
	hex.Encode(out[9:13], raw[4:6])
	hex.Encode(out[14:18], raw[6:8])
	hex.Encode(out[19:23], raw[8:10])
	hex.Encode(out[24:], raw[10:])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return string(out[:])
}
