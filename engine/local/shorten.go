package local

import "github.com/weft-engine/weft/engine"

// minSnapshot is how many bytes of events make a snapshot worth its while.
const minSnapshot = 256 << 10

// spacing is how many times its own size of events lies between a snapshot and the
// one before. Since only the last is kept, snapshots stay under 1/spacing of what
// a thread stores, and a fold reads little more than what changed since.
const spacing = 5

// shorten adds a snapshot to an append when enough has happened since the last.
func (d *driver) shorten(batch *engine.Batch) error {
	if d.bytes < d.again || len(batch.Records) == 0 {
		return nil
	}
	data, blobs, ok, err := d.sched.Snapshot()
	if err != nil || !ok {
		return err
	}
	size := len(data)
	for _, b := range blobs {
		size += len(b.Data)
	}
	if d.again = max(minSnapshot, spacing*size); d.bytes < d.again {
		return nil
	}
	last := &batch.Records[len(batch.Records)-1]
	last.Blobs = append(last.Blobs, blobs...)
	batch.Snapshot = data
	d.bytes = 0
	return nil
}

func recordSize(rec engine.Record) int {
	n := len(rec.Data)
	for _, b := range rec.Blobs {
		n += len(b.Data)
	}
	return n
}
