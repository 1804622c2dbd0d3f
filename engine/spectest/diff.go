package spectest

import (
	"slices"
	"strings"
)

// maxDiff bounds the lines that are compared; longer texts are shown one after the other.
const maxDiff = 400

// Diff compares two texts by lines: "- " stands before what is only in the first, "+ "
// before what is only in the second, blanks before what is in both.
func Diff(first, second string) string { return lineDiff(first, second) }

// lineDiff compares what is expected with what is, by lines.
func lineDiff(want, got string) string {
	return diffOf(strings.Split(want, "\n"), strings.Split(got, "\n"))
}

// diffOf compares two lists of lines: "- " stands before what is expected and not
// there, "+ " before what is there and not expected, blanks before what is the same.
func diffOf(want, got []string) string {
	if len(want) > maxDiff || len(got) > maxDiff {
		return prefixed("- ", want) + "\n" + prefixed("+ ", got)
	}
	common := longest(want, got)
	var out []string
	i, j := 0, 0
	for i < len(want) || j < len(got) {
		switch {
		case i < len(want) && j < len(got) && want[i] == got[j]:
			out = append(out, "  "+want[i])
			i, j = i+1, j+1
		case j == len(got) || i < len(want) && common[i+1][j] >= common[i][j+1]:
			out = append(out, "- "+want[i])
			i++
		default:
			out = append(out, "+ "+got[j])
			j++
		}
	}
	return strings.Join(out, "\n")
}

// longest returns the length of the longest common part of want[i:] and got[j:].
func longest(want, got []string) [][]int {
	table := make([][]int, len(want)+1)
	for i := range table {
		table[i] = make([]int, len(got)+1)
	}
	for i, line := range slices.Backward(want) {
		for j, other := range slices.Backward(got) {
			if line == other {
				table[i][j] = table[i+1][j+1] + 1
				continue
			}
			table[i][j] = max(table[i+1][j], table[i][j+1])
		}
	}
	return table
}

func prefixed(mark string, lines []string) string {
	return mark + strings.Join(lines, "\n"+mark)
}
