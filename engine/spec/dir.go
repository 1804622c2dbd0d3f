package spec

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
)

// dir is one spec directory. Nothing is read outside of it: every path is resolved
// link by link before it is opened.
type dir struct {
	name string // for people, and for imports: slash-separated, as given
	fsys fs.FS
}

var (
	errOutside = errors.New("leads out of the spec")
	errLinks   = errors.New("is a symbolic link that leads in a circle")
)

// real returns the path behind all symbolic links.
func (d *dir) real(name string) (string, error) {
	todo, done, links := strings.Split(name, "/"), ".", 0
	for len(todo) > 0 {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if done == "." {
				return "", errOutside
			}
			done = path.Dir(done)
			continue
		}
		next := path.Join(done, part)
		info, err := fs.Lstat(d.fsys, next)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", errLinks
		}
		target, err := fs.ReadLink(d.fsys, next)
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) || strings.Contains(target, `\`) {
			return "", errOutside
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	return done, nil
}

// entry is a spec file that was found: its name in the directory, and where it really is.
type entry struct{ name, real string }

// walker finds the spec files of a directory.
type walker struct {
	*dir
	list    *diag.List
	found   []entry
	files   map[string]bool // real paths
	folders map[string]bool // real paths
	looked  int
}

// specFiles returns the spec files of d, sorted by name.
func (d *dir) specFiles(list *diag.List) []entry {
	w := &walker{dir: d, list: list, files: map[string]bool{}, folders: map[string]bool{}}
	w.folder(".", ".", 0)
	slices.SortFunc(w.found, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return w.found
}

func (w *walker) folder(name, realName string, depth int) {
	if w.folders[realName] {
		return
	}
	w.folders[realName] = true
	if depth > maxDirDepth {
		w.list.Add(ruleTooLarge.At(w.pos(name), "folders are nested more than %d levels deep", maxDirDepth).WithHint("Flatten the folders."))
		return
	}
	entries, err := fs.ReadDir(w.fsys, realName)
	if err != nil {
		w.unreadable(name, err)
		return
	}
	for _, e := range entries {
		if w.looked++; w.looked > maxEntries {
			if w.looked == maxEntries+1 {
				w.list.Add(ruleTooLarge.At(w.pos("."), "the directory holds more than %d names", maxEntries).
					WithHint("Point at the spec's own directory, or move other files out of it."))
			}
			return
		}
		w.entry(path.Join(name, e.Name()), path.Join(realName, e.Name()), e.Type(), depth)
	}
}

func (w *walker) entry(name, realName string, mode fs.FileMode, depth int) {
	base := path.Base(name)
	if strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") {
		return
	}
	if mode&fs.ModeSymlink != 0 {
		target, err := w.real(realName)
		if err != nil {
			w.badLink(name, err)
			return
		}
		info, err := fs.Stat(w.fsys, target)
		if err != nil {
			w.unreadable(name, err)
			return
		}
		realName, mode = target, info.Mode()
	}
	switch {
	case mode.IsDir():
		if base != "testdata" {
			w.folder(name, realName, depth+1)
		}
	case isSpecFile(base) && !mode.IsRegular():
		w.list.Add(ruleRead.At(w.pos(name), "%q is not a regular file", name).WithHint("Delete it, or begin its name with _."))
	case isSpecFile(base) && !w.files[realName]:
		w.files[realName] = true
		w.found = append(w.found, entry{name, realName})
	}
}

// badLink reports a link that leads out or in a circle; a link to nothing counts only
// when it has the name of a spec file.
func (w *walker) badLink(name string, err error) {
	switch {
	case errors.Is(err, errOutside), errors.Is(err, errLinks):
		w.list.Add(ruleOutside.At(w.pos(name), "%q %v", name, err).WithHint("Replace the link by what it points to, or begin its name with _."))
	case isSpecFile(path.Base(name)):
		w.unreadable(name, err)
	}
}

func (w *walker) unreadable(name string, err error) {
	f := ruleRead.At(w.pos(name), "%q cannot be read: %v", path.Join(w.name, name), reason(err))
	if errors.Is(err, fs.ErrNotExist) {
		f = ruleRead.At(w.pos(name), "%q does not exist", path.Join(w.name, name))
	}
	w.list.Add(f.WithHint("Check the path and its permissions."))
}

func (d *dir) pos(name string) diag.Pos { return diag.Pos{File: path.Join(d.name, name)} }

// reason is an error without the path, which the finding names already.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// isSpecFile reports whether a file of this name belongs to the spec.
func isSpecFile(name string) bool {
	lower := strings.ToLower(name)
	if strings.HasSuffix(lower, "_test.yaml") || strings.HasSuffix(lower, "_test.yml") {
		return false
	}
	return slices.Contains([]string{".yaml", ".yml", ".json", ".cue"}, path.Ext(lower))
}
