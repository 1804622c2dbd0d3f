package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
)

// conn is one connection used by one goroutine, below database/sql because each
// append runs several small statements. Statements are prepared once.
type conn struct {
	driver driver.Conn
	stmts  map[string]driver.Stmt
	args   []driver.NamedValue
}

func newConn(c driver.Conn) *conn { return &conn{driver: c, stmts: map[string]driver.Stmt{}} }

// exec runs a statement and returns how many rows it changed.
func (c *conn) exec(query string, args ...driver.Value) (driver.Result, error) {
	stmt, err := c.prepare(query)
	if err != nil {
		return nil, err
	}
	run, ok := stmt.(driver.StmtExecContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	return run.ExecContext(context.Background(), c.bind(args))
}

// row runs a query for its first row, and reports whether there was one.
func (c *conn) row(query string, dest []driver.Value, args ...driver.Value) (found bool, err error) {
	stmt, err := c.prepare(query)
	if err != nil {
		return false, err
	}
	run, ok := stmt.(driver.StmtQueryContext)
	if !ok {
		return false, driver.ErrSkip
	}
	rows, err := run.QueryContext(context.Background(), c.bind(args))
	if err != nil {
		return false, err
	}
	err = rows.Next(dest)
	if closing := rows.Close(); err == nil {
		err = closing
	}
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, err
}

// once runs a statement that takes effect while it is prepared, or is needed once.
func (c *conn) once(query string) error {
	stmt, err := c.driver.Prepare(query)
	if err != nil {
		return err
	}
	run, ok := stmt.(driver.StmtExecContext)
	if !ok {
		return errors.Join(driver.ErrSkip, stmt.Close())
	}
	_, err = run.ExecContext(context.Background(), nil)
	return errors.Join(err, stmt.Close())
}

func (c *conn) prepare(query string) (driver.Stmt, error) {
	if stmt, ok := c.stmts[query]; ok {
		return stmt, nil
	}
	stmt, err := c.driver.Prepare(query)
	if err != nil {
		return nil, err
	}
	c.stmts[query] = stmt
	return stmt, nil
}

// bind numbers the arguments; the result is valid until the next call.
func (c *conn) bind(args []driver.Value) []driver.NamedValue {
	c.args = c.args[:0]
	for i, v := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return c.args
}

func (c *conn) close() error {
	var errs []error
	for _, stmt := range c.stmts {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, c.driver.Close())...)
}
