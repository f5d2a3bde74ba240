package main

import (
	"strings"
	"testing"
)

func TestAConnectionIsAddedFromStdinAndShownWithoutItsPassword(t *testing.T) {
	dir := t.TempDir()
	do := func(stdin string, args ...string) (code int, out string) {
		a, stdout, stderr := offline()
		a.stdin = strings.NewReader(stdin)
		code = a.execute(t.Context(), append([]string{"--data", dir}, args...))
		return code, stdout.String() + stderr.String()
	}
	if code, out := do("postgres://me:s3cret@host/db\nmore", "connection", "add", "shop"); code != exitOK || out != "" {
		t.Errorf("add: got %d %q", code, out)
	}
	if code, out := do("", "connection", "ls"); code != exitOK || out != "shop  postgres://me@host/db\n" {
		t.Errorf("ls: got %d %q", code, out)
	}
	if code, out := do("", "connection", "ls", "--json"); code != exitOK || strings.Contains(out, "s3cret") || !strings.Contains(out, `"name": "shop"`) {
		t.Errorf("ls --json: got %d %q", code, out)
	}
	for stdin, word := range map[string]string{"": "stdin must have", "postgres://me:s3cret@[/": "cannot be read", strings.Repeat("x", 20000): "stdin must have"} {
		if code, out := do(stdin, "connection", "add", "other"); code != exitUsage || !strings.Contains(out, word) || strings.Contains(out, "s3cret") {
			t.Errorf("add of %.20q: got %d %q", stdin, code, out)
		}
	}
	if code, out := do("", "eval", "-l", "sql", "--", "-- connection: nope\nselect 1"); code != exitFailed || !strings.Contains(out, "memory, shop") {
		t.Errorf("eval: got %d %q", code, out)
	}
	if code, _ := do("", "connection", "rm", "shop"); code != exitOK {
		t.Errorf("rm: got %d", code)
	}
	if code, _ := do("", "connection", "rm", "shop"); code == exitOK {
		t.Error("rm of what is gone: got no error")
	}
}

func TestEvalExecutesSQL(t *testing.T) {
	a, stdout, stderr := offline()
	a.config.Data = t.TempDir()
	if code := a.execute(t.Context(), []string{"eval", "-l", "sql", "create table t (a); insert into t values (1); select a from t"}); code != exitOK {
		t.Fatalf("got %d: %s", code, stderr)
	}
	if got, want := stdout.String(), "1 row inserted\n a\n---\n 1\n(1 row)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
