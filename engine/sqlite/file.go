package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	modernc "modernc.org/sqlite"

	"github.com/weft-engine/weft/engine"
)

// minSize is the size of the smallest database, of one small page.
const minSize = 512

// readers is how many connections read at a time.
const readers = 4

// file is a database file, at its one true path.
type file struct {
	path string
	wait time.Duration
}

// locate makes the directory and returns the path without symbolic links, so that
// all processes find the same lock files, and whether the database exists.
func locate(path string) (real string, exists bool, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return "", false, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", false, err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", false, err
	}
	real = filepath.Join(dir, filepath.Base(path))
	if target, err := filepath.EvalSymlinks(real); err == nil {
		real = target
	}
	// Look at the log before the file: who makes a database makes the file first.
	_, logErr := os.Stat(real + "-wal")
	info, err := os.Stat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist) && logErr == nil:
		return "", false, fmt.Errorf("the database is gone but its log %s is there; put the database back, or delete the log too", real+"-wal")
	case errors.Is(err, fs.ErrNotExist):
		return real, false, nil
	case err != nil:
		return "", false, err
	}
	return real, true, inspect(info)
}

// inspect tells why a file cannot be a database that is written to.
func inspect(info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file; give the path of a file")
	case info.Size() == 0:
		return errors.New("the file is empty and no database; delete it")
	case info.Size() < minSize:
		return fmt.Errorf("%w: %d bytes are too few for a database; restore the file from a copy", engine.ErrCorrupt, info.Size())
	case info.Mode().Perm()&0o200 == 0:
		return errors.New("the file may only be read; give it write permission")
	}
	return nil
}

// uri names the file to SQLite, whatever characters its path has.
func (f file) uri(mode string, pragmas ...string) string {
	path := filepath.ToSlash(f.path)
	if path[0] != '/' {
		path = "/" + path // C:/… becomes /C:/…
	}
	query := url.Values{"mode": {mode}}
	query.Add("_pragma", "busy_timeout("+strconv.FormatInt(f.wait.Milliseconds(), 10)+")")
	for _, p := range pragmas {
		query.Add("_pragma", p)
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}
	return u.String()
}

func (f file) connect(ctx context.Context, uri string) (*conn, error) {
	connector, err := modernc.NewConnector(uri)
	if err != nil {
		return nil, err
	}
	c, err := connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return newConn(c), nil
}

// check tells whether the file is a database that this version can use. It only reads.
func (f file) check(ctx context.Context) (err error) {
	c, err := f.connect(ctx, f.uri("ro"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	id, err := c.number("PRAGMA application_id")
	if err != nil {
		return err
	}
	if id != applicationID {
		return errors.New("it is a database of another program; give another path")
	}
	v, err := c.number("PRAGMA user_version")
	switch {
	case err != nil:
		return err
	case v > version:
		return fmt.Errorf("%w: it has version %d, this program knows %d; use the newer program", engine.ErrNewer, v, version)
	case v < version:
		return fmt.Errorf("%w: it has version %d, which no release has written; give another path", engine.ErrCorrupt, v)
	}
	if _, err = c.number("SELECT count(*) FROM threads, events, snapshots, blobs, cache WHERE 0"); err != nil {
		return err
	}
	return f.whole(c)
}

// whole tells whether the end of the file is missing. SQLite itself misses whole
// pages only. A crash may leave part of a page; then the log has all of it.
func (f file) whole(c *conn) error {
	info, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	size, err := c.number("PRAGMA page_size")
	if err != nil || info.Size()%size == 0 {
		return err
	}
	if log, err := os.Stat(f.path + "-wal"); err == nil && log.Size() > 0 {
		return nil
	}
	return fmt.Errorf("%w: the end of the file is missing; restore it from a copy", engine.ErrCorrupt)
}

// number is the integer that a query gives.
func (c *conn) number(query string) (int64, error) {
	var dest [1]driver.Value
	if _, err := c.row(query, dest[:]); err != nil {
		return 0, err
	}
	n, _ := dest[0].(int64)
	return n, nil
}

// create makes the database under another name and then gives it its own, so that
// nobody ever sees half of one. It is no error when somebody else was faster.
func (f file) create(ctx context.Context, self *owner) error {
	tmp := file{path: self.path("new"), wait: f.wait}
	empty, err := os.OpenFile(tmp.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.path) }() // removeDead gets what stays
	if err := errors.Join(empty.Close(), tmp.fill(ctx)); err != nil {
		return err
	}
	if err := os.Link(tmp.path, f.path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("name the new database: %w", err)
	}
	syncDir(filepath.Dir(f.path))
	return nil
}

func (f file) fill(ctx context.Context) error {
	c, err := f.connect(ctx, f.uri("rw"))
	if err != nil {
		return err
	}
	for _, query := range []string{
		fmt.Sprintf("PRAGMA page_size = %d", pageSize),
		"BEGIN",
		fmt.Sprintf("PRAGMA application_id = %d", applicationID),
		fmt.Sprintf("PRAGMA user_version = %d", version),
		schema,
		"COMMIT",
		"PRAGMA journal_mode = WAL",
	} {
		if err = c.once(query); err != nil {
			break
		}
	}
	return errors.Join(err, c.close())
}

// syncDir makes the name of a new file durable, where the system can.
func syncDir(path string) {
	dir, err := os.Open(path)
	if err != nil {
		return
	}
	_ = dir.Sync()
	_ = dir.Close()
}

func (f file) connectWriter(ctx context.Context) (*conn, error) {
	return f.connect(ctx, f.uri("rw",
		"synchronous(NORMAL)",
		"fullfsync(1)",
		"cell_size_check(1)",
		"cache_size(-16384)",
		"wal_autocheckpoint(2000)",
		"journal_size_limit(33554432)",
		"temp_store(MEMORY)",
	))
}

func (f file) connectReaders() (*sql.DB, error) {
	connector, err := modernc.NewConnector(f.uri("rw", "query_only(1)", "cache_size(-4096)", "temp_store(MEMORY)"))
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	return db, nil
}
