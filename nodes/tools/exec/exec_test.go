package exec_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
	"github.com/weft-engine/weft/nodes/tools/exec"
)

// TestMain is also the program that the tools under test run. Only what `go test`
// starts runs tests: a program started in any other way, for example because its
// arguments were lost, must not start the tests again.
func TestMain(m *testing.M) {
	isTest := slices.ContainsFunc(os.Args[1:], func(arg string) bool { return strings.HasPrefix(arg, "-test.") })
	switch {
	case len(os.Args) > 2 && os.Args[1] == "helper":
		os.Exit(helper(os.Args[2], os.Args[3:]))
	case isTest:
		os.Exit(m.Run())
	}
	os.Exit(2)
}

// lingers is how long a child lives that nobody ends.
const lingers = 30 * time.Second

// helper is the program, by mode.
func helper(mode string, args []string) int {
	input, _ := io.ReadAll(os.Stdin)
	switch mode {
	case "echo":
		_, _ = os.Stdout.Write(input)
	case "args":
		_ = json.NewEncoder(os.Stdout).Encode(args)
	case "env":
		env := os.Environ()
		slices.Sort(env)
		_ = json.NewEncoder(os.Stdout).Encode(env)
	case "dir":
		dir, _ := os.Getwd()
		fmt.Println(dir)
	case "text":
		fmt.Println("plain text")
	case "binary":
		_, _ = os.Stdout.Write([]byte{0xff, 0, 1})
	case "flood":
		for {
			if _, err := os.Stdout.Write(make([]byte, 64<<10)); err != nil {
				return 0
			}
		}
	case "fail":
		fmt.Fprintln(os.Stderr, strings.Repeat("x", 100_000)+" the last words "+os.Getenv("TOKEN"))
		return 3
	case "later":
		fmt.Fprintln(os.Stderr, "busy")
		return 75
	case "signal":
		for syscall.Kill(os.Getpid(), syscall.SIGTERM) == nil {
		}
	case "linger":
		time.Sleep(lingers) // longer than the test waits, and not for ever should it fail
	case "hang":
		return hang(args[0])
	}
	return 0
}

// hang starts a child, writes its number into a file, and does not end by itself.
func hang(file string) int {
	child := osexec.Command(os.Args[0], "helper", "linger")
	if child.Start() != nil {
		return 1
	}
	_ = os.WriteFile(file, []byte(strconv.Itoa(child.Process.Pid)), 0o600)
	_ = child.Wait()
	return 1
}

func newTool(t testing.TB, config map[string]any, deps exec.Deps) (build.Backend, *diag.List) {
	t.Helper()
	list := &diag.List{}
	spec := build.New(nodetest.Value(t, map[string]any{}), build.Types{}, list)
	any := &shape.Type{Kind: shape.Any}
	scope := spec.NewScope(spec.Names(map[string]*shape.Type{"args": any, "call": any}), list)
	if deps.Vault == nil {
		deps.Vault = &secret.Vault{Getenv: func(name string) (string, bool) { return "secret-of-" + name, true }}
	}
	return exec.Type(deps).Build(scope, &engine.Tool{Name: "x"}, nodetest.Value(t, config)), list
}

// program is a tool that runs the helper in a mode.
func program(mode string, args ...any) map[string]any {
	self, _ := os.Executable()
	return map[string]any{"command": append([]any{self, "helper", mode}, args...), "env": map[string]any{"MODE": mode}}
}

func perform(t testing.TB, config map[string]any, args map[string]any) (*engine.Perform, error) {
	t.Helper()
	tool, list := newTool(t, config, exec.Deps{Allow: true, Dir: t.TempDir()})
	if list.Len() > 0 || tool.Backend == nil {
		t.Fatalf("findings: %v", list.Sorted())
	}
	op, _, err := tool.Backend.Op(chat.ToolCall{}, map[string]any{"args": args, "call": map[string]any{}})
	if err != nil {
		return nil, err
	}
	return op.(*engine.Perform), nil
}

// operation is what carries a call out.
func operation(t testing.TB, tool build.Backend, args map[string]any) *engine.Perform {
	t.Helper()
	op, _, err := tool.Backend.Op(chat.ToolCall{}, map[string]any{"args": args, "call": map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	return op.(*engine.Perform)
}

func run(t testing.TB, config, args map[string]any) (any, error) {
	t.Helper()
	p, err := perform(t, config, args)
	if err != nil {
		return nil, err
	}
	res, err := p.Handler.Handle(t.Context(), engine.Call{Request: p.Request})
	return res.Value, err
}

func wantFailure(t testing.TB, err error, class engine.Class, part string) engine.Failure {
	t.Helper()
	var f *engine.Failure
	if !errors.As(err, &f) {
		t.Fatalf("no failure but %v", err)
	}
	if f.Class != class || !strings.Contains(f.Message, part) {
		t.Fatalf("failure %s %q, want %s %q", f.Class, f.Message, class, part)
	}
	return *f
}

func TestArgumentsAndOutputAreJSON(t *testing.T) {
	t.Parallel()
	args := map[string]any{"a": []any{1, "two", nil}, "b": "x\ny"}
	got, err := run(t, program("echo"), args)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(args), got); diff != "" {
		t.Error(diff)
	}
	if got, err := run(t, program("text"), nil); got != "plain text" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	_, err = run(t, program("binary"), nil)
	wantFailure(t, err, engine.Permanent, "neither JSON nor text")
}

func TestThereIsNoShell(t *testing.T) {
	t.Parallel()
	got, err := run(t, program("args", "-n", "{{ args.x }}", "name={{ args.x }}", "--", "{{ args.y }}"), map[string]any{"x": "$(id); `id` | x > y *", "y": "--help"})
	if err != nil {
		t.Fatal(err)
	}
	want := []any{"-n", "$(id); `id` | x > y *", "name=$(id); `id` | x > y *", "--", "--help"}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestValuesCannotBecomeOptions(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"-rf", "--output=/etc/passwd", "-", "a\x00b", strings.Repeat("x", 200_000)} {
		if _, err := perform(t, program("args", "{{ args.x }}"), map[string]any{"x": value}); err == nil {
			t.Errorf("%.20q was taken", value)
		}
	}
}

func TestEnvironmentIsWhatTheSpecLists(t *testing.T) {
	t.Setenv("LEAKED", "yes")
	config := program("env")
	config["env"].(map[string]any)["KEY"] = map[string]any{"env": "SHOP_KEY", "prefix": "k:"}
	config["env"].(map[string]any)["WHO"] = "{{ args.who }}"
	got, err := run(t, config, map[string]any{"who": "me"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any([]any{"KEY=k:[secret]", "MODE=env", "WHO=me"}), got); diff != "" {
		t.Error(diff)
	}
}

func TestDirectoryIsInsideOfTheSpec(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	config := program("dir")
	config["dir"] = "work"
	tool, list := newTool(t, config, exec.Deps{Allow: true, Dir: root})
	if list.Len() > 0 {
		t.Fatal(list.Sorted())
	}
	p := operation(t, tool, map[string]any{})
	res, err := p.Handler.Handle(t.Context(), engine.Call{Request: p.Request})
	if err != nil || res.Value != filepath.Join(root, "work") {
		t.Errorf("%v %v", res.Value, err)
	}
	for _, dir := range []string{"..", "../x", "/etc", "a/../../b"} {
		config["dir"] = dir
		if _, list := newTool(t, config, exec.Deps{Allow: true, Dir: root}); list.Len() != 1 || list.Sorted()[0].Code != exec.BadDir.Code {
			t.Errorf("%s: %v", dir, list.Sorted())
		}
	}
}

func TestProgramsAreOffUnlessAllowed(t *testing.T) {
	t.Parallel()
	tool, _ := newTool(t, program("echo"), exec.Deps{})
	op, _, err := tool.Backend.Op(chat.ToolCall{}, map[string]any{"args": map[string]any{}})
	if err != nil {
		t.Fatal(err) // a plan says the same whether programs are allowed or not
	}
	p := op.(*engine.Perform)
	_, err = p.Handler.Handle(t.Context(), engine.Call{Request: p.Request})
	wantFailure(t, err, engine.Permanent, "run with --allow-exec")
}

func TestTheProgramIsFixed(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"{{ args.program }}", "bin/{{ args.x }}", "{% if true %}sh{% endif %}", ""} {
		_, list := newTool(t, map[string]any{"command": []any{first}}, exec.Deps{Allow: true})
		if list.Len() != 1 || list.Sorted()[0].Code != exec.BadCommand.Code {
			t.Errorf("%q: %v", first, list.Sorted())
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	config := program("fail")
	config["env"].(map[string]any)["TOKEN"] = map[string]any{"env": "SHOP"}
	_, err := run(t, config, nil)
	f := wantFailure(t, err, engine.Permanent, "ended with exit code 3: ")
	if !strings.HasSuffix(f.Message, "the last words [secret]") || len(f.Message) > 6000 {
		t.Errorf("%d bytes: …%s", len(f.Message), f.Message[max(0, len(f.Message)-100):])
	}
	_, err = run(t, program("later"), nil)
	wantFailure(t, err, engine.Transient, "busy")
	_, err = run(t, program("signal"), nil)
	wantFailure(t, err, engine.Uncertain, "signal")
	_, err = run(t, map[string]any{"command": []any{"/no/such/program"}}, nil)
	wantFailure(t, err, engine.Permanent, "cannot be started")
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()
	config := program("flood")
	config["max_bytes"] = 100_000
	_, err := run(t, config, nil)
	wantFailure(t, err, engine.Uncertain, "larger than max_bytes (100000)")
}

// TestTimeoutKillsTheGroup: the deadline passes once the program has a child of its
// own; then neither is left.
func TestTimeoutKillsTheGroup(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pid")
	p, err := perform(t, program("hang", file), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	passed := &passing{Context: ctx}
	done := make(chan error, 1)
	go func() {
		_, err := p.Handler.Handle(passed, engine.Call{Request: p.Request})
		done <- err
	}()
	pid := waitForPid(t, file, done)
	cancel()
	wantFailure(t, <-done, engine.Uncertain, "took too long")
	for limit := time.Now().Add(lingers / 3); !ended(pid); runtime.Gosched() {
		if time.Now().After(limit) {
			t.Fatal("the child still lives")
		}
	}
}

// ended reports whether a process has ended; its entry may still be there.
func ended(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(data), ") Z ")
}

// passing is a context that ends by its deadline when it is cancelled.
type passing struct {
	context.Context //nolint:containedctx // it is a context
}

func (p *passing) Err() error {
	if p.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

func waitForPid(t *testing.T, file string, done <-chan error) int {
	t.Helper()
	for {
		select {
		case err := <-done:
			t.Fatalf("ended early: %v", err)
		default:
		}
		if data, err := os.ReadFile(file); err == nil && len(data) > 0 {
			pid, err := strconv.Atoi(string(data))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
}

func TestStoppingIsNoFailure(t *testing.T) {
	t.Parallel()
	p, err := perform(t, program("hang", filepath.Join(t.TempDir(), "pid")), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Handler.Handle(ctx, engine.Call{Request: p.Request}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
