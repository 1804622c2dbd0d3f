package diag

// Nearest returns the candidate closest to word, or "" when none is close enough
// to be what was meant: at most a third of the word's letters may differ.
// Ties go to the candidate that comes first.
func Nearest(word string, candidates []string) string {
	best, limit := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		if d := distance(word, c, limit); d < limit {
			best, limit = c, d
		}
	}
	return best
}

// distance is the number of insertions, deletions, substitutions and swaps of
// neighbours between a and b, or limit when it is at least that.
func distance(a, b string, limit int) int {
	if max(len(a)-len(b), len(b)-len(a)) >= limit {
		return limit
	}
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return min(prev[len(b)], limit)
}
