package main_test

import (
	"bytes"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
)

const parks = `
name: parks
graphs:
  main:
    input: {type: object, properties: {size: {type: integer, default: 1}}}
    state: {text: {type: string, default: ""}}
    start: grow
    nodes:
      grow: {set: {text: "{{ repeat('0123456789abcdef', input.size) }}"}, next: ask}
      ask: {interrupt: {allow: [accept], title: "Go on?"}}
`

// change opens a database as another program would, and runs statements in one transaction
// that is left open until the test ends when none of them commits it.
func change(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	t.Cleanup(func() { _ = db.Close() })
}

// TestBadStores: each verb that meets a store it cannot use says why, ends with exit
// code 1 and writes nothing; once the reason is gone the thread is as before.
func TestBadStores(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(t *testing.T, path string)
		mend  func(t *testing.T, path string)
		says  string
	}{
		"random bytes": {spoil: func(t *testing.T, path string) {
			overwrite(t, path, bytes.Repeat([]byte("\x8f\x01\xfe random "), 5000))
		}, says: "the file is damaged, or no database at all"},
		"a text": {spoil: func(t *testing.T, path string) { overwrite(t, path, []byte("hello\n")) }, says: "too few for a database"},
		"cut off": {spoil: func(t *testing.T, path string) {
			data := contents(t, path)
			overwrite(t, path, data[:len(data)/2])
		}, says: "damaged"},
		"a newer version": {
			spoil: func(t *testing.T, path string) { change(t, path, "PRAGMA user_version = 99") },
			mend:  func(t *testing.T, path string) { change(t, path, "PRAGMA user_version = 2") }, says: "use the newer program",
		},
		"a directory": {spoil: func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}, says: "not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, map[string]string{"s/spec.yaml": parks})
			path := filepath.Join(dir, "w.db")
			store := []string{"--store", "sqlite:w.db"}
			weftIn(t, dir, nil, append(store, "run", "s", "--thread", "t1")...).want(t, 4)
			before := weftIn(t, dir, nil, append(store, "threads", "export", "t1")...)
			good := contents(t, path)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if name != "a directory" {
				overwrite(t, path, good)
			}
			c.spoil(t, path)
			for _, args := range [][]string{
				{"run", "s", "--thread", "t1"},
				{"run", "s", "--thread", "t2"},
				{"resume", "t1", "--accept"},
				{"threads", "list"},
				{"threads", "export", "t1"},
				{"inbox", "list"},
				{"memory", "list"},
			} {
				weftIn(t, dir, nil, append(store, args...)...).want(t, 1, "w.db", c.says)
			}
			if c.mend != nil {
				c.mend(t, path)
			} else {
				if err := os.RemoveAll(path); err != nil {
					t.Fatal(err)
				}
				overwrite(t, path, good)
			}
			whole(t, dir, path, before)
		})
	}
}

// whole checks that the thread is as it was and can go on.
func whole(t *testing.T, dir, path string, before outcome) {
	t.Helper()
	after := weftIn(t, dir, nil, "threads", "export", "t1", "--store", "sqlite:"+path)
	if before.stdout == "" || after != before {
		t.Errorf("the thread was\n%v\nand is\n%v", before, after)
	}
	weftIn(t, dir, nil, "resume", "t1", "--accept", "--store", "sqlite:"+path).want(t, 0)
}

// TestLockedStore: another program writes and does not end.
func TestLockedStore(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"s/spec.yaml": parks})
	path := filepath.Join(dir, "w.db")
	weftIn(t, dir, nil, "run", "s", "--thread", "t1", "--store", "sqlite:w.db").want(t, 4)
	before := weftIn(t, dir, nil, "threads", "export", "t1", "--store", "sqlite:w.db")
	t.Run("held", func(t *testing.T) {
		change(t, path, "BEGIN IMMEDIATE")
		for _, args := range [][]string{{"run", "s", "--thread", "t2"}, {"resume", "t1", "--accept"}} {
			weftIn(t, dir, nil, append(args, "--store", "sqlite:w.db")...).want(t, 1, "another process has the database locked")
		}
	})
	whole(t, dir, path, before)
}

// full fills a disk of 2 MB: what cannot be written is refused, what was there stays.
const full = `
set -e
mount -t tmpfs -o size=2m tmpfs disk
set +e
"$WEFT" run s --thread t1 --store sqlite:disk/w.db; echo "first $?"
"$WEFT" threads export t1 --store sqlite:disk/w.db > before
"$WEFT" run s --thread t2 --input '{"size": 60000}' --store sqlite:disk/w.db --wait 0s; echo "fits $?"
"$WEFT" run s --thread t3 --input '{"size": 4000000}' --store sqlite:disk/w.db; echo "big $?"
head -c 3000000 /dev/zero > disk/filler 2>/dev/null
"$WEFT" resume t1 --accept --store sqlite:disk/w.db; echo "resume $?"
"$WEFT" threads list --store sqlite:disk/w.db; echo "list $?"
rm disk/filler
rm -f w.db*
cp disk/w.db* .
`

// TestFullDisk: on a disk that is full nothing is lost, and the error says so.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), "unshare", "-rm", "true").CombinedOutput(); err != nil {
		t.Skipf("needs a file system of its own: %v: %s", err, out)
	}
	dir := tree(t, map[string]string{"s/spec.yaml": parks, "disk/.keep": ""})
	weft, err := exec.LookPath("weft")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "unshare", "-rm", "sh", "-c", full)
	c.Dir, c.Env = dir, append(os.Environ(), "WEFT="+weft)
	data, err := c.CombinedOutput()
	if err != nil && strings.Contains(string(data), "mount:") {
		t.Skipf("needs a file system of its own: %s", data)
	}
	got := outcome{stdout: string(data)}
	got.want(t, 0, "first 4\n", "fits 4\n", "big 1\n", "resume 1\n", "the disk is full")
	whole(t, dir, filepath.Join(dir, "w.db"), outcome{stdout: string(contents(t, filepath.Join(dir, "before")))})
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func overwrite(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
