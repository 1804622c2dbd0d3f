package env_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/nodes/ues"
	"github.com/weft-engine/weft/nodes/ues/env"
	"github.com/weft-engine/weft/nodes/ues/uestest"
)

// memory is a shelf that counts.
type memory struct {
	mu    sync.Mutex
	files map[string][]byte
	saves int
	fail  error
}

func (m *memory) Load(name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return data, nil
}

func (m *memory) Save(name string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	if m.files == nil {
		m.files = map[string][]byte{}
	}
	m.files[name] = data
	m.saves++
	return nil
}

func keeper(t *testing.T, shelf env.Shelf) *env.Keeper {
	t.Helper()
	k := &env.Keeper{
		Now: uestest.Wall, Wait: uestest.Wait, Shelf: shelf,
		Vault: &secret.Vault{Getenv: func(name string) (string, bool) { return map[string]string{"KEY": strings.Repeat("k", 40)}[name], true }},
	}
	t.Cleanup(func() { _ = k.Close() })
	return k
}

func open(t *testing.T, k *env.Keeper, thread engine.ThreadID, target env.Target) env.Environment {
	t.Helper()
	e, err := k.Open(t.Context(), thread, target)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func place(t *testing.T) env.Target {
	t.Helper()
	return env.Target{Place: &env.Place{Scenario: []byte(uestest.Scenario)}}
}

// state is what can be seen of a world.
func state(t *testing.T, c *ues.Client) ues.Snapshot {
	t.Helper()
	s, err := c.Environment().State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEachThreadHasAWorldOfItsOwn(t *testing.T) {
	t.Parallel()
	k := keeper(t, nil)
	a, b := open(t, k, "a", place(t)), open(t, k, "b", place(t))
	if _, err := a.Admin.Time().Advance(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if !a.Clock.Now().Equal(uestest.Begin.Add(time.Hour)) || !b.Clock.Now().Equal(uestest.Begin) {
		t.Errorf("%s and %s", a.Clock.Now(), b.Clock.Now())
	}
	if again := open(t, k, "a", place(t)); !again.Clock.Now().Equal(uestest.Begin.Add(time.Hour)) {
		t.Error("the world of a thread is opened anew")
	}
	if _, err := a.User.Time().Advance(t.Context(), time.Hour); ues.StatusOf(err) != 403 {
		t.Errorf("the user moves time: %v", err)
	}
	empty := open(t, k, "c", env.Target{})
	if got := empty.Clock.Now(); !got.Equal(uestest.Wall()) {
		t.Errorf("a world without scenario begins at %s", got)
	}
}

// Another process finds the world as it was left, whatever became of the first one.
func TestAWorldIsKeptAfterEveryChange(t *testing.T) {
	t.Parallel()
	shelf := &memory{}
	first := open(t, keeper(t, shelf), "a", place(t))
	if shelf.saves != 0 {
		t.Error("a world that nobody changed is kept")
	}
	if _, err := first.Admin.Time().Advance(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := first.User.Email().Send(t.Context(), ues.NewEmail{FromAddress: "me@company.com", ToAddresses: []string{"a@b.io"}, Subject: "x", BodyText: "<x> & \u00e9"}); err != nil {
		t.Fatal(err)
	}
	if _, err := first.User.Email().Query(t.Context(), ues.EmailQuery{}); err != nil {
		t.Fatal(err)
	}
	if shelf.saves != 2 {
		t.Errorf("kept %d times", shelf.saves)
	}
	second := open(t, keeper(t, &memory{files: maps.Clone(shelf.files)}), "a", place(t))
	if diff := cmp.Diff(state(t, first.Admin), state(t, second.Admin)); diff != "" {
		t.Errorf("(-left +found):\n%s", diff)
	}
	list, err := second.Admin.Events().List(t.Context(), ues.EventQuery{Status: ues.Executed, Modality: "email"})
	if err != nil || len(list.Events) != 2 || list.Pending != 1 || list.Events[0].AgentID == nil || *list.Events[0].AgentID != first.Agents[0] {
		t.Errorf("%+v, %v", list, err)
	}
	if len(second.Agents) != 2 || second.Agents[0] != first.Agents[0] {
		t.Errorf("agents %v, then %v", first.Agents, second.Agents)
	}
	if _, err := second.Admin.Time().Advance(t.Context(), time.Hour); err != nil {
		t.Errorf("it does not go on: %v", err)
	}
}

// What a process leaves, another goes on with: events keep their ids, a simulation that
// was stopped or paused stays so, one that a start would refuse by now goes on, and keys
// that were made open it.
func TestAWorldGoesOnAsItWasLeft(t *testing.T) {
	t.Parallel()
	shelf := &memory{}
	k := keeper(t, shelf)
	first := open(t, k, "a", place(t))
	ctx := t.Context()
	made, err := first.Admin.Keys().Create(ctx, "Guest", []string{"time:read"})
	if err != nil {
		t.Fatal(err)
	}
	name, err := k.KeepKey(made)
	if err != nil {
		t.Fatal(err)
	}
	gone, err := first.Admin.Keys().Create(ctx, "Gone", []string{"time:read"})
	if err == nil {
		err = first.Admin.Keys().Revoke(ctx, gone.KeyID)
	}
	if err == nil { // it ends before it begins, which the API takes
		_, err = first.Admin.Call(ctx, "POST", "/calendar/update", map[string]any{"event_id": "e1", "start": "2026-02-20T14:00:00Z"})
	}
	if err == nil {
		_, err = first.Admin.Time().Pause(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	second := open(t, keeper(t, shelf), "a", place(t))
	ids := func(c *ues.Client) (ids []string) {
		list, err := c.Events().List(ctx, ues.EventQuery{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range list.Events {
			ids = append(ids, list.Events[i].EventID+" "+list.Events[i].Status)
		}
		return ids
	}
	if diff := cmp.Diff(ids(first.Admin), ids(second.Admin)); diff != "" {
		t.Errorf("events (-left +found):\n%s", diff)
	}
	status, err := second.Admin.Simulation().Status(ctx)
	if err != nil || !status.IsRunning || !status.IsPaused {
		t.Errorf("%+v, %v", status, err)
	}
	target := place(t)
	target.Key = name
	guest := open(t, keeper(t, shelf), "a", target)
	if _, err := guest.Admin.Time().Get(ctx); err != nil {
		t.Errorf("a key that was made: %v", err)
	}
	if _, err := guest.User.Email().State(ctx); ues.StatusOf(err) != 403 {
		t.Errorf("it may more than before: %v", err)
	}
	if _, err := second.Admin.With(gone.Secret).Time().Get(ctx); ues.StatusOf(err) != 401 {
		t.Errorf("a key that was revoked: %v", err)
	}
	list, err := second.Admin.Keys().List(ctx, true)
	if err != nil || len(list.Keys) != 4 { // the admin's, the guest's, the revoked one, and the user's of this process
		t.Errorf("%+v, %v", list.Keys, err)
	}
	if text := string(shelf.files["thread a"]); strings.Contains(text, made.Secret) {
		t.Error("a secret is kept with the world")
	}
	if _, err := second.Admin.Simulation().Stop(ctx); err != nil {
		t.Fatal(err)
	}
	third := open(t, keeper(t, shelf), "a", place(t))
	if status, err := third.Admin.Simulation().Status(ctx); err != nil || status.IsRunning {
		t.Errorf("it starts by itself: %+v, %v", status, err)
	}
}

// A file of before the rest was kept, and one whose keys are damaged.
func TestOldAndDamagedFiles(t *testing.T) {
	t.Parallel()
	for left, want := range map[string]string{
		``: "", `,"left":null`: "", `,"left":{"running":true,"keys":[{"key":{"ID":"ues_1"},"sum":"00"}]}`: "key ues_1: its sum is not a SHA-256",
	} {
		shelf := &memory{files: map[string][]byte{"thread a": []byte(`{"world":` + uestest.Scenario + left + `}`)}}
		e, err := keeper(t, shelf).Open(t.Context(), "a", place(t))
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", left, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Admin.Time().Advance(t.Context(), time.Hour); err != nil {
			t.Errorf("%s: it does not run: %v", left, err)
		}
	}
}

// What a scenario lists first comes first, as in a file that weft ues loads.
func TestAScenarioKeepsItsOrder(t *testing.T) {
	t.Parallel()
	text := strings.Replace(uestest.Scenario, `"emails": {"m1": {`, `"emails": {"z": {"message_id": "z", "thread_id": "t", "from_address": "a@b.io", "to_addresses": [], "subject": "", "body_text": "",
		"sent_at": 0, "received_at": 0}, "m1": {`, 1)
	text = strings.Replace(text, `{"inbox": ["m1"]}`, `{"inbox": ["z", "m1"]}`, 1)
	target, findings, err := at(t, "{scenario: "+text+"}", "", nil)
	if err != nil || findings != nil {
		t.Fatal(findings, err)
	}
	page, err := open(t, keeper(t, nil), "a", target).Admin.Email().Query(t.Context(), ues.EmailQuery{})
	if err != nil || len(page.Emails) != 2 || page.Emails[0].MessageID != "z" {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestWhatCannotBeKeptIsInDoubt(t *testing.T) {
	t.Parallel()
	shelf := &memory{fail: errors.New("disk full")}
	e := open(t, keeper(t, shelf), "a", place(t))
	_, err := e.Admin.Time().Advance(t.Context(), time.Hour)
	var lost *ues.LostError
	if !errors.As(err, &lost) || !lost.Left || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("%v", err)
	}
}

func TestWhatIsDamagedIsToldAndNotReplaced(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"{", `{"world":{}}`, `{"world":[]}`} {
		shelf := &memory{files: map[string][]byte{"thread a": []byte(data)}}
		if _, err := keeper(t, shelf).Open(t.Context(), "a", place(t)); err == nil || !strings.Contains(err.Error(), "environment of thread a") {
			t.Errorf("%s: %v", data, err)
		}
	}
	if _, err := keeper(t, nil).Open(t.Context(), "a", env.Target{Place: &env.Place{Scenario: []byte(`{"metadata":7}`)}}); err == nil {
		t.Error("a scenario that is none")
	}
}

func TestFilesAreOnlyTheOwners(t *testing.T) {
	t.Parallel()
	f := env.Files{Dir: filepath.Join(t.TempDir(), "kept")}
	name := "../../etc/passwd\x00\n"
	if _, err := f.Load(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for _, text := range []string{"one", "two"} {
		if err := f.Save(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := f.Load(name); string(got) != text || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	entries, err := os.ReadDir(f.Dir)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	info, err := entries[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := (env.Files{Dir: filepath.Join(f.Dir, entries[0].Name())}).Save("x", nil); err == nil {
		t.Error("a directory in a file")
	}
}

func TestMadeKeysAreNames(t *testing.T) {
	t.Parallel()
	shelf := &memory{}
	server, admin := uestest.Start(t, true)
	k := keeper(t, shelf)
	made, err := admin.Keys().Create(t.Context(), "Guest", []string{"time:read"})
	if err != nil {
		t.Fatal(err)
	}
	name, err := k.KeepKey(made)
	if err != nil || strings.Contains(name, made.Secret) {
		t.Fatal(name, err)
	}
	if got := k.Vault.Redact("it is " + made.Secret); strings.Contains(got, made.Secret) {
		t.Errorf("the secret is not struck: %s", got)
	}
	for _, k := range []*env.Keeper{k, keeper(t, shelf)} { // this process, and another
		guest := open(t, k, "a", env.Target{URL: server.URL(), Key: name})
		if _, err := guest.Admin.Time().Get(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := guest.User.Email().State(t.Context()); ues.StatusOf(err) != 403 {
			t.Error(err)
		}
		if secret, err := k.Secret(name); secret != made.Secret || err != nil {
			t.Error(secret, err)
		}
	}
	if err := k.DropKey(made.KeyID); err != nil {
		t.Fatal(err)
	}
	if err := k.DropKey("ues_other"); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Open(t.Context(), "a", env.Target{URL: server.URL(), Key: name}); err == nil || !strings.Contains(err.Error(), made.KeyID) {
		t.Errorf("a key that was dropped: %v", err)
	}
	if _, err := k.Secret("plain"); err == nil {
		t.Error("a text that names no key")
	}
	if _, err := keeper(t, &memory{files: map[string][]byte{"keys": []byte("[]")}}).KeepKey(made); err == nil {
		t.Error("a damaged keyring is replaced")
	}
}

func TestEnvironmentsElsewhere(t *testing.T) {
	t.Parallel()
	server, admin := uestest.Start(t, true)
	k := keeper(t, nil)
	here := open(t, k, "a", env.Target{Place: &env.Place{URL: server.URL(), Key: secret.Ref{Env: "KEY"}}})
	if _, err := here.Admin.Time().Get(t.Context()); ues.StatusOf(err) != 401 {
		t.Errorf("with a key of somewhere else: %v", err)
	}
	right := env.Target{Place: &env.Place{URL: server.URL()}, Key: server.Secret()}
	e := open(t, k, "a", right)
	if other := open(t, k, "b", right); other.Clock != e.Clock {
		t.Error("two threads have two clocks of one world")
	}
	if got := k.Vault.Redact(server.Secret()); got != secret.Mark {
		t.Errorf("a key that data gave is not struck: %s", got)
	}
	if _, err := admin.Time().Advance(t.Context(), time.Hour); err != nil { // somebody else moves time
		t.Fatal(err)
	}
	if got := e.Clock.Now(); !got.Equal(uestest.Begin.Add(time.Hour)) {
		t.Errorf("it is %s", got)
	}
}

func TestInsideNothingReachesTheNetwork(t *testing.T) {
	t.Parallel()
	k := keeper(t, nil)
	k.Inside = true
	if _, err := k.Open(t.Context(), "a", env.Target{URL: "http://127.0.0.1:1", Key: "k"}); err == nil || !strings.Contains(err.Error(), "no network") {
		t.Error(err)
	}
	open(t, k, "a", place(t))
}

func TestAfterCloseNothingOpens(t *testing.T) {
	t.Parallel()
	k := keeper(t, nil)
	open(t, k, "a", place(t))
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Open(t.Context(), "b", place(t)); err == nil {
		t.Error("it opens")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := keeper(t, nil).Open(ctx, "b", place(t)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := (&env.Keeper{}).Open(t.Context(), "b", place(t)); err == nil {
		t.Error("a keeper without clocks")
	}
}
