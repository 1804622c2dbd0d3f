package ident_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/weft-engine/weft/nodes/ues/simulator/ident"
)

var version4 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestSameSeedSameNames(t *testing.T) {
	a, b := ident.New(rand.NewChaCha8([32]byte{1})), ident.New(rand.NewChaCha8([32]byte{1}))
	seen := map[string]bool{}
	for range 1000 {
		id := a.UUID()
		if id != b.UUID() || seen[id] || !version4.MatchString(id) {
			t.Fatalf("uuid %s", id)
		}
		seen[id] = true
	}
	if h := a.Hex(8); h != b.Hex(8) || len(h) != 16 {
		t.Fatalf("hex %s", h)
	}
	if a.Err() != nil {
		t.Fatal(a.Err())
	}
}

func TestAStreamThatEnds(t *testing.T) {
	s := ident.New(strings.NewReader("0123456789abcdef"))
	if id := s.UUID(); id != "30313233-3435-4637-b839-616263646566" || s.Err() != nil {
		t.Fatalf("%s %v", id, s.Err())
	}
	if s.UUID(); s.Err() == nil {
		t.Fatal("the end was not noticed")
	}
}
