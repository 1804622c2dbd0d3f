package simulator

import (
	"html"
	"slices"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// openAPI is the OpenAPI document of the table.
func (t *table) openAPI() []byte {
	o := jsontext.Open(nil)
	o.String("openapi", "3.1.0")
	o.Member("info", func(dst []byte) []byte {
		i := jsontext.Open(dst)
		i.String("title", "User Environment Simulator (UES)")
		i.String("version", Version)
		return i.Close()
	})
	o.Member("paths", t.paths)
	o.Raw("components", []byte(`{"securitySchemes":{"APIKey":{"type":"apiKey","in":"header","name":"X-API-Key"}}}`))
	return o.Close()
}

// paths writes the object of paths, in order of declaration.
func (t *table) paths(dst []byte) []byte {
	var order []string
	byPath := map[string][]*route{}
	for _, r := range t.all {
		if byPath[r.Path] == nil {
			order = append(order, r.Path)
		}
		byPath[r.Path] = append(byPath[r.Path], r)
	}
	o := jsontext.Open(dst)
	o.Raw("/", []byte(`{"get":{"summary":"Root","responses":{"200":{"description":"OK"}}}}`))
	o.Raw("/health", []byte(`{"get":{"summary":"Health","responses":{"200":{"description":"OK"}}}}`))
	for _, path := range order {
		o.Key(path)
		o.Write(func(dst []byte) []byte {
			p := jsontext.Open(dst)
			for _, r := range byPath[path] {
				p.Member(strings.ToLower(r.Method), r.operation)
			}
			return p.Close()
		})
	}
	return o.Close()
}

// operation writes the operation object of one endpoint.
func (r *route) operation(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.Strings("tags", []string{r.modality})
	o.String("summary", r.Summary)
	o.String("description", "Needs the permission "+r.Permission+".")
	o.String("operationId", strings.ToLower(r.Method)+strings.NewReplacer("/", "_", "{", "", "}", "", "-", "_").Replace(r.Path))
	if len(r.Query) > 0 || len(r.segments) > 0 {
		o.Member("parameters", r.parameters)
	}
	if r.Body != modality.NoBody {
		required := "false"
		if r.Body == modality.NeedBody {
			required = "true"
		}
		o.Raw("requestBody", []byte(`{"required":`+required+`,"content":{"application/json":{"schema":{"type":"object"}}}}`))
	}
	o.Raw("responses", []byte(`{"200":{"description":"OK"},"401":{"description":"No valid key"},`+
		`"403":{"description":"The key lacks the permission"},"422":{"description":"Validation Error"}}`))
	o.Raw("security", []byte(`[{"APIKey":[]}]`))
	return o.Close()
}

func (r *route) parameters(dst []byte) []byte {
	dst = append(dst, '[')
	for _, s := range r.segments {
		if isParam(s) {
			dst = appendParam(dst, "path", modality.Param{Name: s[1 : len(s)-1], Type: "string"})
		}
	}
	for _, p := range r.Query {
		dst = appendParam(dst, "query", p)
	}
	return append(dst, ']')
}

func appendParam(dst []byte, where string, p modality.Param) []byte {
	if dst[len(dst)-1] != '[' {
		dst = append(dst, ',')
	}
	o := jsontext.Open(dst)
	o.String("name", p.Name)
	o.String("in", where)
	o.Bool("required", where == "path")
	if p.Doc != "" {
		o.String("description", p.Doc)
	}
	o.Member("schema", func(dst []byte) []byte {
		t := jsontext.Open(dst)
		t.String("type", p.Type)
		return t.Close()
	})
	return o.Close()
}

// page is the table for people.
func (t *table) page() []byte {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><meta charset="utf-8"><title>User Environment Simulator (UES)</title>` +
		`<style>body{font:15px/1.5 system-ui,sans-serif;margin:2rem}td{padding:.1rem 1rem .1rem 0}</style>` +
		`<h1>User Environment Simulator (UES) ` + Version + `</h1><p>Machine-readable: <a href="/openapi.json">/openapi.json</a>. ` +
		`Send the header <code>X-API-Key</code>.</p><table>`)
	rows := slices.Clone(t.all)
	slices.SortStableFunc(rows, func(a, b *route) int { return strings.Compare(a.modality, b.modality) })
	for _, r := range rows {
		b.WriteString("<tr>")
		for _, cell := range []string{r.Method, r.Path, r.Permission, r.Summary} {
			b.WriteString("<td>" + html.EscapeString(cell) + "</td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table></html>\n")
	return []byte(b.String())
}
