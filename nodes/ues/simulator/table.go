package simulator

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// route is an endpoint in the table.
type route struct {
	modality.Route
	modality string       // the modality it belongs to by its path, for Request.State
	segments []string     // of a path with parameters, else nil
	heavy    atomic.Int64 // the size of its last answer if that was heavy, else 0
}

// table finds the route of a request.
type table struct {
	all    []*route
	static map[string][]*route // by path
	params []*route
}

func newTable(routes []modality.Route) *table {
	t := &table{static: map[string][]*route{}}
	for _, one := range routes {
		r := &route{Route: one}
		r.modality, _, _ = strings.Cut(strings.TrimPrefix(one.Path, "/"), "/")
		t.all = append(t.all, r)
		if strings.Contains(one.Path, "{") {
			r.segments = strings.Split(one.Path, "/")
			t.params = append(t.params, r)
			continue
		}
		t.static[one.Path] = append(t.static[one.Path], r)
	}
	return t
}

// find gives the route for a method and a path; without one, the methods that the path
// has, none when there is no such path.
func (t *table) find(method, path string) (found *route, allowed []string) {
	for _, r := range t.static[path] {
		if r.Method == method {
			return r, nil
		}
		allowed = append(allowed, r.Method)
	}
	parts := strings.Split(path, "/")
	for _, r := range t.params {
		if !r.matches(parts) {
			continue
		}
		if r.Method == method {
			return r, nil
		}
		if !slices.Contains(allowed, r.Method) {
			allowed = append(allowed, r.Method)
		}
	}
	return nil, allowed
}

// matches tells whether a path has the form of a route with parameters.
func (r *route) matches(parts []string) bool {
	if len(parts) != len(r.segments) {
		return false
	}
	for i, want := range r.segments {
		if isParam(want) && parts[i] == "" || !isParam(want) && parts[i] != want {
			return false
		}
	}
	return true
}

func isParam(segment string) bool { return strings.HasPrefix(segment, "{") }

// param gives the part of a path that a parameter stands for.
func (r *route) param(path, name string) string {
	parts := strings.Split(path, "/")
	for i, want := range r.segments {
		if isParam(want) && want[1:len(want)-1] == name && i < len(parts) {
			return parts[i]
		}
	}
	return ""
}
