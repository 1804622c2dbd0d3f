package spec

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/weft-engine/weft/engine/source"
)

// include returns the tree with every {file: path} that stands for a text replaced by
// the text. The rule says where that is: the same map in constant data stays.
func (l *loader) include(v *source.Value, r *rule) *source.Value {
	if !r.texts {
		return v
	}
	if file := v.Get("file"); file != nil && len(v.Fields) == 1 && file.Kind == source.String {
		switch {
		case r.isText():
			return l.includeText(v, file)
		case r.isData():
			return l.includeData(v, file)
		}
	}
	switch r.op {
	case opOr:
		for _, a := range r.alts {
			if a.fits(v) {
				return l.include(v, a)
			}
		}
	case opMap:
		return l.includeMap(v, r)
	case opList:
		out := *v
		out.Items = make([]*source.Value, len(v.Items))
		for i, item := range v.Items {
			out.Items[i] = l.include(item, r.item(i))
		}
		return &out
	case opAny, opScalar:
	}
	return v
}

func (l *loader) includeText(v, file *source.Value) *source.Value {
	t := l.included(file)
	if t == nil {
		return v
	}
	return &source.Value{Kind: source.String, Text: string(t.data), Pos: begin(t.file)}
}

func (l *loader) includeMap(v *source.Value, r *rule) *source.Value {
	out := *v
	out.Fields = make([]source.Field, len(v.Fields))
	for i, f := range v.Fields {
		for _, rf := range r.field(f.Key) {
			f.Value = l.include(f.Value, rf)
		}
		out.Fields[i] = f
	}
	return &out
}

func (l *loader) includeData(v, file *source.Value) *source.Value {
	t := l.included(file)
	if t == nil {
		return v
	}
	var data *source.Value
	if isJSON(t.file) {
		data = readJSON(t, l.budget, l.list)
	} else {
		data = readYAML(t, l.budget, l.list)
	}
	if data == nil {
		return v
	}
	return data
}

// included returns the text of the file that a value names, nil after a finding.
func (l *loader) included(v *source.Value) *text {
	h, ok := l.homes[v.Pos.File]
	if !ok {
		l.list.Add(ruleFile.At(v.Pos, "the file %s cannot be found: it is not known which file names it", quoted(v.Text)).
			WithHint("Write {file: path} in a YAML or JSON file of the spec."))
		return nil
	}
	if path.IsAbs(v.Text) || strings.Contains(v.Text, `\`) || !fs.ValidPath(path.Clean(v.Text)) || hasDotDot(v.Text) {
		l.list.Add(ruleOutside.At(v.Pos, "the path %s leads out of the spec", quoted(v.Text)).
			WithHint("Write a path below the file that names it, without .. and with / between folders."))
		return nil
	}
	name := path.Join(h.folder, v.Text)
	realName, err := h.dir.real(name)
	if err == nil {
		var info fs.FileInfo
		if info, err = fs.Stat(h.dir.fsys, realName); err == nil && !info.Mode().IsRegular() {
			err = errNoFile
		}
	}
	if err != nil {
		l.noFile(v, err)
		return nil
	}
	if t := l.texts[path.Join(h.dir.name, name)]; t != nil {
		return t
	}
	t := l.read(h.dir, entry{name, realName}, maxTextBytes, v.Pos)
	if t == nil {
		return nil
	}
	if !checkEncoding(t, l.list) {
		return nil
	}
	return t
}

var errNoFile = errors.New("is not a file")

func (l *loader) noFile(v *source.Value, err error) {
	f := ruleFile.At(v.Pos, "the file %s cannot be read: %v", quoted(v.Text), reason(err)).WithHint("Check the path and its permissions.")
	switch {
	case errors.Is(err, errOutside), errors.Is(err, errLinks):
		f = ruleOutside.At(v.Pos, "the file %s %v", quoted(v.Text), err).WithHint("Copy the file into the spec.")
	case errors.Is(err, fs.ErrNotExist):
		f = ruleFile.At(v.Pos, "the file %s does not exist", quoted(v.Text)).
			WithHint("Create it, or correct the path: it is relative to the folder of %s.", v.Pos.File)
	}
	l.list.Add(f)
}

func hasDotDot(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}
