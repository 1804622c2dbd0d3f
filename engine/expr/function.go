package expr

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/weft-engine/weft/engine/shape"
)

// Function describes one function of the language of expressions.
type Function struct {
	Name      string
	Signature string // name(param kind[, optional kind]) kind
	Doc       string // one sentence
	Example   string // an expression that is true
}

// Functions returns all functions, sorted by name.
func Functions() []Function {
	out := make([]Function, 0, len(predicateDocs))
	out = append(out, predicateDocs...)
	for _, f := range functions() {
		out = append(out, f.Function)
	}
	slices.SortFunc(out, func(a, b Function) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// function is a Function with what it does.
type function struct {
	Function
	call    func(m *machine, args []any) (any, error)
	typ     func(args []operand) *shape.Type // of the result; nil goes by the signature
	trusted bool                             // the result is trusted whatever the arguments are
	cost    int                              // steps of a call, beside what it reads and builds

	params   []param
	optional int // how many of params may be missing
	rest     bool
	result   *shape.Type
}

// param is one parameter as the signature tells it.
type param struct {
	name  string
	kinds []shape.Kind // what it takes; none is anything
}

var functions = sync.OnceValue(func() map[string]*function {
	all := map[string]*function{}
	for _, group := range [][]*function{textFunctions(), listFunctions(), numberFunctions(), dataFunctions(), timeFunctions(), chatFunctions(), localeFunctions(), wordFunctions(), escapeFunctions(), messageFunctions()} {
		for _, f := range group {
			f.read()
			all[f.Name] = f
		}
	}
	return all
})

var functionNames = sync.OnceValue(func() []string {
	names := append(slices.Collect(maps.Keys(functions())), slices.Collect(maps.Keys(predicates))...)
	slices.Sort(names)
	return names
})

func functionNamed(name string) (f *function, ok bool) {
	f, ok = functions()[name]
	return f, ok
}

var kindWords = map[string]*shape.Type{
	"any": anyType, "boolean": boolType, "integer": intType, "number": numberType, "string": stringType,
	"list": listType, "object": objectType, "time": timeType, "duration": durationType,
}

// read takes the name, the parameters and the result from the signature.
func (f *function) read() {
	head, result, _ := strings.Cut(f.Signature, ") ")
	name, params, _ := strings.Cut(head, "(")
	f.Name, f.result = name, kindWords[result]
	optional := false
	for word := range strings.SplitSeq(params, ",") {
		if strings.HasPrefix(word, "[") {
			optional = true
		}
		name, kinds, ok := strings.Cut(strings.Trim(word, "[] "), " ")
		optional = optional || strings.Contains(name, "[")
		if !ok {
			continue
		}
		p := param{name: name}
		if kinds, f.rest = strings.CutSuffix(strings.TrimRight(kinds, "["), "..."); kinds != "any" {
			for k := range strings.SplitSeq(kinds, "|") {
				p.kinds = append(p.kinds, kindWords[k].Kind)
			}
		}
		if optional {
			f.optional++
		}
		f.params = append(f.params, p)
		optional = optional || strings.HasSuffix(word, "[")
	}
}

// arity returns how many arguments f takes at least and at most.
func (f *function) arity() (least, most int) {
	if f.rest {
		return len(f.params), 255
	}
	return len(f.params) - f.optional, len(f.params)
}

func (f *function) param(i int) param {
	if i < len(f.params) {
		return f.params[i]
	}
	if len(f.params) == 0 {
		return param{}
	}
	return f.params[len(f.params)-1]
}

func (f *function) resultOf(args []operand) *shape.Type {
	if least, most := f.arity(); f.typ != nil && len(args) >= least && len(args) <= most {
		return f.typ(args)
	}
	return f.result
}

// takes reports whether a value of static kind k may fit.
func (p param) takes(k shape.Kind) bool {
	if len(p.kinds) == 0 || k == shape.Any || slices.Contains(p.kinds, k) {
		return true
	}
	return k == shape.Int && slices.Contains(p.kinds, shape.Number)
}

func (p param) describe() string {
	words := make([]string, len(p.kinds))
	for i, k := range p.kinds {
		words[i] = article(k.String())
	}
	return strings.Join(words, " or ")
}

// accept returns v as the parameter takes it: null as what is empty, floats without
// fraction as integers.
func (p param) accept(function string, v any) (any, error) {
	if len(p.kinds) == 0 {
		return v, nil
	}
	for _, k := range p.kinds {
		if out, ok := fit(k, v); ok {
			return out, nil
		}
	}
	return nil, fmt.Errorf("%s wants %s for %s, but it is %s", function, p.describe(), p.name, describeValue(v))
}

func fit(k shape.Kind, v any) (any, bool) {
	switch k {
	case shape.Int:
		return fitInt(v)
	case shape.Number:
		return v, isNumeric(kindOfValue(v))
	case shape.String:
		if v == nil {
			return "", true
		}
	case shape.List:
		if v == nil {
			return []any(nil), true
		}
	case shape.Object:
		if v == nil {
			return map[string]any(nil), true
		}
	default:
	}
	return v, kindOfValue(v) == k
}

func fitInt(v any) (any, bool) {
	i, ok := toInt(v)
	return i, ok
}

// The arguments of a call have been checked against the signature, so these only
// tell missing ones from given ones.

func text(args []any, i int) string {
	if i < len(args) {
		s, _ := args[i].(string)
		return s
	}
	return ""
}

func list(args []any, i int) []any {
	l, _ := args[i].([]any)
	return l
}

func integer(args []any, i, missing int) int {
	if i < len(args) {
		n, _ := args[i].(int)
		return n
	}
	return missing
}
