package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes"
)

// load reads the spec in a directory. Its findings are printed; errors among them end
// the verb.
func (a *app) load(dir, profile string) (*spec.Spec, error) {
	sp, list := spec.LoadDir(dir, spec.Options{Profile: profile})
	if err := a.report(list, sp.Source); err != nil {
		return nil, err
	}
	return sp, nil
}

// report prints findings to standard error; errors among them end the verb.
func (a *app) report(list *diag.List, source func(string) []byte) error {
	if list.Len() == 0 {
		return nil
	}
	if err := diag.Text(a.stderr, list.Sorted(), source); err != nil {
		return err
	}
	if list.HasErrors() {
		return silent(exitInvalid)
	}
	return nil
}

// compile makes a program of a spec. Its findings are printed, and the secrets that
// the spec refers to are struck from everything that is written from now on.
func (a *app) compile(sp *spec.Spec, deps nodes.Deps) (*engine.Program, error) {
	p, list := compile.Program(sp, nodes.Types(deps))
	if err := a.report(list, sp.Source); err != nil {
		return nil, err
	}
	a.learnSecrets(sp.Root)
	return p, nil
}

// learnSecrets resolves every reference to a secret, so that the vault knows them all
// before the first is used. One that cannot be resolved is no error until it is used.
func (a *app) learnSecrets(v *source.Value) {
	if v == nil {
		return
	}
	ref := secret.Ref{}
	if env := v.Get("env"); env != nil && env.Kind == source.String {
		ref.Env = env.Text
	} else if file := v.Get("file"); file != nil && file.Kind == source.String && strings.HasPrefix(file.Text, "/") {
		ref.File = file.Text
	}
	if !ref.IsZero() {
		_, _ = a.vault.Resolve(ref)
	}
	for _, item := range v.Items {
		a.learnSecrets(item)
	}
	for _, f := range v.Fields {
		a.learnSecrets(f.Value)
	}
}

// readData reads a file of data that a flag names: YAML, or JSON by its name.
func (a *app) readData(name string) (*source.Value, error) {
	data, err := readFile(name)
	if err != nil {
		return nil, err
	}
	return a.decode(data, name)
}

func (a *app) decode(data []byte, name string) (*source.Value, error) {
	v, list := spec.Decode(data, name)
	if err := a.report(list, func(file string) []byte { return map[string][]byte{name: data}[file] }); err != nil {
		return nil, err
	}
	return v, nil
}

// dirArgs takes spec directories, the present one when there are none.
func dirArgs(args []string) []string {
	if len(args) == 0 {
		return []string{"."}
	}
	return args
}

// exactly takes n arguments, named for the message.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		if len(args) < len(names) {
			return usage("%s needs %s\nSee `%s --help`.", cmd.CommandPath(), strings.Join(names[len(args):], " and "), cmd.CommandPath())
		}
		return usage("%s takes no more than %s; %q is one too many", cmd.CommandPath(), strings.Join(names, " and "), args[len(names)])
	}
}
