package display

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// settings are what a spec may change, with what holds where it says nothing.
type settings struct {
	pageSize   int
	chartTypes []any
	inline     []any
	markers    []any
	levels     []any
	axisNames  []any
	colors     []any
	typeMap    map[string]any // display type to block type
	accepts    map[string]any // block type to the shapes it takes
	byShape    map[string]any // shape to block type, where neither hint nor display type says
	inputs     map[string]any // slot type to input
	reasons    map[string]any // wording of limitations
	labels     map[string]any // other words
	panelRef   string
	picture    bool // charts come with their SVG
}

// maxPage bounds what one block may hold.
const maxPage = 10_000

// readSettings reads settings that are plain data. Tables that name block types,
// shapes, inputs or words keep the defaults of the names they do not have; type_map and
// the lists replace theirs. Other names are left alone, so that a whole section of a
// configuration can be given.
func readSettings(v any) (*settings, error) {
	s := *defaults()
	given, ok := v.(map[string]any)
	if !ok && v != nil {
		return nil, errors.New("a map is wanted")
	}
	if len(given) == 0 {
		return &s, nil
	}
	err := errors.Join(
		s.readScalars(given),
		readList(given, "chart_types", &s.chartTypes), readList(given, "inline_types", &s.inline), readList(given, "markers", &s.markers),
		readList(given, "levels", &s.levels), readList(given, "axis_names", &s.axisNames), readList(given, "colors", &s.colors),
		readTable(given, "type_map", &s.typeMap, false), readTable(given, "accepts", &s.accepts, true),
		readTable(given, "by_shape", &s.byShape, true), readTable(given, "inputs", &s.inputs, true),
		readTable(given, "reasons", &s.reasons, true), readTable(given, "labels", &s.labels, true),
	)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

func (s *settings) readScalars(given map[string]any) error {
	if v := given["page_size"]; v != nil {
		n, ok := v.(int)
		if !ok || n < 1 || n > maxPage {
			return fmt.Errorf("page_size: a whole number from 1 to %d is wanted", maxPage)
		}
		s.pageSize = n
	}
	if v := given["panel_ref"]; v != nil {
		text, ok := v.(string)
		if !ok {
			return errors.New("panel_ref: a text is wanted")
		}
		s.panelRef = text
	}
	if v := given["svg"]; v != nil {
		on, ok := v.(bool)
		if !ok {
			return errors.New("svg: true or false is wanted")
		}
		s.picture = on
	}
	return nil
}

func readList(given map[string]any, name string, to *[]any) error {
	v := given[name]
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("%s: a list is wanted", name)
	}
	for _, item := range list {
		if _, ok := item.(string); !ok {
			return fmt.Errorf("%s: a list of texts is wanted", name)
		}
	}
	*to = list
	return nil
}

// readTable reads a map; with keep, names that it does not have stay as they are. Its
// values are texts, those of accepts lists of texts.
func readTable(given map[string]any, name string, to *map[string]any, keep bool) error {
	v := given[name]
	if v == nil {
		return nil
	}
	table, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: a map is wanted", name)
	}
	out := map[string]any{}
	if keep {
		out = maps.Clone(*to)
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if name == "accepts" {
			var shapes []any
			if err := readList(table, key, &shapes); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		} else if _, ok := table[key].(string); !ok {
			return fmt.Errorf("%s: %s: a text is wanted", name, key)
		}
		entry := key
		if name == "inputs" {
			entry = slotName(key)
		}
		out[entry] = table[key]
	}
	*to = out
	return nil
}

// takes reports whether blocks of a type take data of a shape, and whether the type is
// known at all.
func (s *settings) takes(block, shape string) (takes, known bool) {
	shapes, known := s.accepts[block].([]any)
	return slices.Contains(shapes, any(shape)), known
}

// placement is where blocks of a type stand.
func (s *settings) placement(block string) string {
	if slices.Contains(s.inline, any(block)) {
		return inline
	}
	return panel
}
