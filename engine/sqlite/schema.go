package sqlite

// applicationID marks a SQLite file as Weft's: "Weft" in ASCII.
const applicationID = 0x57656674

// version is the version of the schema, kept as user_version.
const version = 2

// pageSize suits records of some hundred bytes to some thousand: a page holds
// several, and little of it stays empty.
const pageSize = 8192

// schema of version 2. The key of an event is its thread's number and its own, see
// eventKey: one integer key is smaller and faster than two, and a row that is not
// all key may be long. What changes together with every append is in threads;
// snapshots are apart, because an update writes the whole row.
const schema = `
CREATE TABLE threads (
	no      INTEGER PRIMARY KEY,
	id      TEXT NOT NULL UNIQUE,
	seq     INTEGER NOT NULL,          -- of the last event
	owner   TEXT,                      -- who drives it: the store's lock, a slash, a name
	touched INTEGER NOT NULL,          -- grows with every append of events to any thread
	status  TEXT NOT NULL DEFAULT '',  -- these four are the summary
	wake    INTEGER,                   -- nanoseconds since 1970
	asks    INTEGER NOT NULL DEFAULT 0,
	summary TEXT NOT NULL DEFAULT ''
);
CREATE INDEX threads_touched ON threads (touched);
CREATE INDEX threads_asking ON threads (touched) WHERE asks = 1;
CREATE INDEX threads_wake ON threads (wake) WHERE wake IS NOT NULL;
CREATE TABLE events (
	key  INTEGER PRIMARY KEY,          -- thread number << 32 | sequence number
	kind INTEGER NOT NULL,             -- and a checksum above its eight bits, see sealed
	data BLOB NOT NULL
);
CREATE TABLE snapshots (
	thread INTEGER PRIMARY KEY,
	seq    INTEGER NOT NULL,
	data   BLOB NOT NULL,
	sum    INTEGER NOT NULL
);
CREATE TABLE blobs (
	hash BLOB NOT NULL PRIMARY KEY,
	data BLOB NOT NULL
);
CREATE TABLE cache (
	key     BLOB NOT NULL PRIMARY KEY,
	value   BLOB NOT NULL,
	expires INTEGER NOT NULL           -- nanoseconds since 1970
);
CREATE INDEX cache_expires ON cache (expires);
`

// The limits of eventKey.
const (
	maxThread = 1<<31 - 1
	maxSeq    = 1<<32 - 1
)

// eventKey orders events by thread, then by sequence number.
func eventKey(thread int64, seq uint64) int64 { return thread<<32 | int64(seq&maxSeq) }
