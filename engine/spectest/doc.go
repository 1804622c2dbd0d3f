// Package spectest runs the tests that stand beside a spec: `*_test.yaml` files that
// say what a graph is given, what the model and the human answer, and what must come
// of it. Each test lives in a world of its own: a store in memory, a model that
// answers from the test's script, a clock that jumps to the next timer, and no
// network. It knows nothing of the terminal; who calls it prints the outcomes.
//
//	*_test.yaml ─Load─▶ Suite ─Run─▶ Outcomes ─▶ JUnit, Update
//
// Its main function is Run. The answers of a human as tests write them are also what
// `weft run --answers` takes: ReadAnswers.
package spectest
