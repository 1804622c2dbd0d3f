package main

import (
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/schemas"
)

func (a *app) schemaCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use: "schema", Short: "Print the schema of specs, for editors and for CUE", Args: atMost(0),
		Long: "Prints the language of specs. Editors that know the YAML language server complete and document specs with it:\n\n" +
			"    weft schema > _weft.schema.json\n\n" +
			"and, as the first line of a spec file beside it,\n\n" +
			"    # yaml-language-server: $schema=_weft.schema.json\n\n" +
			"The name begins with _, or the file would be read as a part of the spec. CUE checks a spec of one file with\n\n" +
			"    weft schema --format cue > _weft.cue\n" +
			"    cue vet -c -d '#Spec' _weft.cue spec.yaml",
		RunE: a.verb(func(*cobra.Command, []string) error { return a.schema(format) }),
	}
	c.Flags().StringVar(&format, "format", "jsonschema", "jsonschema, or cue")
	completeWords(c, "format", "jsonschema", "cue")
	return c
}

func (a *app) schema(format string) error {
	switch format {
	case "jsonschema":
		data, err := spec.JSONSchema()
		if err != nil {
			return err
		}
		_, err = a.stdout.Write(data)
		return err
	case "cue":
		return a.schemaCUE()
	}
	return usage("unknown --format %q: use jsonschema or cue", format)
}

// schemaCUE prints all files as one: the package clause and imports come once, first.
func (a *app) schemaCUE() error {
	names, err := fs.Glob(schemas.FS, "*.cue")
	if err != nil {
		return err
	}
	var imports, body strings.Builder
	for _, name := range names {
		data, err := fs.ReadFile(schemas.FS, name)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(data)) {
			switch {
			case strings.HasPrefix(line, "package "):
			case strings.HasPrefix(line, "import "):
				if !strings.Contains(imports.String(), line) {
					imports.WriteString(line)
				}
			default:
				body.WriteString(line)
			}
		}
	}
	a.printf("package schemas\n\n%s%s", imports.String(), body.String())
	return nil
}
