package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/response"
	"github.com/weft-engine/weft/engine/richtext"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes"
	"github.com/weft-engine/weft/nodes/display/preview"
	responsenode "github.com/weft-engine/weft/nodes/response"
)

// renderFlags is what render takes.
type renderFlags struct{ data, format, profile, locale, seed string }

func (a *app) renderCommand() *cobra.Command {
	f := &renderFlags{}
	c := &cobra.Command{
		Use: "render DIR TEMPLATE", Short: "Fill a template of a spec and look at it", Args: exactly("the directory of a spec", "the name of a template"),
		Long: "Fills a template with data: the text on standard output, and on standard error which of its sections were said and\n" +
			"which values were missing. A field called frame in the data is shown as a block, its attributes can be named too.",
		RunE: a.verb(func(_ *cobra.Command, args []string) error { return a.render(args[0], args[1], f) }),
	}
	c.Flags().StringVar(&f.data, "data", "{}", "what it is filled with: a FILE of YAML or JSON, - for standard input, or JSON itself")
	c.Flags().StringVar(&f.format, "format", "text", "text, json, or html: a page for the browser")
	c.Flags().StringVar(&f.profile, "profile", "", "the profile of the spec (default: its default_profile)")
	c.Flags().StringVar(&f.locale, "locale", "", "language of numbers and dates (default: en)")
	c.Flags().StringVar(&f.seed, "seed", "", "what chooses among variations")
	completeWords(c, "format", "text", "json", "html")
	return c
}

func (a *app) render(dir, name string, f *renderFlags) error {
	if !slices.Contains([]string{"text", "json", "html"}, f.format) {
		return usage("unknown --format %q: use text, json or html", f.format)
	}
	data, err := a.input("data", f.data)
	if err != nil {
		return err
	}
	sp, err := a.load(dir, f.profile)
	if err != nil {
		return err
	}
	if _, err := a.compile(sp, nodes.Deps{Dir: dir}); err != nil {
		return err
	}
	t := compile.Preview(sp, name)
	if t == nil {
		return usage("the spec has no template %q%s", name, orOneOf(name, templateNames(sp)))
	}
	shown, err := showFrame(data["frame"], t.Hint)
	if err != nil {
		return err
	}
	filled, err := t.Fill(response.Filling{
		Sources: []any{data, data["frame"], object{"panel_ref": shown["panel_ref"]}}, Locale: f.locale, Seed: f.seed,
	})
	if err != nil {
		return err
	}
	return a.rendered(&rendering{template: t, filled: filled, block: shown["block"], locale: f.locale}, f.format)
}

func templateNames(sp *spec.Spec) []string {
	templates := sp.Root.Get("templates")
	if templates == nil {
		return nil
	}
	out := make([]string, len(templates.Fields))
	for i, field := range templates.Fields {
		out[i] = field.Key
	}
	return out
}

// rendering is a template that was filled.
type rendering struct {
	template *response.Template
	filled   response.Filled
	block    any // nil: none
	locale   string
}

// message is the text as it is shown: what was put in is no markup.
func (r *rendering) message() (string, error) {
	return richtext.HTML(richtext.EscapeValues(r.filled.Text, r.filled.Values))
}

func (a *app) rendered(r *rendering, format string) error {
	switch format {
	case "text":
		a.printf("%s\n", r.filled.Text)
		r.notes(a.stderr)
		return nil
	case "json":
		message, err := r.message()
		if err != nil {
			return err
		}
		doc := responsenode.Data(r.filled)
		maps.Copy(doc, object{
			"template": r.template.Name, "version": r.template.Version, "block_hint": r.template.Hint,
			"skip_naturalize": r.template.Verbatim, "message": message, "block": r.block,
		})
		a.printf("%s\n", compact(doc))
		return nil
	}
	message, err := r.message()
	if err != nil {
		return err
	}
	return preview.HTML(a.stdout, preview.Page{
		Title: r.template.ID(), Lang: r.locale, Payload: object{"message": message, "frame": r.block},
	})
}

// notes tells what became of the sections and of the values.
func (r *rendering) notes(w io.Writer) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s", r.template.ID())
	if len(r.template.Variations) > 1 {
		fmt.Fprintf(&b, ", variation %d of %d", r.filled.Variation+1, len(r.template.Variations))
	}
	b.WriteString("\n")
	if len(r.filled.Sections) > 1 {
		for i, s := range r.filled.Sections {
			state := "said"
			switch {
			case s.Text == "" && s.Held:
				state = "empty"
			case s.Text == "":
				state = "left out"
			case !s.Held:
				state = "said, the else"
			}
			fmt.Fprintf(&b, "  section %d: %s\n", i+1, state)
		}
	}
	fmt.Fprintf(&b, "  values: %d of %d", r.filled.Done, r.filled.Placeholders)
	if len(r.filled.Missing) > 0 {
		fmt.Fprintf(&b, "; missing: %s", strings.Join(r.filled.Missing, ", "))
	}
	b.WriteString("\n")
	_, _ = io.WriteString(w, b.String()) // a terminal that has gone away needs no notes
}

// frameSpec shows a frame as the display node does by default.
const frameSpec = `{"name":"frame","graphs":{"main":{"input":{"type":"object","properties":{"frame":{},"hint":{"type":"string"}}},` +
	`"state":{"shown":{"type":"object"}},"start":"show","nodes":{"show":{"display":{"frame":"{{ input.frame }}","hint":"{{ input.hint }}"},` +
	`"set":{"shown":"{{ output }}"}}}}}}`

// showFrame returns what a display makes of a frame.
func showFrame(frame any, hint string) (object, error) {
	if frame == nil {
		return object{}, nil
	}
	sp, list := spec.FromBundle([]byte(frameSpec))
	p, more := compile.Program(sp, nodes.Types(nodes.Deps{}))
	list.Merge(more)
	if err := list.Err(); err != nil {
		return nil, fmt.Errorf("show the frame: %w", err)
	}
	move, err := p.Graphs[0].Nodes[0].Plan.Next(engine.NewInvocation(object{"input": object{"frame": frame, "hint": hint}}))
	if err != nil {
		return nil, fmt.Errorf("show the frame: %w", err)
	}
	shown, _ := move.Output.(object)
	return shown, nil
}
