package google

import (
	"errors"
	"io"
)

// maxResponse bounds what is read of one answer.
const maxResponse = 4 << 20

// ErrTooLarge says that an answer is larger than what is read.
var ErrTooLarge = errors.New("google's answer is larger than what is read at once")

// bounded returns a body that ends with ErrTooLarge after so many bytes.
func bounded(body io.ReadCloser, size int64) io.ReadCloser {
	return &boundedBody{ReadCloser: body, left: size}
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

// Read reads until the bound.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, ErrTooLarge
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	return n, err
}
