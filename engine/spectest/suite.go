package spectest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
)

// Suite is the tests of one spec.
type Suite struct {
	Dir   string // of the spec, as it was given
	Tests []*Test

	texts map[string][]byte // what was read, by file name
}

// Source returns the text of a file that was read, nil for any other.
func (s *Suite) Source(file string) []byte { return s.texts[file] }

// The bounds of what a suite reads.
const (
	maxFile  = 4 << 20
	maxNames = 20_000
)

// Load reads the test files in a spec's directory and below: `*_test.yaml`, but not
// in folders called testdata or whose name begins with _ or a dot. No file outside of
// the directory is read.
func Load(dir string) (*Suite, *diag.List) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		list := &diag.List{}
		list.Add(badFile.At(diag.Pos{File: dir}, "the directory cannot be read: %v", reason(err)).WithHint("Name the directory of a spec."))
		return &Suite{Dir: dir}, list
	}
	defer func() { _ = root.Close() }() // opened for reading only
	return load(root.FS(), dir)
}

func load(fsys fs.FS, dir string) (*Suite, *diag.List) {
	list := &diag.List{}
	s := &Suite{Dir: dir, texts: map[string][]byte{}}
	l := &loader{fsys: fsys, dir: filepath.ToSlash(filepath.Clean(dir)), suite: s, reader: reader{list}}
	for _, name := range l.find() {
		l.file(name)
	}
	return s, list
}

// loader reads the test files of one spec.
type loader struct {
	reader
	fsys  fs.FS
	dir   string // for people
	suite *Suite
}

// find returns the names of the test files, sorted.
func (l *loader) find() []string {
	var names []string
	looked := 0
	err := fs.WalkDir(l.fsys, ".", func(name string, e fs.DirEntry, err error) error {
		if looked++; looked > maxNames {
			return fs.SkipAll
		}
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case name != "." && (base[0] == '_' || base[0] == '.'), e.IsDir() && base == "testdata":
			if e.IsDir() {
				return fs.SkipDir
			}
		case !e.IsDir() && isTest(base):
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		l.list.Add(badFile.At(diag.Pos{File: l.dir}, "the directory cannot be read: %v", reason(err)).WithHint("Check its permissions."))
	}
	return names
}

func isTest(name string) bool {
	return strings.HasSuffix(name, "_test.yaml") || strings.HasSuffix(name, "_test.yml")
}

// file reads one test file.
func (l *loader) file(name string) {
	v := l.decode(name, diag.Pos{File: path.Join(l.dir, name)})
	if v == nil || !l.fields(v, "a test file", "tests") || !l.need(v, "the file", "tests", "Write tests: [ … ].") {
		return
	}
	seen := map[string]diag.Pos{}
	for _, item := range l.items(v.Get("tests"), `"tests"`) {
		t := l.test(item, name)
		if t == nil {
			continue
		}
		if first, twice := seen[t.Name]; twice {
			l.list.Add(duplicate.At(t.Pos, "there is a test %q before", t.Name).WithHint("Choose another name.").WithRelated(first, "the first one"))
			continue
		}
		seen[t.Name] = t.Pos
		l.suite.Tests = append(l.suite.Tests, t)
	}
}

// read returns the text of a file, nil after a finding at pos.
func (l *loader) read(name string, pos diag.Pos) []byte {
	data, err := readLimited(l.fsys, name)
	if err != nil {
		l.list.Add(badFile.At(pos, "%q cannot be read: %v", path.Join(l.dir, name), reason(err)).
			WithHint("Name a file in the spec's directory, relative to the test file."))
		return nil
	}
	l.suite.texts[path.Join(l.dir, name)] = data
	return data
}

// decode returns the data in a file, nil after findings.
func (l *loader) decode(name string, pos diag.Pos) *source.Value {
	data := l.read(name, pos)
	if data == nil {
		return nil
	}
	v, found := spec.Decode(data, path.Join(l.dir, name))
	l.list.Merge(found)
	return v
}

var errTooLong = errors.New("it is larger than 4 MiB")

func readLimited(fsys fs.FS, name string) (data []byte, err error) {
	if !fs.ValidPath(name) {
		return nil, errors.New("it lies outside of the spec's directory")
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errTooLong
	}
	if data == nil {
		data = []byte{}
	}
	return data, err
}

// reason is an error without the path, which the finding names already.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
