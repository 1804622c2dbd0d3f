package key_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/nodes/ues/simulator/ident"
	"github.com/weft-engine/weft/nodes/ues/simulator/key"
)

func TestGrants(t *testing.T) {
	tests := []struct {
		holds []string
		asked string
		want  bool
	}{
		{nil, "email:read", false},
		{[]string{"*"}, "calendar:calendars:create", true},
		{[]string{"email:read"}, "email:read", true},
		{[]string{"email:read"}, "email:readers", false},
		{[]string{"email:*"}, "email:read", true},
		{[]string{"email:*"}, "emails:read", false},
		{[]string{"calendar:*"}, "calendar:calendars:create", true},
		{[]string{"calendar:calendars:*"}, "calendar:calendars:create", true},
		{[]string{"calendar:calendars:create:*"}, "calendar:calendars:create", true},
		{[]string{"calendar:calendars:*"}, "calendar:create", false},
		{[]string{"calendar:calendars:*"}, "calendar:calendars", true},
		{[]string{"*:read"}, "email:read", false},
		{[]string{"email"}, "email:read", false},
		{[]string{"e*"}, "email:read", false},
		{[]string{":*", "", ":"}, "email:read", false},
		{[]string{"Email:*"}, "email:read", false},
	}
	for _, tt := range tests {
		g := key.NewGrants(tt.holds)
		if got := g.Allow(tt.asked); got != tt.want {
			t.Errorf("%q allows %q: %v, want %v", tt.holds, tt.asked, got, tt.want)
		}
	}
}

func registry(t *testing.T, secret string) *key.Registry {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r, err := key.NewRegistry(key.Options{
		Now:    func() time.Time { now = now.Add(time.Second); return now },
		NewHex: ident.New(rand.Reader).Hex,
	}, secret)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestLifeOfAKey(t *testing.T) {
	r := registry(t, "")
	made, secret, err := r.Create("bot", []string{"email:*"}, "ues_x")
	if err != nil || len(secret) != 64 || len(made.ID) != 20 || !strings.HasPrefix(made.ID, "ues_") {
		t.Fatalf("made %+v %q: %v", made, secret, err)
	}
	if k, err := r.Get(made.ID); err != nil || !k.LastUsedAt.IsZero() || k.CreatedBy != "ues_x" {
		t.Fatalf("fresh key: %+v %v", k, err)
	}
	caller, known := r.Identify(secret)
	if !known || caller.ID != made.ID || !caller.May("email:read") || caller.May("sms:read") {
		t.Fatalf("caller %+v known %v", caller, known)
	}
	if k, _ := r.Get(made.ID); k.LastUsedAt.IsZero() {
		t.Fatal("use was not noted")
	}
	if _, known := r.Identify(made.ID); known {
		t.Fatal("a key's id opened something")
	}
	if k, err := r.Revoke(made.ID); err != nil || k.Active() {
		t.Fatalf("revoked: %+v %v", k, err)
	}
	if _, err := r.Revoke(made.ID); !errors.Is(err, key.ErrRevoked) {
		t.Fatalf("revoked twice: %v", err)
	}
	if _, known := r.Identify(secret); known {
		t.Fatal("a revoked key opened something")
	}
	if all, active := r.List(true), r.List(false); len(all) != 2 || len(active) != 1 || all[0].Name != "Admin Key" {
		t.Fatalf("listed %+v, active %+v", all, active)
	}
}

func TestAdmin(t *testing.T) {
	secret := strings.Repeat("ä", key.MinAdminSecret)
	r := registry(t, secret)
	id, told := r.Admin()
	if caller, known := r.Identify(secret); told != secret || !known || caller.ID != id || !caller.May("anything:at:all") {
		t.Fatalf("admin %q %q: %+v", id, told, caller)
	}
	if _, err := r.Revoke(id); !errors.Is(err, key.ErrAdmin) {
		t.Fatalf("admin revoked: %v", err)
	}
	if _, err := r.Revoke("ues_0"); !errors.Is(err, key.ErrNotFound) {
		t.Fatalf("nobody revoked: %v", err)
	}
	if _, err := key.NewRegistry(key.Options{Now: time.Now, NewHex: ident.New(rand.Reader).Hex}, secret[2:]); err == nil {
		t.Fatal("a short secret was taken")
	}
	if _, drawn := registry(t, "").Admin(); len(drawn) != 64 {
		t.Fatalf("drawn secret has %d characters", len(drawn))
	}
}

func BenchmarkIdentify(b *testing.B) {
	r, err := key.NewRegistry(key.Options{Now: time.Now, NewHex: ident.New(rand.Reader).Hex}, "")
	if err != nil {
		b.Fatal(err)
	}
	_, secret := r.Admin()
	b.ReportAllocs()
	for b.Loop() {
		if caller, known := r.Identify(secret); !known || !caller.May("email:read") {
			b.Fatal("unknown")
		}
	}
}

func TestRestore(t *testing.T) {
	r := registry(t, "")
	bot, secret, err := r.Create("bot", []string{"email:*"}, "ues_x")
	if err != nil {
		t.Fatal(err)
	}
	gone, goneSecret, err := r.Create("gone", []string{"*"}, "ues_x")
	if err == nil {
		_, err = r.Revoke(gone.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	again := registry(t, "")
	if err := again.Restore(r.Records()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.List(true)[1:], again.List(true)[1:]); diff != "" {
		t.Errorf("(-left +restored):\n%s", diff)
	}
	if c, known := again.Identify(secret); !known || c.ID != bot.ID || !c.May("email:read") || c.May("sms:read") {
		t.Errorf("the bot is %+v, %v", c, known)
	}
	if _, known := again.Identify(goneSecret); known || again.Opens(goneSecret) || !again.Opens(secret) || again.Opens("") {
		t.Error("a revoked key opens")
	}
	for _, bad := range [][]key.Record{r.Records(), {{Key: key.Key{ID: "a"}, Sum: "zz"}}, {{Key: key.Key{ID: "b"}, Sum: strings.Repeat("0", 66)}}} {
		if again.Restore(bad) == nil {
			t.Errorf("%+v is restored", bad)
		}
	}
}
