package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/spec"
)

// editor returns the command of the user's editor, nil when none is set.
func (a *app) editor() []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if v, ok := a.getenv(name); ok && strings.TrimSpace(v) != "" {
			return strings.Fields(v)
		}
	}
	return nil
}

// editHead is what the file says that the editor shows.
const editHead = "# Change the arguments, save and leave. Lines that begin with # do not count.\n"

// inEditor has the human change the arguments in an editor, as YAML.
func (d *dialogue) inEditor(ctx context.Context, editor []string, request *engine.InterruptRequest) (map[string]any, error) {
	f, err := os.CreateTemp("", "weft-edit-*.yaml")
	if err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	name := f.Name()
	defer func() { _ = os.Remove(name) }()
	_, err = f.WriteString(editHead + asYAML(request.Args))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	if err := d.runEditor(ctx, append(editor, name)); err != nil {
		return nil, &unclear{fmt.Sprintf("%s: %s.", strings.Join(editor, " "), err)}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	v, list := spec.Decode(data, "arguments.yaml")
	if list.HasErrors() {
		_ = diag.Text(d.term.out, list.Sorted(), func(string) []byte { return data })
		return nil, &unclear{"The arguments are as they were."}
	}
	fields, ok := v.Go().(map[string]any)
	if !ok {
		return nil, &unclear{"The arguments must be a map, one `name: value` a line. They are as they were."}
	}
	return fields, nil
}

// runEditor runs the editor on the terminal. While it runs, Ctrl-C is the editor's.
func (d *dialogue) runEditor(ctx context.Context, command []string) error {
	d.editing.Store(true)
	defer d.editing.Store(false)
	c := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // the user's own editor
	c.Stdin, c.Stdout, c.Stderr = d.term.in, d.term.out, d.term.out
	return c.Run()
}
