package http_test

import (
	"net/url"
	"strings"
	"testing"
)

// FuzzTemplate: whatever a spec writes as address, it is found wrong or it gives
// requests; and a host that an argument chooses is one of those listed.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{
		"https://api.example.com/{{ args.x }}", "{{ args.x }}", "https://{{ args.x }}/", "https://{{ args.x }}.example.com:80/a?b={{ args.x }}",
		"{{", "}}", "{{ \"}}\" }}", "{{ {a: {b: 1}} }}", "{% if x %}", "http://[::1]:80/", "https://a@b/", "ftp://x", "http://", "https://a/#b", "{{`}}`}}", "http://%41/",
	} {
		f.Add(s, "api.example.com")
		f.Add(s, "https://api.example.com/x")
	}
	f.Fuzz(func(t *testing.T, template, x string) {
		tool, list := newTool(t, `{"url": `+quote(template)+`, "hosts": ["api.example.com"]}`, options{})
		if tool.Backend == nil {
			if list.Len() == 0 {
				t.Fatalf("%q: no backend and no finding", template)
			}
			return
		}
		if list.HasErrors() {
			return
		}
		p, err := request(tool, map[string]any{"x": x})
		if err != nil {
			return
		}
		u, err := url.Parse(p.Args.(map[string]any)["url"].(string))
		if err != nil {
			t.Fatal(err)
		}
		dynamic := strings.HasPrefix(template, "{{") || strings.HasPrefix(template, "https://{{") || strings.HasPrefix(template, "http://{{")
		if host := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."); dynamic && host != "api.example.com" {
			t.Fatalf("%q with %q goes to %s", template, x, host)
		}
	})
}
