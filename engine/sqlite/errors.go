package sqlite

import (
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/weft-engine/weft/engine"
)

// explain adds to an error of SQLite what it means for a user, and the sentinel to decide on.
func explain(err error) error {
	if extended(err) == lib.SQLITE_IOERR_SHMSIZE { // the file beside the log cannot grow
		return fmt.Errorf("the disk is full, nothing of this was kept; make room and try again: %w", err)
	}
	if extended(err) == lib.SQLITE_IOERR_WRITE { // EFBIG, EDQUOT, a broken disk
		return fmt.Errorf("the file cannot be written: the disk may be damaged, or a quota or ulimit -f may limit the size of files: %w", err)
	}
	switch code(err) {
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return fmt.Errorf("%w: the file is damaged, or no database at all; restore it from a copy: %w", engine.ErrCorrupt, err)
	case lib.SQLITE_FULL:
		return fmt.Errorf("the disk is full, nothing of this was kept; make room and try again: %w", err)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return fmt.Errorf("another process has the database locked; wait for it or stop it: %w", err)
	case lib.SQLITE_READONLY:
		return fmt.Errorf("the database may only be read; give write permission to the file and its directory: %w", err)
	case lib.SQLITE_CANTOPEN:
		return fmt.Errorf("the database cannot be opened; look at the permissions of the file and its directory: %w", err)
	}
	return err
}

// code is the primary result code of an error of SQLite, 0 for other errors.
func code(err error) int { return extended(err) & 0xff }

// extended is the extended result code of an error of SQLite, 0 for other errors.
func extended(err error) int {
	var e *driver.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code()
}

// isBusy reports whether another process is in the way.
func isBusy(err error) bool { return code(err) == lib.SQLITE_BUSY }
