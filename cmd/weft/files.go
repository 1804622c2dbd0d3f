package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/source"
)

// maxData bounds the files and the standard input that a verb reads.
const maxData = 32 << 20

// readFile reads a file that the command line names.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, usage("%q cannot be read: %w", name, reason(err))
	}
	defer func() { _ = f.Close() }()
	return readAll(f, name)
}

func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxData+1))
	if err != nil {
		return nil, usage("%q cannot be read: %w", name, reason(err))
	}
	if len(data) > maxData {
		return nil, usage("%q is larger than %d MiB", name, maxData>>20)
	}
	return data, nil
}

// reason is an error without the path, which the message names already.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// specDirs returns the directories that arguments stand for: a directory itself, or
// with /... at its end every one in and below it that holds a spec.
func specDirs(args []string) ([]string, error) {
	var dirs []string
	for _, arg := range dirArgs(args) {
		root, all := strings.CutSuffix(filepath.ToSlash(arg), "...")
		if !all {
			dirs = append(dirs, arg)
			continue
		}
		if root = strings.TrimSuffix(root, "/"); root == "" && !strings.HasPrefix(arg, "/") {
			root = "."
		}
		found, err := findSpecs(filepath.FromSlash(root))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, usage("there is no spec in or below %q: a spec is a directory with a file that has a top-level `name`", root)
		}
		dirs = append(dirs, found...)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs), nil
}

// findSpecs returns the directories in and below root that hold a spec. What is below
// a spec belongs to it.
func findSpecs(root string) ([]string, error) {
	var dirs []string
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return usage("%q cannot be read: %w", name, reason(err))
		}
		if !e.IsDir() {
			return nil
		}
		base := filepath.Base(name)
		if name != root && (base == "testdata" || strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".")) {
			return fs.SkipDir
		}
		if holdsSpec(name) {
			dirs = append(dirs, name)
			return fs.SkipDir
		}
		return nil
	})
	return dirs, err
}

// maxPeek is how much of a file is looked at to see whether it begins a spec.
const maxPeek = 1 << 20

// nameField is a top-level `name` in YAML and CUE.
var nameField = regexp.MustCompile(`(?m)^"?name"?[ \t]*:`)

// holdsSpec reports whether a directory has a file with a top-level `name`.
func holdsSpec(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		name := e.Name()
		if !e.Type().IsRegular() || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
			return false
		}
		switch ext := filepath.Ext(name); {
		case strings.HasSuffix(name, "_test"+ext):
			return false
		case ext == ".yaml", ext == ".yml", ext == ".cue":
			return nameField.Match(peek(filepath.Join(dir, name)))
		case ext == ".json":
			return isSpecJSON(peek(filepath.Join(dir, name)))
		}
		return false
	})
}

func peek(name string) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxPeek))
	if err != nil {
		return nil
	}
	return data
}

// isSpecJSON reports whether a JSON file is part of a spec: many other files have a
// `name`, so it must have a section too.
func isSpecJSON(data []byte) bool {
	v, err := source.DecodeJSON(data)
	fields, ok := v.(map[string]any)
	if err != nil || !ok || fields["name"] == nil {
		return false
	}
	for _, section := range []string{"graphs", "models", "tools", "types", "templates", "imports", "profiles"} {
		if fields[section] != nil {
			return true
		}
	}
	return false
}
