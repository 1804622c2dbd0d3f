package sqlite

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/weft-engine/weft/engine"
)

// castagnoli is the polynomial that processors compute.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is of a row that nothing else would find changed: two numbers and data.
// SQLite checks no pages, and a disk that flips a bit must not change what happened.
func checksum(a, b int64, data []byte) int64 {
	var head [16]byte
	binary.LittleEndian.PutUint64(head[:8], uint64(a))
	binary.LittleEndian.PutUint64(head[8:], uint64(b))
	return int64(crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, data))
}

// sealed is an event's kind as it is stored: with sixteen bits of a checksum above its
// eight. Together they take three bytes; a column of its own would take five.
func sealed(key int64, kind engine.Kind, data []byte) int64 {
	return int64(int16(checksum(key, int64(kind), data)))<<8 | int64(kind)
}
