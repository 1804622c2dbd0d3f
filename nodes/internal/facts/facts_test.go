package facts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/internal/facts"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, before, after string
		keep                []string
		want                facts.Result
	}{
		{"the same", "Booked Gym for Fri 09:00.", "Booked Gym for Fri 09:00.", []string{"Gym", "Fri 09:00"}, facts.Result{}},
		{"other words", "I found 2 slots in June.", "In June there are 2 free slots.", []string{"2", "slots", "June"}, facts.Result{}},
		{"other case and space", "Meet ann  smith.", "Ann Smith it is.", []string{"ann  smith"}, facts.Result{}},
		{"an amount changed", "It costs €12.50.", "It costs €12.55.", nil, facts.Result{Lost: []string{"€12.50"}, Added: []string{"€12.55"}}},
		{"another currency", "It costs $12.", "It costs €12.", nil, facts.Result{Lost: []string{"$12"}, Added: []string{"€12"}}},
		{"space in an amount", "It costs € 12 and 5 %.", "5% on top of... no: it costs €12 and 5%.", nil, facts.Result{Added: []string{"not"}, Moved: true}},
		{"amounts side by side", "€5 €5 and 5 more", "€5 €5 and more", nil, facts.Result{Lost: []string{"5"}}},
		{"a currency between numbers", "5 €7 or 9 € or 5% €8", "€7, €8, 5, 9€, 5%", nil, facts.Result{Moved: true}},
		{"a number got lost", "3 of 5 are done.", "3 are done.", nil, facts.Result{Lost: []string{"5"}}},
		{"a number came", "All are done.", "All 5 are done.", nil, facts.Result{Added: []string{"5"}}},
		{"numbers changed places", "Ann pays 5, Bo pays 10.", "Ann pays 10, Bo pays 5.", nil, facts.Result{Moved: true}},
		{"a date", "It is on 2026-01-28 at 10:30.", "It is on 2026-01-29 at 10:30.", nil, facts.Result{Lost: []string{"2026-01-28"}, Added: []string{"2026-01-29"}}},
		{"a name inside", "The mail is from Ann.", "The mail is here.", nil, facts.Result{Lost: []string{"Ann"}}},
		{"a day at the beginning", "Monday works.", "Tuesday works.", nil, facts.Result{Lost: []string{"Monday"}, Added: []string{"Tuesday"}}},
		{"a day that came", "Gym is set.", "Gym is set for Monday.", nil, facts.Result{Added: []string{"Monday"}}},
		{"a day that came in small letters", "Gym is set.", "Gym is set for tomorrow, not monday.", nil, facts.Result{Added: []string{"tomorrow", "Monday", "not"}}},
		{"a day in short", "Gym is on Fri.", "Friday it is: Gym, fri.", []string{"Gym", "Fri"}, facts.Result{}},
		{"a month that came at the beginning", "Gym is set.", "May 5 is set for Gym.", nil, facts.Result{Added: []string{"5", "May"}}},
		{"a month that came inside", "Gym is set.", "Gym is set in March.", nil, facts.Result{Added: []string{"March"}}},
		{"words that are no months", "Gym is set.", "May it be fun! Gym is set; you may march and sat.", nil, facts.Result{}},
		{"a month that may be meant", "May works for Gym.", "Gym works in May.", nil, facts.Result{}},
		{"an amount in words that came", "Rows were dropped.", "Twenty-five rows were dropped.", nil, facts.Result{Added: []string{"twenty", "five"}}},
		{"an amount in words that got lost", "Two rows were dropped.", "Rows were dropped.", nil, facts.Result{Lost: []string{"two"}}},
		{"an amount in words that stays", "Two rows were dropped.", "I dropped two of the rows.", nil, facts.Result{}},
		{"the first word is no name", "Everything works.", "It all works.", nil, facts.Result{}},
		{"a link", "See https://a.example/x?y=1.", "See https://a.example/x?y=2.", nil, facts.Result{Lost: []string{"https://a.example/x?y=1"}, Added: []string{"https://a.example/x?y=2"}}},
		{"a link that came", "See the page.", "See www.evil.example for the page.", nil, facts.Result{Added: []string{"www.evil.example"}}},
		{"an address", "Write to Ann@Example.com.", "Write to ann@example.com!", nil, facts.Result{}},
		{"an address got lost", "Write to ann@example.com.", "Write to her.", nil, facts.Result{Lost: []string{"ann@example.com"}}},
		{"a code", "Your code is AB-12x.", "Your code is AB-12y.", nil, facts.Result{Lost: []string{"AB-12X"}, Added: []string{"AB-12Y"}}},
		{"an abbreviation", "The VAT is due.", "The tax is due.", nil, facts.Result{Lost: []string{"VAT"}}},
		{"quoted code", "Run `rm x`.", "Run `rm y`.", nil, facts.Result{Lost: []string{"`rm x`"}, Added: []string{"`rm y`"}}},
		{"turned around", "It was not saved.", "It was saved.", nil, facts.Result{Lost: []string{"not"}}},
		{"turned around the other way", "It is saved.", "It isn’t saved.", nil, facts.Result{Added: []string{"not"}}},
		{"a value inside a word", "The art is here.", "The party is here.", []string{"art"}, facts.Result{Lost: []string{"art"}}},
		{"a value at the end", "Saved as art.", "Saved: art", []string{"art"}, facts.Result{}},
		{"prose may change", "Braising keeps meat moist.", "Meat stays moist when it is braised.", []string{"Braising keeps meat moist."}, facts.Result{}},
		{"but not its facts", "Braising took 90 minutes at Ann's.", "Braising took an hour.", []string{"Braising took 90 minutes at Ann's."}, facts.Result{Lost: []string{"90", "Ann's"}}},
		{"a blank value", "Done.", "Done!", []string{" ", ""}, facts.Result{}},
		{"other signs", "It’s “new” – see 5−3.", `It's "new" - see 5-3.`, []string{"“new”"}, facts.Result{}},
		{"no words at all", "", "", nil, facts.Result{}},
		{"nonsense", "Booked Gym for 09:00.", "\x00\xff{{%<", []string{"Gym"}, facts.Result{Lost: []string{"Gym", "09:00"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := facts.Compare(tt.before, tt.after, tt.keep)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got.Same() != cmp.Equal(tt.want, facts.Result{}) {
				t.Errorf("Same says %v", got.Same())
			}
		})
	}
}

// A text that is repeated within other words keeps its facts; one without one of its
// numbers does not.
func TestAnyText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"we", "found", "Ann", "X-17", "on Monday", "a@b.example", "nothing", "€5"})
		var parts []string
		n := rapid.IntRange(1, 9999).Draw(t, "n")
		for range rapid.IntRange(0, 6).Draw(t, "words") {
			parts = append(parts, word.Draw(t, "word"))
		}
		before := strings.Join(append(parts, fmt.Sprintf("and %d more", n)), " ")
		if r := facts.Compare(before, "Well, "+before+", you see.", parts); !r.Same() {
			t.Fatalf("%q: %+v", before, r)
		}
		after := strings.Replace(before, fmt.Sprintf("and %d more", n), "and more", 1)
		if r := facts.Compare(before, after, nil); r.Same() {
			t.Fatalf("%q became %q unseen", before, after)
		}
	})
}

func FuzzCompare(f *testing.F) {
	f.Add("Booked Gym for €5 at 09:00.", "Gym, 09:00, €5", "Gym")
	f.Add("`a` https://x", "\xff", "\n")
	f.Fuzz(func(t *testing.T, before, after, keep string) {
		if r := facts.Compare(before, before, nil); !r.Same() {
			t.Fatalf("%q differs from itself: %+v", before, r)
		}
		facts.Compare(before, after, []string{keep})
	})
}

func BenchmarkCompare(b *testing.B) {
	const before = "I found 2 slots in June for Ann, at €12.50 each: https://a.example/x, code AB-12."
	for b.Loop() {
		if !facts.Compare(before, "Well: "+before, []string{"2", "slots", "June"}).Same() {
			b.Fatal("they differ")
		}
	}
}
