// Package expr compiles and evaluates the two small languages inside the strings of a
// spec: expressions, and text templates that contain them.
//
// The language of expressions is expr (https://expr-lang.org), read by its parser.
// Checking and evaluating are this package's own, for four reasons: types are those of
// JSON Schema, so that every misspelt field is found with its place in the user's
// file; state may be null while a run has not written it; every evaluation is bounded
// in steps and memory, so that no spec can hang or exhaust the engine; and a spec of
// a thousand expressions compiles in milliseconds.
//
//	source.Value ──parse──▶ syntax tree ──lower──▶ closures ──Eval(scope)──▶ plain data
//	                             │
//	                             └─ types, findings, Refs, Untrusted
//
// Where it differs from expr-lang:
//   - There is no clock and no randomness; keys, values and to_pairs are in the order
//     of the keys; groupBy gives an object with text keys.
//   - null counts as false where a boolean is wanted, and as empty text, an empty list
//     or an empty object where a function wants one of those. A field of null is an error.
//   - Slices of text count letters, as len does, not bytes.
//   - Sums and products of integers that do not fit, divisions by zero and numbers
//     that are not finite are errors.
//   - Each function has one name: json for toJSON, unique for uniq, and so on.
//   - Time zones are named as text; those other than UTC need the zone database, which
//     the binary embeds.
//
// Compiled values are immutable and safe for concurrent use. What they return shares
// data with the scope and the spec: treat it as immutable.
package expr
