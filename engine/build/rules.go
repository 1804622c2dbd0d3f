package build

import "github.com/weft-engine/weft/engine/diag"

// explain writes why a rule is there, with a wrong and a right example.
func explain(why, wrong, right string) string {
	return why + "\n\nWrong:\n\n```yaml\n" + wrong + "\n```\n\nRight:\n\n```yaml\n" + right + "\n```\n"
}

var (
	badDuration = diag.Rule{
		Code: "spec/duration", Severity: diag.Error, Summary: "A duration cannot be read.",
		Explain: explain("Durations are written as Go does (`90s`, `1h30m`) or as ISO 8601 does (`PT1H`, `P3D`). Years and months have no "+
			"fixed length and are not taken. A duration is not negative and at most a hundred years.",
			"timeout: {after: P3W2D, as: ignore}", "timeout: {after: 552h, as: ignore}"),
	}
	secretInData = diag.Rule{
		Code: "secret/in-data", Severity: diag.Error, Summary: "A reference to a secret stands in data, where nothing resolves it.",
		Explain: explain("Secrets are resolved in `api_key` of models, in `headers` of http tools and in `env` of exec tools, and nowhere else: what "+
			"is set, passed or rendered is journaled and shown to models. In data `{env: NAME}` is a map like any other.",
			"args: {token: {env: SHOP_TOKEN}}", "tools:\n  shop:\n    http: {url: …, headers: {Authorization: {env: SHOP_TOKEN}}}"),
	}
	unfenced = diag.Rule{
		Code: "text/unfenced", Severity: diag.Error, Summary: "Text from outside stands in a prompt as it is.",
		Explain: explain("A model cannot tell what the spec tells it from what an e-mail or a web page tells it, so whoever writes the e-mail would write the "+
			"prompt. `fence` puts such text between marks that it cannot contain itself. Text from outside is what a schema marks `untrusted: true`.",
			"types: {Email: {type: object, properties: {body: {type: string, untrusted: true}}}}\n…\nprompt: \"Classify: {{ email.body }}\"",
			"prompt: \"Classify: {{ fence(email.body, 'email') }}\""),
	}
	untrustedCommand = diag.Rule{
		Code: "tool/untrusted", Severity: diag.Error, Summary: "Text from outside decides where a tool goes or what it runs.",
		Explain: explain("An argument that is marked `untrusted: true` may fill a query, a body or standard input. In the host of an address or on a command line it "+
			"would decide what is called.",
			"parameters: {type: object, properties: {host: {type: string, untrusted: true}}}\nhttp: {url: \"https://{{ args.host }}/\", hosts: [\"*.example.com\"]}",
			"parameters: {type: object, properties: {region: {enum: [eu, us]}}}\nhttp: {url: \"https://{{ args.region }}.example.com/\", hosts: [\"*.example.com\"]}"),
	}
	unknownModel = diag.Rule{
		Code: "model/unknown", Severity: diag.Error, Summary: "No model has this name.",
		Explain: explain("Models are defined under `models`. Where none is named, the one called `default` is meant.",
			"models: {default: {…}}\n…\nllm_call: {model: large, prompt: …}", "llm_call: {model: default, prompt: …}"),
	}
	modelCycle = diag.Rule{
		Code: "model/fallback-cycle", Severity: diag.Error, Summary: "Fallbacks of models go in a circle.",
		Explain: explain("A fallback is asked when a model's tries are spent. If the chain comes back to where it began, a call would never end.",
			"models:\n  big:   {…, fallback: small}\n  small: {…, fallback: big}", "models:\n  big:   {…, fallback: small}\n  small: {…}"),
	}
	modelKey = diag.Rule{
		Code: "model/key", Severity: diag.Error, Summary: "A model has no key, and its provider answers nobody without one.",
		Explain: explain("openai, azure, anthropic and google need a key; ollama and openai_compatible may do without.",
			"default: {provider: openai, model: gpt-4.1}", "default: {provider: openai, model: gpt-4.1, api_key: {env: OPENAI_API_KEY}}"),
	}
	modelAddress = diag.Rule{
		Code: "model/address", Severity: diag.Error, Summary: "A model has no address, and its provider has none that is the same for all.",
		Explain: explain("azure and openai_compatible are servers of your own choice: say where they are.",
			"default: {provider: openai_compatible, model: qwen3}", "default: {provider: openai_compatible, model: qwen3, base_url: http://localhost:8000/v1}"),
	}
	modelPrices = diag.Rule{
		Code: "model/prices", Severity: diag.Warning, Summary: "A budget in dollars cannot be kept without prices.",
		Explain: explain("`usd_per_run` compares what a run has cost with the budget. Without `prices` every call costs nothing, and the budget is never reached.",
			"budget: {usd_per_run: 1.5}", "budget: {usd_per_run: 1.5}\nprices: {input_per_million: 2, output_per_million: 8}"),
	}
	unknownTemplate = diag.Rule{
		Code: "template/unknown", Severity: diag.Error, Summary: "No template has this name.",
		Explain: explain("`{template: name}` inserts an entry of the spec's `templates`.",
			"templates: {triage_system: {text: …}}\n…\nsystem: {template: triage_systm}", "system: {template: triage_system}"),
	}
	templateParams = diag.Rule{
		Code: "template/params", Severity: diag.Error, Summary: "The params of a template are not an object.",
		Explain: explain("Parameters are passed by name, so their schema is an object with a property for each.",
			"params: {type: string}", "params: {type: object, required: [title], properties: {title: {type: string}}}"),
	}
	templateMissing = diag.Rule{
		Code: "template/missing-parameter", Severity: diag.Error, Summary: "A template is used without a parameter that it needs.",
		Explain: explain("A template with `params` sees its parameters, `memory` and `run`, and nothing of the place that uses it. What its schema "+
			"requires has to be passed.",
			"prompt: {template: greeting}", "prompt: {template: greeting, with: {name: \"{{ user.name }}\"}}"),
	}
	templateParam = diag.Rule{
		Code: "template/unknown-parameter", Severity: diag.Error, Summary: "A template has no such parameter.",
		Explain: explain("What a template with `params` does not declare it cannot use.",
			"prompt: {template: greeting, with: {nam: Ada}}", "prompt: {template: greeting, with: {name: Ada}}"),
	}
	templateType = diag.Rule{
		Code: "template/parameter-type", Severity: diag.Error, Summary: "A parameter of a template has the wrong type.",
		Explain: explain("The template was checked against the declared types of its parameters, so it is given values of these types.",
			"prompt: {template: greeting, with: {names: Ada}}     # names is a list", "prompt: {template: greeting, with: {names: [Ada]}}"),
	}
	unknownTool = diag.Rule{
		Code: "tool/unknown", Severity: diag.Error, Summary: "No tool has this name.",
		Explain: explain("Tools are defined under `tools`; models are told of them, and nodes call them, by name.",
			"llm_call: {tools: [serach], prompt: …}", "llm_call: {tools: [search], prompt: …}"),
	}
	toolParameters = diag.Rule{
		Code: "tool/parameters", Severity: diag.Error, Summary: "The parameters of a tool are not an object.",
		Explain: explain("Models pass arguments by name, so the schema of `parameters` is an object with a property for each.",
			"parameters: {type: string}", "parameters: {type: object, required: [query], properties: {query: {type: string}}}"),
	}
	toolBackends = diag.Rule{
		Code: "tool/two-backends", Severity: diag.Error, Summary: "A tool has more than one thing that gives its result.",
		Explain: explain("One backend does a tool's work. A profile that replaces a backend must not add a second one: keep backends that differ "+
			"out of the spec itself and give each profile its own.",
			"search: {http: {url: …}, expr: \"[]\"}", "search: {http: {url: …}}"),
	}
	toolBackend = diag.Rule{
		Code: "tool/no-backend", Severity: diag.Error, Summary: "A tool has nothing that does its work.",
		Explain: explain("A tool's result comes from a backend, from `result`, or from the answer of the human that its `interrupt` asks.",
			"done: {description: The work is finished.}", "done: {description: The work is finished., result: done}"),
	}
	unknownBackend = diag.Rule{
		Code: "tool/backend-missing", Severity: diag.Error, Summary: "This program does not have the backend of a tool.",
		Explain: explain("The spec is right, but the program that loads it was built without this backend. Use a profile that replaces it, or "+
			"a program that has it.",
			"send: {mail_gateway: {…}}", "profiles:\n  dry_run: {tools: {send: {expr: '\"not sent\"'}}}"),
	}
	onceRetry = diag.Rule{
		Code: "tool/once-retry", Severity: diag.Error, Summary: "A retry could do something twice that may happen only once.",
		Explain: explain("`effect: once` says that doing it twice does harm. When a try ends without an answer, nobody knows whether it happened, and "+
			"this backend has no way to find out. So there is nothing that a retry could safely do.",
			"pay: {http: {method: POST, url: …}, effect: once, retry: {attempts: 3}}",
			"pay: {http: {method: POST, url: …, idempotency_header: Idempotency-Key}, effect: idempotent, retry: {attempts: 3}}"),
	}
	unknownPolicy = diag.Rule{
		Code: "interrupt/unknown", Severity: diag.Error, Summary: "No interrupt policy has this name.",
		Explain: explain("A tool's `interrupt`, and an interrupt node's `policy`, name an entry of the spec's `interrupts`.",
			"send_email: {…, interrupt: reviw}", "send_email: {…, interrupt: review}"),
	}
	policyEdit = diag.Rule{
		Code: "interrupt/edit", Severity: diag.Error, Summary: "A policy lets people edit the arguments of a tool that has none.",
		Explain: explain("`edit` is the answer with changed arguments. A tool without parameters has nothing to change.",
			"interrupts: {review: {allow: [accept, edit]}}\ntools: {reboot: {exec: …, interrupt: review}}",
			"interrupts: {review: {allow: [accept, ignore]}}"),
	}
	policyRun = diag.Rule{
		Code: "interrupt/nothing-to-run", Severity: diag.Error, Summary: "A policy offers to run a tool that has nothing to run.",
		Explain: explain("`accept` and `edit` run the tool. A tool without backend and `result` is a question: what the human says is the result.",
			"interrupts: {ask: {allow: [accept, respond]}}\ntools: {question: {parameters: {…}, interrupt: ask}}",
			"interrupts: {ask: {allow: [respond, ignore]}}"),
	}
	policyOn = diag.Rule{
		Code: "interrupt/not-allowed", Severity: diag.Error, Summary: "A policy decides about an answer that it does not offer.",
		Explain: explain("`on` says what follows from an answer; an answer that `allow` does not list is refused, so nothing can follow from it.",
			"allow: [accept]\non: {ignore: {stop: true}}", "allow: [accept, ignore]\non: {ignore: {stop: true}}"),
	}
	policyTimeout = diag.Rule{
		Code: "interrupt/timeout", Severity: diag.Error, Summary: "A policy cannot take this answer when time runs out.",
		Explain: explain("When the deadline passes, the policy answers in the human's place. It can accept or ignore, if that is offered; it cannot "+
			"edit or respond, because nobody is there to say what.",
			"allow: [accept, ignore]\ntimeout: {after: 72h, as: respond}", "allow: [accept, ignore]\ntimeout: {after: 72h, as: ignore}"),
	}
	policyReply = diag.Rule{
		Code: "interrupt/reply", Severity: diag.Error, Summary: "A reply is written for an answer that runs the tool.",
		Explain: explain("`reply` is what the model reads instead of a result. When the tool runs, it reads the result.",
			"on: {accept: {run: true, reply: Sent.}}", "on: {ignore: {run: false, reply: Not sent.}}"),
	}
	unknownMemory = diag.Rule{
		Code: "memory/unknown", Severity: diag.Error, Summary: "No memory has this name.",
		Explain: explain("Memories are defined under `memory`.",
			"remember: {memory: preferenes, note: …}", "remember: {memory: preferences, note: …}"),
	}
	memoryUpdate = diag.Rule{
		Code: "memory/no-update", Severity: diag.Error, Summary: "A memory is to learn and does not say how.",
		Explain: explain("A memory learns by having a model rewrite it. `update` says which model, and with which instructions.",
			"memory: {preferences: {default: None.}}", "memory: {preferences: {default: None., update: {model: default}}}"),
	}
	memoryDefault = diag.Rule{
		Code: "memory/default", Severity: diag.Error, Summary: "The default of a memory is longer than the memory may be.",
		Explain: explain("`guard.max_chars` bounds every text of the memory, its first one too.",
			"preferences: {default: A long text …, guard: {max_chars: 5}}", "preferences: {default: A long text …, guard: {max_chars: 2000}}"),
	}
	unknownGraph = diag.Rule{
		Code: "graph/unknown", Severity: diag.Error, Summary: "No graph has this name.",
		Explain: explain("Graph nodes, tools and triggers run an entry of the spec's `graphs`.",
			"graph: {name: look_pu}", "graph: {name: look_up}"),
	}
)

// Rules returns the findings of this package.
func Rules() []diag.Rule {
	return []diag.Rule{
		badDuration, secretInData, unfenced, untrustedCommand, unknownModel, modelCycle, modelKey, modelAddress, modelPrices,
		unknownTemplate, templateParams, templateMissing, templateParam, templateType,
		unknownTool, toolParameters, toolBackends, toolBackend, unknownBackend, onceRetry,
		unknownPolicy, policyEdit, policyRun, policyOn, policyTimeout, policyReply,
		unknownMemory, memoryUpdate, memoryDefault, unknownGraph,
	}
}
