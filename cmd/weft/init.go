package main

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// templates is the spec that init writes. Its directory begins with _, as its name is not
// filled in: `weft validate ./...` leaves it out.
//
//go:embed _template/*
var templates embed.FS

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use: "init [DIR]", Short: "Write a small working spec", Args: atMost(1),
		Long: "Writes a spec with a test into DIR (the present directory by default). Files that are there are never replaced.",
		RunE: a.verb(func(_ *cobra.Command, args []string) error { return a.init(dirArgs(args)[0]) }),
	}
}

func (a *app) init(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usage("%q cannot be made: %w", dir, reason(err))
	}
	entries, err := fs.ReadDir(templates, "_template")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, err := os.Lstat(filepath.Join(dir, e.Name())); err == nil {
			return usage("%q is there already: choose another directory; nothing was written", filepath.Join(dir, e.Name()))
		}
	}
	for _, e := range entries {
		data, err := fs.ReadFile(templates, "_template/"+e.Name())
		if err != nil {
			return err
		}
		name := filepath.Join(dir, e.Name())
		if err := writeNew(name, strings.ReplaceAll(string(data), "NAME", specName(dir))); err != nil {
			return err
		}
		a.printf("wrote %s\n", name)
	}
	word := shellWord(dir)
	a.printf("\nTry it:\n  weft validate %s\n  weft test %s\n  weft run %s --input '{\"name\": \"Ada\"}'\n", word, word, word)
	return nil
}

// writeNew writes a file that must not be there yet.
func writeNew(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return usage("%q cannot be written: %w", name, reason(err))
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// specName makes a name of a directory's.
func specName(dir string) string {
	whole, err := filepath.Abs(dir)
	if err != nil {
		whole = dir
	}
	name := strings.Trim(notName.ReplaceAllString(strings.ToLower(filepath.Base(whole)), "-"), "-")
	if name == "" || name[0] < 'a' {
		name = strings.TrimSuffix("spec-"+name, "-")
	}
	return name
}
