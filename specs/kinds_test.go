package specs_test

import "maps"

// kind says how a kind of case is handed to a graph of the responder: under which names,
// and what of the output the case calls what. Nothing is decided here.
type kind struct {
	graph  string
	input  func(object) object
	output func(object) object
	expect func(object) object
}

var kinds = map[string]kind{
	"lifecycle": {graph: "lifecycle"},
	"lookup":    {graph: "lookup", expect: func(want object) object { return lowered(want, "key") }},
	"version":   {graph: "lookup", expect: func(want object) object { return lowered(want, "prompt_version_id") }},
	"fill": {graph: "compose", input: func(in object) object {
		if _, own := in["template"]; own {
			return with(in, object{"flow": inline})
		}
		return in
	}},
	"naturalize": {graph: "say", input: func(in object) object {
		out := maps.Clone(in)
		out["frame"] = in["frame"] != nil && in["frame"] != false
		out["turns"] = turns(in["turns"])
		return out
	}},
	"history": {graph: "history", input: func(in object) object { return with(in, object{"turns": turns(in["turns"])}) }},
	"route": {graph: "route", input: func(in object) object {
		out := with(in, object{"flags": object{"keep_going": in["keep_going"]}, "frame": nil})
		if in["frame"] == true {
			out["frame"] = object{}
		}
		return out
	}},
	"ambiguity": {graph: "clarify"},
	"merge":     {graph: "merge"},
	"stream":    {graph: "stream", input: func(in object) object { return renamed(in, "skip_naturalize", "skip") }},
	"cc":        {graph: "record"},
	"finish":    {graph: "finish"},
	"display":   {graph: "show", input: func(in object) object { return withRows(renamed(in, "resolvable", "tables")) }, output: flat},
	"update":    {graph: "show", input: withRows, output: flat},
	"render":    {graph: "rendered"},
	"turn": {graph: "respond", input: func(in object) object {
		return withRows(with(renamed(in, "resolvable", "tables"), object{"turns": turns(in["turns"])}))
	}, output: func(out object) object {
		said := []any{}
		turns, _ := out["cc"].([]any)
		for _, turn := range turns {
			fields, _ := turn.(object)
			said = append(said, []any{fields["turn_type"], fields["content"]})
		}
		return with(out, object{"cc": said})
	}},
	"fields": {graph: "fields"},
	"envelope": {graph: "envelope", output: func(out object) object {
		messages, _ := out["messages"].([]any)
		told := make([]any, len(messages))
		for i, m := range messages {
			fields, _ := m.(object)
			told[i] = object{"type": fields["type"], "fields": fields["fields"]}
		}
		return object{"messages": told}
	}},
	"config":    {graph: "config"},
	"validate":  {graph: "validate"},
	"selfcheck": {graph: "self_check"},
}

func with(in, more object) object {
	out := maps.Clone(in)
	maps.Copy(out, more)
	return out
}

func renamed(in object, from, to string) object {
	out := maps.Clone(in)
	if v, ok := in[from]; ok {
		delete(out, from)
		out[to] = v
	}
	return out
}

// turns writes pairs of role and content as turns of a conversation.
func turns(v any) any {
	pairs, ok := v.([]any)
	if !ok {
		return []any{}
	}
	out := make([]any, len(pairs))
	for i, p := range pairs {
		out[i] = p
		if pair, ok := p.([]any); ok && len(pair) == 2 {
			out[i] = object{"role": pair[0], "content": pair[1]}
		}
	}
	return out
}

// withRows writes data_rows: N of a frame as N rows.
func withRows(in object) object {
	frame, ok := in["frame"].(object)
	if !ok {
		return in
	}
	n, ok := frame["data_rows"].(float64)
	if !ok {
		return in
	}
	rows := make([]any, int(n))
	for i := range rows {
		rows[i] = object{"id": i + 1}
	}
	frame = with(frame, object{"data": rows})
	delete(frame, "data_rows")
	return with(in, object{"frame": frame})
}

// flat puts the fields of a block beside what is told of it.
func flat(out object) object {
	block, ok := out["block"].(object)
	if !ok {
		return out
	}
	return with(block, out)
}
