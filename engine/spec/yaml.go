package spec

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// yamlReader turns one YAML document into a tree with positions.
type yamlReader struct {
	*text
	src     string // the data as a string, for parts of it
	breaks  []int  // where each line begins by YAML's idea of lines, which has more line ends than \n
	mark    mark
	list    *diag.List
	budget  *budget
	open    map[*yaml.Node]bool // anchors being expanded
	known   map[*yaml.Node]sized
	aliased int // values made by aliases
}

// sized is the tree of an anchor, with how many values it has.
type sized struct {
	value *source.Value
	size  int
}

// budget counts the values of a spec over all its files.
type budget struct{ values int }

func (b *budget) take(n int) bool {
	b.values += n
	return b.values <= maxValues
}

// errStop ends the reading of a file after a finding that makes the rest pointless.
var errStop = errors.New("stop")

// readYAML returns nil after findings, and an empty map for a file without content.
func readYAML(t *text, b *budget, list *diag.List) (v *source.Value) {
	r := &yamlReader{text: t, list: list, budget: b, open: map[*yaml.Node]bool{}, known: map[*yaml.Node]sized{}}
	before := list.Len()
	if n := marks(t.data); n > maxMarks {
		list.Add(ruleTooLarge.At(begin(t.file), "the file has %d lines and items, more than %d", n, maxMarks).
			WithHint("Split the file, or keep data outside of the spec."))
		return nil
	}
	node, ok := r.parse()
	if !ok {
		return nil
	}
	if node == nil {
		return &source.Value{Kind: source.Map, Pos: begin(t.file)}
	}
	r.src, r.breaks = string(t.data), yamlLines(t.data)
	v, _, err := r.value(node, 0)
	if err != nil || list.Len() > before {
		return nil
	}
	return v
}

// marks counts what the parser makes nodes of, at least; it is slow with many.
func marks(data []byte) int {
	n := 0
	for _, mark := range []string{"\n", ",", "[", "{"} {
		n += bytes.Count(data, []byte(mark))
	}
	return n
}

// parse returns the root node, nil for a file without content.
func (r *yamlReader) parse() (node *yaml.Node, ok bool) {
	defer func() {
		if p := recover(); p != nil { // the parser is not ours: no input may end the process
			r.list.Add(ruleSyntax.At(begin(r.file), "the file cannot be parsed: %v", p))
			node, ok = nil, false
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(r.data))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, true
	} else if err != nil {
		r.syntax(err)
		return nil, false
	}
	if err := dec.Decode(&second); err == nil {
		r.list.Add(ruleSyntax.At(r.firstOf(second.Line), "the file holds more than one YAML document").
			WithHint("Move what follows the --- into a file of its own."))
		return nil, false
	} else if !errors.Is(err, io.EOF) {
		r.syntax(err)
		return nil, false
	}
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" && doc.Content[0].Value == "" {
		return nil, true
	}
	return doc.Content[0], true
}

func (r *yamlReader) value(n *yaml.Node, depth int) (*source.Value, int, error) {
	if depth > maxDepth {
		r.list.Add(ruleTooLarge.At(r.pos(n), "values are nested more than %d levels deep", maxDepth).
			WithHint("Flatten the structure."))
		return nil, 0, errStop
	}
	if !r.budget.take(1) {
		r.list.Add(ruleTooLarge.At(r.pos(n), "the spec has more than %d values", maxValues).WithHint("Split the spec, or keep data outside of it."))
		return nil, 0, errStop
	}
	switch n.Kind {
	case yaml.MappingNode:
		return r.mapping(n, depth)
	case yaml.SequenceNode:
		return r.sequence(n, depth)
	case yaml.AliasNode:
		return r.alias(n, depth)
	case yaml.ScalarNode, yaml.DocumentNode:
	}
	return r.scalar(n), 1, nil
}

func (r *yamlReader) sequence(n *yaml.Node, depth int) (*source.Value, int, error) {
	v := &source.Value{Kind: source.List, Pos: r.pos(n), Items: make([]*source.Value, 0, len(n.Content))}
	size := 1
	for _, c := range n.Content {
		item, k, err := r.value(c, depth+1)
		if err != nil {
			return nil, 0, err
		}
		v.Items, size = append(v.Items, item), size+k
	}
	return v, size, nil
}

func (r *yamlReader) mapping(n *yaml.Node, depth int) (*source.Value, int, error) {
	v := &source.Value{Kind: source.Map, Pos: r.pos(n), Fields: make([]source.Field, 0, len(n.Content)/2)}
	size, index := 1, make(map[string]int, len(n.Content)/2)
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, c := n.Content[i], n.Content[i+1]
		if isMerge(k) {
			merges = append(merges, c)
			continue
		}
		key, ok := r.key(k)
		if !ok {
			continue
		}
		if j, twice := index[key]; twice {
			r.list.Add(ruleDuplicate.At(r.pos(k), "the key %q is here twice", key).WithHint("Delete or rename one of the two.").
				WithRelated(v.Fields[j].Pos, "the first %q", key))
			continue
		}
		item, s, err := r.value(c, depth+1)
		if err != nil {
			return nil, 0, err
		}
		index[key] = len(v.Fields)
		v.Fields, size = append(v.Fields, source.Field{Key: key, Pos: r.pos(k), Value: item}), size+s
	}
	for _, m := range merges {
		s, err := r.merge(v, index, m, depth)
		if err != nil {
			return nil, 0, err
		}
		size += s
	}
	return v, size, nil
}

// merge adds the fields of a `<<` value that v does not have yet.
func (r *yamlReader) merge(v *source.Value, index map[string]int, n *yaml.Node, depth int) (int, error) {
	from, size, err := r.value(n, depth+1)
	if err != nil {
		return 0, err
	}
	sources := []*source.Value{from}
	if from.Kind == source.List {
		sources = from.Items
	}
	for _, s := range sources {
		if s.Kind != source.Map {
			r.list.Add(ruleSyntax.At(r.pos(n), "<< wants a map or a list of maps").WithHint("Write <<: *anchor, where the anchor is on a map."))
			return 0, errStop
		}
		for _, f := range s.Fields {
			if _, there := index[f.Key]; !there {
				index[f.Key] = len(v.Fields)
				v.Fields = append(v.Fields, f)
			}
		}
	}
	return size, nil
}

func isMerge(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "<<" && (n.Tag == "" || n.Tag == "!" || n.ShortTag() == "!!merge")
}

// alias returns the tree of the anchor. The tree is shared, its size is counted anew.
func (r *yamlReader) alias(n *yaml.Node, depth int) (*source.Value, int, error) {
	if r.open[n.Alias] {
		r.list.Add(ruleSyntax.At(r.pos(n), "the alias *%s lies inside its own anchor", n.Value).WithHint("Write the value out."))
		return nil, 0, errStop
	}
	s, ok := r.known[n.Alias]
	if !ok {
		r.open[n.Alias] = true
		v, size, err := r.value(n.Alias, depth)
		delete(r.open, n.Alias)
		if err != nil {
			return nil, 0, err
		}
		s = sized{v, size}
		r.known[n.Alias] = s
	}
	if r.aliased += s.size; r.aliased > maxAliased || !r.budget.take(s.size) {
		r.list.Add(ruleTooLarge.At(r.pos(n), "the YAML aliases repeat more than %d values", maxAliased).WithHint("Write less with aliases."))
		return nil, 0, errStop
	}
	if depth+height(s.value) > maxDepth {
		r.list.Add(ruleTooLarge.At(r.pos(n), "values are nested more than %d levels deep", maxDepth).WithHint("Flatten the structure."))
		return nil, 0, errStop
	}
	return s.value, s.size, nil
}

// height is how deep v nests.
func height(v *source.Value) int {
	h := 0
	for _, item := range v.Items {
		h = max(h, 1+height(item))
	}
	for _, f := range v.Fields {
		h = max(h, 1+height(f.Value))
	}
	return h
}

// key returns the text of a map's key.
func (r *yamlReader) key(n *yaml.Node) (string, bool) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		r.list.Add(ruleSyntax.At(r.pos(n), "a key must be a plain text").WithHint("Put quotes around a key that begins with { or [."))
		return "", false
	}
	switch v := r.scalar(n); v.Kind {
	case source.String, source.Number:
		return v.Text, true
	case source.Bool:
		return strconv.FormatBool(v.Bool), true
	case source.Null, source.List, source.Map:
	}
	r.list.Add(ruleSyntax.At(r.pos(n), "a key must be a text, not null").WithHint("Put quotes around the key, or delete the entry."))
	return "", false
}

// octalLike is what YAML 1.1 took for octal; with an 8 or 9 in it, it is a text.
var octalLike = regexp.MustCompile(`^[-+]?0[0-9_]+$`)

func (r *yamlReader) scalar(n *yaml.Node) *source.Value {
	v := &source.Value{Pos: r.pos(n), Text: n.Value}
	tag := n.ShortTag()
	if tag == "!!float" && n.Style&yaml.TaggedStyle == 0 && octalLike.MatchString(n.Value) {
		tag = "!!str"
	}
	switch tag {
	case "!!null":
		v.Kind, v.Text = source.Null, ""
	case "!!bool":
		v.Kind, v.Bool, v.Text = source.Bool, strings.EqualFold(n.Value, "true"), ""
	case "!!int", "!!float":
		v.Kind = source.Number
		literal, ok := numberLiteral(n.Value)
		if !ok {
			r.list.Add(ruleSyntax.At(v.Pos, "%s is not a number that JSON can hold", quoted(n.Value)).WithHint("Write a finite number, or put quotes around a text."))
		}
		v.Text = literal
	case "!!str", "!!timestamp", "!!merge":
		v.Kind = source.String
		v.Raw, v.Indent = r.raw(n)
	default:
		r.list.Add(ruleSyntax.At(v.Pos, "the YAML tag %q is not known here", tag).WithHint("Delete the tag."))
	}
	return v
}

// jsonNumber is a number as JSON writes it.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// maxDigits is how long a number may be written.
const maxDigits = 400

// numberLiteral returns a number as JSON writes it, unchanged when it is written so. It
// must be one that a program can hold.
func numberLiteral(s string) (string, bool) {
	if len(s) > maxDigits {
		return "0", false
	}
	if jsonNumber.MatchString(s) {
		_, err := strconv.ParseFloat(s, 64)
		return s, err == nil
	}
	plain := strings.ReplaceAll(strings.TrimPrefix(s, "+"), "_", "")
	if i, err := strconv.ParseInt(plain, 0, 64); err == nil {
		return strconv.FormatInt(i, 10), true
	}
	if u, err := strconv.ParseUint(plain, 0, 64); err == nil {
		return strconv.FormatUint(u, 10), true
	}
	f, err := strconv.ParseFloat(plain, 64)
	literal := strconv.FormatFloat(f, 'g', -1, 64)
	return literal, err == nil && jsonNumber.MatchString(literal)
}
