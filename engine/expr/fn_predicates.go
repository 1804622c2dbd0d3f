package expr

// predicateDocs describes the functions with a predicate, which are in predicates.
var predicateDocs = []Function{
	{"all", "all(items list, condition) boolean", "Reports whether the condition holds for every item.", `all([1, 2], # > 0)`},
	{"any", "any(items list, condition) boolean", "Reports whether the condition holds for some item.", `any([1, 2], # > 1)`},
	{"none", "none(items list, condition) boolean", "Reports whether the condition holds for no item.", `none([1, 2], # > 2)`},
	{"one", "one(items list, condition) boolean", "Reports whether the condition holds for exactly one item.", `one([1, 2], # > 1)`},
	{"count", "count(items list[, condition]) integer", "Counts the items for which the condition holds.", `count([1, 2, 3], # > 1) == 2`},
	{"filter", "filter(items list, condition) list", "Returns the items for which the condition holds.", `filter([1, 2, 3], # > 1) == [2, 3]`},
	{"map", "map(items list, value) list", "Returns the value for each item.", `map([{n: 1}, {n: 2}], .n) == [1, 2]`},
	{"find", "find(items list, condition) any", "Returns the first item for which the condition holds, or null.", `find([1, 2, 3], # > 1) == 2`},
	{"findLast", "findLast(items list, condition) any", "Returns the last item for which the condition holds, or null.", `findLast([1, 2, 3], # > 1) == 3`},
	{"findIndex", "findIndex(items list, condition) integer", "Returns the index of the first item for which the condition holds, or null.", `findIndex([1, 2], # > 1) == 1`},
	{"findLastIndex", "findLastIndex(items list, condition) integer", "Returns the index of the last item for which the condition holds, or null.", `findLastIndex([1, 2, 3], # > 1) == 2`},
	{"sum", "sum(items list[, value]) number", "Adds up the items, or the value of each.", `sum([{n: 1}, {n: 2}], .n) == 3`},
	{"groupBy", "groupBy(items list, key) object", "Returns the items in lists by their key as text.", `groupBy([1, 2, 3], # > 1 ? "big" : "small").big == [2, 3]`},
	{"sortBy", "sortBy(items list, key[, order string]) list", `Sorts the items by their key; order is "asc" or "desc".`, `sortBy([{n: 2}, {n: 1}], .n)[0].n == 1`},
	{"reduce", "reduce(items list, value[, first]) any", "Combines the items one after the other; #acc is what they gave up to here.", `reduce([1, 2, 3], #acc + #, 0) == 6`},
}
