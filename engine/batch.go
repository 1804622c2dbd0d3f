package engine

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxBatch is the largest batch that a journal takes, in bytes of data.
const MaxBatch = 64 << 20

// maxName is the length of the longest name of a thread or an owner.
const maxName = 200

// Check tells why a text cannot name a thread.
func (id ThreadID) Check() error { return checkName("the thread's name", string(id)) }

// Internal reports whether a thread holds no runs: a memory, or the ledger of a trigger.
func (id ThreadID) Internal() bool {
	return strings.HasPrefix(string(id), "memory:") || strings.HasPrefix(string(id), "trigger:")
}

// Size is what the batch weighs: the bytes of its records, blobs and snapshot.
func (b *Batch) Size() int {
	size := len(b.Snapshot)
	for i := range b.Records {
		size += len(b.Records[i].Data)
		for _, blob := range b.Records[i].Blobs {
			size += len(blob.Data)
		}
	}
	return size
}

// Check tells why no journal can take the batch, whatever it holds already.
func (b *Batch) Check() error {
	if err := b.Thread.Check(); err != nil {
		return err
	}
	if b.Owner != "" {
		if err := checkName("the owner's name", b.Owner); err != nil {
			return err
		}
	}
	if size := b.Size(); size > MaxBatch {
		return fmt.Errorf("append of %d bytes to thread %q: a journal takes at most %d at once; append fewer records", size, b.Thread, MaxBatch)
	}
	for i := range b.Records {
		if err := b.checkRecord(i); err != nil {
			return err
		}
	}
	return nil
}

func (b *Batch) checkRecord(i int) error {
	r := &b.Records[i]
	if want := b.After + 1 + Seq(i); r.Seq != want {
		return fmt.Errorf("append to thread %q after %d: record %d is numbered %d, want %d", b.Thread, b.After, i, r.Seq, want)
	}
	for _, blob := range r.Blobs {
		if sha256.Sum256(blob.Data) != blob.Hash {
			return fmt.Errorf("append to thread %q: record %d: a blob of %d bytes does not have the hash %x", b.Thread, r.Seq, len(blob.Data), blob.Hash)
		}
	}
	return nil
}

func checkName(what, name string) error {
	switch {
	case name == "":
		return fmt.Errorf("%s is empty", what)
	case len(name) > maxName:
		return fmt.Errorf("%s is %d bytes long, the limit is %d", what, len(name), maxName)
	case !utf8.ValidString(name):
		return fmt.Errorf("%s %q is not UTF-8", what, name)
	}
	for _, r := range name {
		if unicode.IsControl(r) {
			return fmt.Errorf("%s %q has a control character", what, name)
		}
	}
	return nil
}
