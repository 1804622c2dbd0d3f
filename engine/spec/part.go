package spec

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

type importState uint8

const (
	stateOpen importState = iota + 1
	stateDone
)

// root reads the spec and all it imports and applies the profile. It returns nil when
// there is nothing to check.
func (l *loader) root(name string, opts Options, s *Spec) *source.Value {
	d := l.directory(name, name, diag.Pos{File: name})
	if d == nil || !l.part(d, false) {
		return nil
	}
	data := l.parts[0].data
	for _, p := range l.parts[1:] {
		data = unify(data, p.data, l.list)
	}
	if l.hasCUE() {
		return l.evaluate(data, opts, s)
	}
	if data == nil {
		return nil
	}
	profile := l.chooseProfile(data, opts, s)
	return unify(data, profile, l.list)
}

func (l *loader) hasCUE() bool {
	for _, p := range l.parts {
		if len(p.cue) > 0 {
			return true
		}
	}
	return false
}

// chooseProfile returns the tree of the profile to apply, nil for none.
func (l *loader) chooseProfile(data *source.Value, opts Options, s *Spec) *source.Value {
	profiles := data.Get("profiles")
	if profiles != nil {
		for _, f := range profiles.Fields {
			s.Profiles = append(s.Profiles, f.Key)
		}
	}
	name, pos := opts.Profile, data.KeyPos("profiles")
	if name == "" {
		name = textOf(data.Get("default_profile"))
		pos = posOf(data.Get("default_profile"))
	}
	if name == "" {
		return nil
	}
	s.Profile = name
	profile := profiles.Get(name)
	if profile == nil {
		f := ruleProfile.At(pos, "there is no profile %s", quoted(name))
		if near := diag.Nearest(name, s.Profiles); near != "" {
			f = f.WithHint("Did you mean %q?", near)
		} else if len(s.Profiles) > 0 {
			f = f.WithHint("Use one of %s.", listWords(s.Profiles, "and"))
		} else {
			f = f.WithHint("Write it under profiles, or load the spec without a profile.")
		}
		l.list.Add(f)
		return nil
	}
	if profile.Kind != source.Map {
		return nil // the check says so
	}
	return profile
}

// directory opens a spec directory; pos is to blame when that fails.
func (l *loader) directory(name, shown string, pos diag.Pos) *dir {
	fsys, done, err := l.open(name)
	if err == nil {
		l.closes = append(l.closes, done)
		return &dir{name: name, fsys: fsys}
	}
	rule := ruleRead
	if pos.Known() {
		rule = ruleImport
	}
	f := rule.At(pos, "the directory %q cannot be read: %v", shown, reason(err)).WithHint("Check the path and its permissions.")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f = rule.At(pos, "the directory %q does not exist", shown).WithHint("Check the path.")
	case errors.Is(err, errOutside):
		f = ruleOutside.At(pos, "the directory %q lies outside of what may be read", shown).WithHint("Move it beside the spec.")
	}
	l.list.Add(f)
	return nil
}

// part reads one spec directory and what it imports. It reports
// whether there was a spec.
func (l *loader) part(d *dir, imported bool) bool {
	l.state[d.name] = stateOpen
	defer func() { l.state[d.name] = stateDone }()
	before := l.list.Len()
	entries := d.specFiles(l.list)
	if len(entries) == 0 {
		if l.list.Len() == before {
			l.list.Add(ruleEmpty.At(diag.Pos{File: d.name}, "the directory %q holds no spec", d.name).
				WithHint("Write a .yaml file with a name and graphs, or run weft init."))
		}
		return false
	}
	p := &part{}
	l.parts = append(l.parts, p)
	var trees []*source.Value
	for _, e := range entries {
		if l.files++; l.files > maxFiles {
			l.list.Add(ruleTooLarge.At(diag.Pos{File: d.name}, "the spec has more than %d files", maxFiles).WithHint("Join some of them."))
			break
		}
		if v := l.file(d, e, p); v != nil {
			trees = append(trees, v)
		}
	}
	l.join(p, trees)
	imports := l.imports(p, imported)
	if imported && p.data != nil {
		p.data = without(p.data, ownFields...)
	}
	l.follow(d, imports)
	return true
}

// file reads one spec file: it returns plain data, and adds CUE to p.
func (l *loader) file(d *dir, e entry, p *part) *source.Value {
	limit := maxFileBytes
	if isCUE(e.name) {
		limit = maxCUEBytes
	}
	t := l.read(d, e, limit, d.pos(e.name))
	if t == nil || !checkEncoding(t, l.list) {
		return nil
	}
	l.homes[t.file] = home{dir: d, folder: path.Dir(e.name)}
	switch {
	case isCUE(e.name):
		p.texts = append(p.texts, t)
		return nil
	case isJSON(e.name):
		return readJSON(t, l.budget, l.list)
	}
	return readYAML(t, l.budget, l.list)
}

// join unifies the files of a part, without those that a scenario names as its data.
func (l *loader) join(p *part, trees []*source.Value) {
	data := map[string]bool{}
	for _, tree := range trees {
		if scenarios := tree.Get("scenarios"); scenarios != nil {
			for _, f := range scenarios.Fields {
				file := f.Value.Get("environment").Get("file")
				data[path.Join(path.Dir(tree.Pos.File), textOf(file))] = true
			}
		}
	}
	for _, tree := range trees {
		switch {
		case data[tree.Pos.File]:
		case tree.Kind != source.Map:
			l.list.Add(ruleType.At(tree.Pos, "a spec file must be a map, not %s", kindWords(tree)).
				WithHint("Begin with a section such as graphs:, or begin the file's name with _ to leave it out."))
		default:
			p.data = unify(p.data, tree, l.list)
		}
	}
}

// imports returns the paths that a part imports. What is wrong with their form is
// found by the check.
func (l *loader) imports(p *part, imported bool) []*source.Value {
	var out []*source.Value
	for _, v := range append(items(p.data.Get("imports")), l.readCUE(p, imported)...) {
		if v.Kind == source.String && v.Text != "" {
			out = append(out, v)
		}
	}
	return out
}

func items(v *source.Value) []*source.Value {
	if v == nil {
		return nil
	}
	return v.Items
}

// follow reads the imported directories.
func (l *loader) follow(d *dir, imports []*source.Value) {
	for _, v := range imports {
		if path.IsAbs(v.Text) || strings.Contains(v.Text, `\`) {
			l.list.Add(ruleOutside.At(v.Pos, "the import %s is not relative", quoted(v.Text)).WithHint("Write a path such as ../common."))
			continue
		}
		name := path.Join(d.name, v.Text)
		switch {
		case l.state[name] == stateDone:
			continue
		case l.state[name] == stateOpen:
			l.list.Add(ruleImportCycle.At(v.Pos, "the import %s leads back to a spec that imports this one", quoted(v.Text)).
				WithHint("Move what both need into a third spec."))
			continue
		case len(l.state) >= maxImports:
			l.list.Add(ruleTooLarge.At(v.Pos, "the spec imports more than %d others", maxImports).WithHint("Join some of them."))
			return
		}
		if sub := l.directory(name, v.Text, v.Pos); sub != nil {
			l.state[name] = stateOpen
			l.part(sub, true)
		} else {
			l.state[name] = stateDone
		}
	}
}

func posOf(v *source.Value) diag.Pos {
	if v == nil {
		return diag.Pos{}
	}
	return v.Pos
}
