package compile

import "github.com/weft-engine/weft/engine/diag"

// explain writes why a rule is there, with a wrong and a right example.
func explain(why, wrong, right string) string {
	return why + "\n\nWrong:\n\n```yaml\n" + wrong + "\n```\n\nRight:\n\n```yaml\n" + right + "\n```\n"
}

var (
	reservedName = diag.Rule{
		Code: "graph/reserved-name", Severity: diag.Error, Summary: "A name means something else already.",
		Explain: explain("Expressions know `input`, `output`, `memory`, `run` and `error`; `end` is where graphs finish. A state field, a node or an "+
			"item of for_each needs a name of its own, or one would hide the other.",
			"state: {output: {type: string}}", "state: {answer: {type: string}}"),
	}
	badReducer = diag.Rule{
		Code: "graph/reducer", Severity: diag.Error, Summary: "A reducer does not exist or does not fit the field.",
		Explain: explain("`reduce` says how a write merges into what the field holds: append, by_id and union work on lists, merge on objects, sum on "+
			"numbers, min and max on numbers and texts, replace on everything.",
			"total: {type: string, reduce: sum}", "total: {type: number, reduce: sum}"),
	}
	inputType = diag.Rule{
		Code: "graph/input-type", Severity: diag.Error, Summary: "A field of the input and of the state have one name and two types.",
		Explain: explain("A state field starts with the input's field of the same name, so both have the same type.",
			"input: {type: object, properties: {days: {type: string}}}\nstate: {days: {type: integer}}",
			"input: {type: object, properties: {days: {type: integer}}}\nstate: {days: {type: integer}}"),
	}
	badLimit = diag.Rule{
		Code: "graph/limit", Severity: diag.Error, Summary: "A limit is out of range.",
		Explain: explain("`limits.steps` is there to end a run that goes round and round. A limit that no run reaches in practice is none.",
			"limits: {steps: 999999999}", "limits: {steps: 500}"),
	}
	unknownNode = diag.Rule{
		Code: "graph/unknown-node", Severity: diag.Error, Summary: "No node has this name.",
		Explain: explain("`start`, `next`, `on_error` and `join` name nodes of the same graph; `end` finishes.",
			"next: agnet", "next: agent"),
	}
	unknownNodeType = diag.Rule{
		Code: "graph/unknown-type", Severity: diag.Error, Summary: "This program does not have the type of a node.",
		Explain: explain("The spec is right, but the program that loads it was built without this node type.",
			"ask: {my_own_type: {…}}", "ask: {llm_call: {…}}"),
	}
	twoTypes = diag.Rule{
		Code: "graph/two-types", Severity: diag.Error, Summary: "A node has more than one type.",
		Explain: explain("A node does one thing. Two things are two nodes, one after the other or side by side.",
			"a:\n  llm_call: {prompt: Hello}\n  wait: {for: 1h}", "a: {llm_call: {prompt: Hello}, next: b}\nb: {wait: {for: 1h}}"),
	}
	deadEdge = diag.Rule{
		Code: "graph/dead-edge", Severity: diag.Error, Summary: "An edge is never taken.",
		Explain: explain("Of a list of edges the first whose condition holds is taken. One without `when` always holds, so nothing behind it counts.",
			"next:\n  - {to: a}\n  - {when: urgent, to: b}", "next:\n  - {when: urgent, to: b}\n  - {to: a}"),
	}
	twiceTarget = diag.Rule{
		Code: "graph/target-twice", Severity: diag.Error, Summary: "An edge names a node twice.",
		Explain: explain("All nodes of a list run in the next step, each once. To run one several times, use for_each.",
			"next: [search, search]", "next: search"),
	}
	notList = diag.Rule{
		Code: "graph/for-each", Severity: diag.Error, Summary: "for_each is given something that is no list.",
		Explain: explain("`for_each.in` is an expression that gives a list; the node runs once for each item.",
			"for_each: {in: email.subject}", "for_each: {in: email.attachments}"),
	}
	badOutput = diag.Rule{
		Code: "graph/output", Severity: diag.Error, Summary: "The output of a graph does not name its fields.",
		Explain: explain("What a graph gives is an object: each field is named, so that callers can be checked against it.",
			"output: \"{{ answer }}\"", "output: {answer: \"{{ answer }}\"}"),
	}
	outputMemory = diag.Rule{
		Code: "graph/output-memory", Severity: diag.Error, Summary: "The output of a graph reads a memory.",
		Explain: explain("Memories are loaded for the steps whose nodes read them. The output is made after the last step.",
			"output: {preferences: \"{{ memory.preferences }}\"}", "nodes:\n  keep: {set: {preferences: \"{{ memory.preferences }}\"}}\n…\noutput: {preferences: \"{{ preferences }}\"}"),
	}
	unknownStateField = diag.Rule{
		Code: "graph/unknown-field", Severity: diag.Error, Summary: "The state has no field of this name.",
		Explain: explain("`set` writes the fields that the graph declares under `state`, and no others.",
			"state: {classification: {type: string}}\n…\nset: {classificat: \"{{ output.classification }}\"}",
			"set: {classification: \"{{ output.classification }}\"}"),
	}
	setType = diag.Rule{
		Code: "graph/set-type", Severity: diag.Error, Summary: "A field is written a value that never fits.",
		Explain: explain("What is written is compared with the declared type of the field; with a reducer, with what the reducer takes: append takes a list "+
			"or one item.",
			"state: {count: {type: integer}}\n…\nset: {count: many}", "set: {count: \"{{ len(items) }}\"}"),
	}
	unreachable = diag.Rule{
		Code: "graph/unreachable-node", Severity: diag.Error, Summary: "No path leads to a node.",
		Explain: explain("A node runs when an edge leads to it. One that none leads to is a leftover, or an edge was forgotten.",
			"start: a\nnodes:\n  a: {next: end}\n  b: {next: end}", "start: a\nnodes:\n  a: {next: b}\n  b: {next: end}"),
	}
	neverEnds = diag.Rule{
		Code: "graph/never-ends", Severity: diag.Error, Summary: "No path leads from a node to the end.",
		Explain: explain("Once a run comes to such a node it goes on until its limit of steps ends it, which is a failure.",
			"a: {next: b}\nb: {next: a}", "a: {next: b}\nb: {next: [{when: done, to: end}, {to: a}]}"),
	}
	badJoin = diag.Rule{
		Code: "graph/join", Severity: diag.Error, Summary: "A join waits for what cannot happen.",
		Explain: explain("A node with `join` runs when each of the nodes it names has run. If a choice leads to one of them or to the other, or one of them "+
			"only runs after the join, it waits for ever.",
			"ask: {next: [{when: short, to: a}, {to: b}]}\na: {next: sum}\nb: {next: sum}\nsum: {join: [a, b]}",
			"ask: {next: [a, b]}\na: {next: sum}\nb: {next: sum}\nsum: {join: [a, b]}"),
	}
	unbounded = diag.Rule{
		Code: "graph/unbounded-loop", Severity: diag.Error, Summary: "A loop has no bound.",
		Explain: explain("A model decides when an agent's loop ends, and models go wrong. A graph with a loop says how many steps its longest sensible run takes.",
			"nodes:\n  agent: {…, next: act}\n  act: {…, next: [{when: output.stopped, to: end}, {to: agent}]}",
			"limits: {steps: 60}\nnodes:\n  agent: …"),
	}
	endlessRecursion = diag.Rule{
		Code: "graph/endless-recursion", Severity: diag.Error, Summary: "A graph runs itself on every path.",
		Explain: explain("Each run of the graph begins another one inside, and none ends. A graph may run itself if a path leads around the node that does.",
			"graphs:\n  split: {start: again, nodes: {again: {graph: {name: split}}}}",
			"graphs:\n  split:\n    start: enough\n    nodes:\n      enough: {next: [{when: len(input.items) < 2, to: end}, {to: again}]}\n      again: {graph: {name: split, input: …}}"),
	}
	unwrittenField = diag.Rule{
		Code: "graph/unwritten-field", Severity: diag.Error, Summary: "A field is read that nothing has written.",
		Explain: explain("The field has no default, the input does not bring it, and no node that runs before the reader writes it: it is always empty there. "+
			"Most often the edge or the `set` that was meant is missing.",
			"ask: {llm_call: {prompt: \"{{ draft }}\"}, next: write}\nwrite: {llm_call: {…}, set: {draft: \"{{ output.text }}\"}}",
			"write: {llm_call: {…}, set: {draft: \"{{ output.text }}\"}, next: ask}\nask: {llm_call: {prompt: \"{{ draft }}\"}}"),
	}
	twoWriters = diag.Rule{
		Code: "graph/two-writers", Severity: diag.Error, Summary: "Two nodes write one field in one step.",
		Explain: explain("Nodes of one step run side by side; which write would win is nobody's decision. A reducer says how both are kept.",
			"state: {notes: {type: array}}\n…\nstart: {next: [a, b]}\na: {set: {notes: …}}\nb: {set: {notes: …}}",
			"state: {notes: {type: array, reduce: append}}"),
	}
	onceRetry = diag.Rule{
		Code: "graph/once-retry", Severity: diag.Error, Summary: "A retry of a node could do something twice that may happen only once.",
		Explain: explain("The node calls a tool with `effect: once`. When a try ends without an answer, nobody knows whether it happened, and its backend has "+
			"no way to find out.",
			"pay: {tool: {name: charge_card}, retry: {attempts: 3}}", "pay: {tool: {name: charge_card}, on_error: {to: ask_support}}"),
	}
	badCache = diag.Rule{
		Code: "graph/cache", Severity: diag.Error, Summary: "A node has a cache that can do harm, or nothing to keep.",
		Explain: explain("A cache gives an earlier result instead of doing the work. That is right for work that only looks something up. It is wrong for work "+
			"that changes the world, and for questions to a human.",
			"send: {tool: {name: send_email}, cache: {ttl: 24h}}", "look: {tool: {name: look_up_price}, cache: {ttl: 24h}}"),
	}
	nothingToTry = diag.Rule{
		Code: "graph/nothing-to-try", Severity: diag.Warning, Summary: "A node has a retry or a timeout, and makes no call.",
		Explain: explain("`retry` and `timeout` are for work outside the graph: calls of models and tools. A node that only sets and routes computes, and gives "+
			"the same whenever it is tried. A node that runs a graph may have a timeout, but what the graph calls is tried in its own nodes.",
			"count: {set: {n: \"{{ n + 1 }}\"}, retry: {attempts: 3}}", "look: {tool: {name: look_up_price}, retry: {attempts: 3}}"),
	}
	triggerSource = diag.Rule{
		Code: "trigger/source", Severity: diag.Error, Summary: "A trigger does not listen to exactly one source.",
		Explain: explain("A trigger makes runs out of the events of one source: a mailbox, the clock. Two sources are two triggers of one graph.",
			"morning: {graph: digest}", "morning: {cron: \"0 7 * * 1-5\", graph: digest}"),
	}
	triggerInput = diag.Rule{
		Code: "trigger/input", Severity: diag.Error, Summary: "A trigger does not give its graph the input that it wants.",
		Explain: explain("The input is made from `event`, with which the source tells what happened. It has to fit what the graph declares.",
			"morning: {cron: \"0 7 * * *\", graph: digest}   # digest requires `day`", "morning: {cron: \"0 7 * * *\", graph: digest, input: {day: \"{{ event.time }}\"}}"),
	}
	largeGraph = diag.Rule{
		Code: "graph/too-large", Severity: diag.Error, Summary: "A graph has more nodes than can be judged.",
		Explain: "A graph has at most 10,000 nodes. One that was generated is better a loop or a `for_each` over data; one that was written is " +
			"better several graphs that run each other.\n",
	}
	largeVolume = diag.Rule{
		Code: "template/too-often", Severity: diag.Error, Summary: "Long texts are used so often that compiling them would take too long.",
		Explain: "A template without `params` sees the names of the place that uses it, so it is checked against each place, and the texts of a " +
			"policy against each node that calls its tools. All uses together may be 32 MiB of text. A template with `params` sees its parameters " +
			"only: it is checked once, however often it is used.\n",
	}
	unknownIntent = diag.Rule{
		Code: "template/intent", Severity: diag.Error, Summary: "No intent has the name that a template says it is the base of.",
		Explain: explain("A response template belongs to an intent of the spec's `intents`, or replaces the response to one dialogue act (`dact`).",
			"intents: {schedule: {speaks: true}}\ntemplates: {planned: {intent: shedule, text: …}}", "templates: {planned: {intent: schedule, text: …}}"),
	}
	templateBody = diag.Rule{
		Code: "template/body", Severity: diag.Error, Summary: "A template has no text, or more than one.",
		Explain: explain("A template is one `text`, or `sections` of which those are left out that give nothing, or `variations` of which one is said.",
			"greeting: {text: Hello, sections: [Hello]}", "greeting: {sections: [Hello, {when: name, text: \"dear {{ name }}\"}]}"),
	}
	templateRole = diag.Rule{
		Code: "template/role", Severity: diag.Error, Summary: "It is not clear what a template answers.",
		Explain: explain("A response template is the base template of an intent (`intent`), or it replaces that for one dialogue act (`dact`). How a text is shown "+
			"and restyled (`block_hint`, `skip_naturalize`, `naturalize`, `temperature`, `length`) means something for responses only.",
			"booked: {intent: schedule, dact: book, text: Booked.}", "booked: {dact: book, text: Booked.}"),
	}
	templateTwice = diag.Rule{
		Code: "template/twice", Severity: diag.Error, Summary: "Two templates answer the same.",
		Explain: explain("Each intent has one base template and each dialogue act one that replaces it, or nobody could say which is meant.",
			"a: {dact: book, text: Booked.}\nb: {dact: book, text: It is booked.}", "a: {dact: book, variations: [Booked., It is booked.]}"),
	}
	templateLength = diag.Rule{
		Code: "template/length", Severity: diag.Error, Summary: "No text has the length that is wanted.",
		Explain: explain("`length` bounds the tokens of a text, both ends included.",
			"length: {min_tokens: 50, max_tokens: 10}", "length: {min_tokens: 10, max_tokens: 50}"),
	}
	naturalizeTemplate = diag.Rule{
		Code: "template/naturalize", Severity: diag.Error, Summary: "A text cannot be restyled by this template.",
		Explain: explain("`naturalize` names the prompt by which a model puts a response in other words. It is given the text as a parameter, so it declares `params`.",
			"soften: {text: \"Say it kindly.\"}", "soften: {params: {type: object, properties: {style: {type: string}}}, text: \"Say it kindly. {{ style }}\"}"),
	}
	blockHint = diag.Rule{
		Code: "template/block-hint", Severity: diag.Warning, Summary: "A response wants to be shown as a block that nobody knows.",
		Explain: explain("`block_hint` is the type of block that fits the text. A type that is unknown is not shown as such.",
			"booked: {dact: book, block_hint: crad, text: Booked.}", "booked: {dact: book, block_hint: card, text: Booked.}"),
	}
	intentBase = diag.Rule{
		Code: "intent/base", Severity: diag.Error, Summary: "An intent maps to one that there is not, or to itself.",
		Explain: explain("A domain has names of its own for what can be meant. `base` says which intent it is, so that the base template of that one counts. "+
			"It is followed once: the intent that it names is looked up as it is.",
			"intents: {report: {base: schedul}, schedule: {}}", "intents: {report: {base: schedule}, schedule: {}}"),
	}
	unusedDefinition = diag.Rule{
		Code: "spec/unused", Severity: diag.Warning, Summary: "Nothing uses a definition.",
		Explain: explain("A model, tool, template, memory or interrupt that nothing refers to is a leftover, or the reference to it is missing. A tool's "+
			"policy that is not attached protects nothing.",
			"interrupts: {review: {…}}\ntools: {send_email: {…}}", "tools: {send_email: {…, interrupt: review}}"),
	}
)

// Rules returns the findings of this package.
func Rules() []diag.Rule {
	return []diag.Rule{
		reservedName, badReducer, inputType, badLimit, unknownNode, unknownNodeType, twoTypes, deadEdge, twiceTarget,
		notList, badOutput, outputMemory, unknownStateField, setType, unreachable, neverEnds, badJoin, unbounded,
		endlessRecursion, unwrittenField, twoWriters, onceRetry, badCache, nothingToTry, triggerSource, triggerInput, largeGraph, largeVolume, unknownIntent,
		templateBody, templateRole, templateTwice, templateLength, naturalizeTemplate, blockHint, intentBase, unusedDefinition,
	}
}
