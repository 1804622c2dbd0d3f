package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// Load reads the spec in directory dir of fsys. Imports may lead anywhere in fsys.
// The Spec is never nil; when the list has errors its Root is nil and only Dir,
// Profiles, Files, Source and Draft are of use.
func Load(fsys fs.FS, dir string, opts Options) (*Spec, *diag.List) {
	open := func(name string) (fs.FS, func(), error) {
		if !fs.ValidPath(name) {
			return nil, nil, errOutside
		}
		if info, err := fs.Stat(fsys, name); err != nil {
			return nil, nil, err
		} else if !info.IsDir() {
			return nil, nil, errNoDir
		}
		sub, err := fs.Sub(fsys, name)
		return sub, func() {}, err
	}
	return load(path.Clean(dir), opts, open)
}

// LoadDir reads the spec in a directory of the operating system. Each spec directory
// is confined: no link in it can lead out. Imports may lead to any directory.
func LoadDir(name string, opts Options) (*Spec, *diag.List) {
	open := func(name string) (fs.FS, func(), error) {
		root, err := os.OpenRoot(filepath.FromSlash(name))
		if err != nil {
			return nil, nil, err
		}
		return root.FS(), func() { _ = root.Close() }, nil // opened for reading only
	}
	return load(filepath.ToSlash(filepath.Clean(name)), opts, open)
}

var errNoDir = errors.New("is not a directory")

type opener func(name string) (fsys fs.FS, done func(), err error)

func load(name string, opts Options, open opener) (*Spec, *diag.List) {
	l := &loader{
		list: &diag.List{}, open: open, budget: &budget{}, homes: map[string]home{}, texts: map[string]*text{},
		state: map[string]importState{},
	}
	s := &Spec{Dir: name}
	defer l.close()
	r, ok := schema(l.list)
	if !ok {
		return s, l.list
	}
	root := l.root(name, opts, s)
	whole := root != nil && !l.list.HasErrors() && len(l.later) == 0
	full := l.check(root, r, whole)
	if whole && l.list.HasErrors() {
		s.Draft = l.draft(root, r)
	}
	s.Files, s.texts = l.sources(root, r)
	if !l.list.HasErrors() {
		s.finish(full)
	}
	return s, l.list
}

// check holds a tree against the language and returns it with its texts included, nil
// when it has errors.
func (l *loader) check(root *source.Value, r *rule, whole bool) *source.Value {
	if root != nil {
		checkTree(root, r, l.list, whole)
		checkLiterals(root, l.list)
	}
	l.addLater()
	if root == nil || l.list.HasErrors() {
		return nil
	}
	full := l.include(without(root, "profiles"), r)
	checkLiterals(full, l.list) // in the files too
	return full
}

// loader is what the steps of one Load share.
type loader struct {
	list   *diag.List
	open   opener
	budget *budget
	bytes  int
	files  int
	parts  []*part
	homes  map[string]home  // by file name: where {file: …} in it is looked up
	texts  map[string]*text // by file name: everything that was read
	state  map[string]importState
	later  []diag.Finding // from CUE
	closes []func()
}

// home is the directory of a spec file.
type home struct {
	dir    *dir
	folder string // of the file, in dir
}

// part is one spec directory: its plain data, and its CUE files.
type part struct {
	data  *source.Value
	texts []*text
	cue   []*ast.File
}

func (l *loader) close() {
	for _, done := range l.closes {
		done()
	}
}

// read returns the bytes of a file in d, nil after a finding at pos.
func (l *loader) read(d *dir, e entry, limit int, pos diag.Pos) *text {
	file := path.Join(d.name, e.name)
	data, err := readLimited(d.fsys, e.real, limit)
	switch {
	case errors.Is(err, errTooLong):
		l.list.Add(ruleTooLarge.At(pos, "%q is larger than %s", file, size(limit)).WithHint("Split the file, or keep data outside of the spec."))
		return nil
	case err != nil:
		l.list.Add(ruleRead.At(pos, "%q cannot be read: %v", file, reason(err)).WithHint("Check the path and its permissions."))
		return nil
	}
	if l.bytes += len(data); l.bytes > maxSpecBytes {
		if l.bytes-len(data) <= maxSpecBytes {
			l.list.Add(ruleTooLarge.At(pos, "the files of the spec are larger than %s in all", size(maxSpecBytes)).WithHint("Keep data outside of the spec."))
		}
		return nil
	}
	t := newText(file, bytes.TrimPrefix(data, byteOrderMark))
	l.texts[file] = t
	return t
}

func size(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

var errTooLong = errors.New("too long")

// readLimited reads a whole file of at most limit bytes.
func readLimited(fsys fs.FS, name string, limit int) (data []byte, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	data, err = io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && len(data) > limit {
		err = errTooLong
	}
	return data, err
}

// sources returns what was read, with the secrets struck out that are literals.
func (l *loader) sources(root *source.Value, r *rule) ([]string, map[string][]byte) {
	texts := make(map[string][]byte, len(l.texts))
	names := make([]string, 0, len(l.texts))
	for name, t := range l.texts {
		texts[name] = t.data
		names = append(names, name)
	}
	slices.Sort(names)
	if root != nil && l.list.HasErrors() {
		strike(root, r, texts)
	}
	return names, texts
}

// isCUE reports whether a file is a CUE program.
func isCUE(name string) bool { return strings.EqualFold(path.Ext(name), ".cue") }
