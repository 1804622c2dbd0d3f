// Package ordered keeps things in the order in which they came: JSON objects as they
// were written (Map), and the growing tables of a simulated world (Table, Bag), from
// which an entry can be taken and put back exactly where it was.
//
// JSON values are nil, bool, Number, string, []any and *Map.
package ordered

import "iter"

// indexFrom is the number of members from which a Map keeps an index; below that a scan
// is cheaper.
const indexFrom = 16

// Map is a JSON object: its members in order of their first appearance. The zero value is
// empty and ready. It is not safe for concurrent use.
type Map struct {
	members []Member
	index   map[string]int // nil while the map is small
}

// Member is one name and value of a Map.
type Member struct {
	Name  string
	Value any
}

// NewMap makes a map of the given members; a repeated name keeps its first place and its
// last value.
func NewMap(members ...Member) *Map {
	m := &Map{members: make([]Member, 0, len(members))}
	for _, x := range members {
		m.Set(x.Name, x.Value)
	}
	return m
}

// Len is the number of members. A nil Map has none.
func (m *Map) Len() int {
	if m == nil {
		return 0
	}
	return len(m.members)
}

// Get gives the value of a name. A nil Map has none.
func (m *Map) Get(name string) (any, bool) {
	if i := m.find(name); i >= 0 {
		return m.members[i].Value, true
	}
	return nil, false
}

// Set gives a name a value: in its old place when it has one, else at the end.
func (m *Map) Set(name string, value any) {
	if i := m.find(name); i >= 0 {
		m.members[i].Value = value
		return
	}
	m.members = append(m.members, Member{name, value})
	switch {
	case m.index != nil:
		m.index[name] = len(m.members) - 1
	case len(m.members) >= indexFrom:
		m.index = make(map[string]int, 2*indexFrom)
		for i := range m.members {
			m.index[m.members[i].Name] = i
		}
	}
}

// Delete removes a name. It costs the number of members.
func (m *Map) Delete(name string) {
	i := m.find(name)
	if i < 0 {
		return
	}
	m.members = append(m.members[:i], m.members[i+1:]...)
	if m.index == nil {
		return
	}
	delete(m.index, name)
	for ; i < len(m.members); i++ {
		m.index[m.members[i].Name] = i
	}
}

// All ranges over the members in order.
func (m *Map) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		if m == nil {
			return
		}
		for i := range m.members {
			if !yield(m.members[i].Name, m.members[i].Value) {
				return
			}
		}
	}
}

// Clone copies the map and everything in it.
func (m *Map) Clone() *Map {
	if m == nil {
		return nil
	}
	c := &Map{members: make([]Member, 0, len(m.members))}
	for _, x := range m.members {
		c.Set(x.Name, Clone(x.Value))
	}
	return c
}

// Clone copies a JSON value and everything in it.
func Clone(v any) any {
	switch v := v.(type) {
	case *Map:
		return v.Clone()
	case []any:
		c := make([]any, len(v))
		for i := range v {
			c[i] = Clone(v[i])
		}
		return c
	}
	return v
}

func (m *Map) find(name string) int {
	if m == nil {
		return -1
	}
	if m.index != nil {
		if i, ok := m.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range m.members {
		if m.members[i].Name == name {
			return i
		}
	}
	return -1
}
