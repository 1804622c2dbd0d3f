package shape

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// tidier rewrites a schema from elsewhere in the vocabulary of specs: what is not
// known is left out, and what references go to becomes a type.
type tidier struct {
	doc   map[string]any
	names map[string]string // pointer -> type
	types map[string]any
	err   error
}

func (t *tidier) schema(v any) any {
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for _, key := range sortedKeys(object) {
		if value, keep := t.keyword(key, object[key]); keep {
			out[key] = value
		}
	}
	if items, old := object["items"].([]any); old {
		delete(out, "items")
		out["prefixItems"] = t.list(items)
	}
	return out
}

func (t *tidier) keyword(key string, v any) (any, bool) {
	if private[key] {
		return nil, false
	}
	switch keywords[key] {
	case 0:
		return nil, false
	case aSchema:
		return t.schema(v), true
	case schemaList:
		items, ok := v.([]any)
		return t.list(items), ok && len(items) > 0
	case schemaMap, patternMap:
		members, ok := v.(map[string]any)
		return t.members(members, keywords[key] == patternMap), ok
	case reference:
		ref, ok := v.(string)
		return t.reference(ref), ok
	case pattern:
		expr, ok := v.(string)
		return expr, ok && compiles(expr)
	case number:
		_, flag := v.(bool) // exclusiveMinimum of draft 4
		return v, !flag
	case names:
		_, flag := v.(bool) // required of draft 3
		return v, !flag
	default:
		return v, true
	}
}

func compiles(expr string) bool {
	_, err := regexp.Compile(expr)
	return err == nil
}

func (t *tidier) list(items []any) []any {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = t.schema(item)
	}
	return out
}

func (t *tidier) members(members map[string]any, patterns bool) map[string]any {
	out := make(map[string]any, len(members))
	for _, key := range sortedKeys(members) {
		if !patterns || compiles(key) {
			out[key] = t.schema(members[key])
		}
	}
	return out
}

// reference makes a type of what ref goes to, once, and refers to that.
func (t *tidier) reference(ref string) string {
	name, done := t.names[ref]
	if !done {
		name = t.newName(ref)
		t.names[ref] = name
		target, err := t.target(ref)
		if err != nil {
			t.err = err
			return "#/types/" + name
		}
		t.types[name] = true
		t.types[name] = t.schema(target)
	}
	return "#/types/" + name
}

func (t *tidier) newName(ref string) string {
	base := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, ref[strings.LastIndexAny(ref, "/#")+1:])
	if base == "" || base == "Message" || base == "ToolCall" {
		base += "Root"
	}
	name := base
	for i := 2; ; i++ {
		if _, taken := t.types[name]; !taken {
			return name
		}
		name = base + strconv.Itoa(i)
	}
}

func (t *tidier) target(ref string) (any, error) {
	path, local := strings.CutPrefix(ref, "#")
	if !local || path != "" && !strings.HasPrefix(path, "/") {
		return nil, fmt.Errorf("$ref %q leads out of the schema, and nothing is ever loaded", clip(ref, 80))
	}
	if decoded, err := url.PathUnescape(path); err == nil {
		path = decoded
	}
	var at any = t.doc
	for _, token := range strings.Split(path, "/")[1:] {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch v := at.(type) {
		case map[string]any:
			at = v[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil, fmt.Errorf("$ref %q leads nowhere", clip(ref, 80))
			}
			at = v[i]
		default:
			at = nil
		}
	}
	if at == nil {
		return nil, fmt.Errorf("$ref %q leads nowhere", clip(ref, 80))
	}
	return at, nil
}
