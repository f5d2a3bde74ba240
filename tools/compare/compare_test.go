package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/e2e/stage"
)

const debian = "/usr/bin/python3"

// held are the topics that CI runs; `make compare` runs all.
var held = []string{"values/", "json/", "errors/", "help/", "display/", "language/"}

// heldOfKernel are the topics that CI runs with a kernel too, which starts slowly.
var heldOfKernel = []string{"help/", "history/"}

// TestTheBuiltInPythonIsAsTheReference compares snippets of the built-in Python, with IPython and
// without, and some of ipykernel as a kernel of Quire, with the recorded output of ipykernel.
func TestTheBuiltInPythonIsAsTheReference(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs hundreds of notebooks")
	}
	now, err := versions(debian)
	if err != nil {
		t.Skipf("this test needs %s with IPython: %v", debian, err)
	}
	kept, err := os.ReadFile(filepath.Join("snippets", "versions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if now != string(kept) {
		t.Skipf("the results are of %sand this is %s", kept, now)
	}
	if err := stage.NoteSources(filepath.Join("..", "..")); err != nil {
		t.Fatal(err)
	}
	quire := filepath.Join(t.TempDir(), "quire")
	build := exec.Command("go", "build", "-o", quire, "../../cmd/quire")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	hold := func(topic string, ways ...string) {
		var out bytes.Buffer
		differ, err := compare(t.Context(), options{
			quire: quire, python: debian, dir: "snippets", only: topic, ways: ways, parallel: runtime.NumCPU(), known: true,
		}, &out)
		if err != nil {
			t.Fatal(err)
		}
		if differ > 0 {
			t.Errorf("they differ; `make compare` says more:\n%s", out.String())
		}
	}
	for _, topic := range held {
		hold(topic, "native", "bare")
	}
	if err := exec.Command(debian, "-c", "import ipykernel").Run(); err != nil {
		return
	}
	for _, topic := range heldOfKernel {
		hold(topic, "kernel")
	}
}

func TestSnippetsAreRead(t *testing.T) {
	got, err := parseSnippets("topic", "# snippet: one\n1\n# cell\n%%time\n2\n\n# snippet: two\n# native differs: better so\n3\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []snippet{
		{topic: "topic", name: "one", cells: []string{"1", "%%time\n2"}, accepted: map[string]string{}},
		{topic: "topic", name: "two", cells: []string{"3"}, accepted: map[string]string{"native": "better so"}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(snippet{})); diff != "" {
		t.Error(diff)
	}
	if _, err := parseSnippets("topic", "# snippet: one\n1\n# snippet: one\n2\n"); err == nil {
		t.Error("got no error for two snippets of one name")
	}
}

func TestWhatVariesIsLeftOut(t *testing.T) {
	got, err := results([]byte(`{"cells": [{"outputs": [
		{"output_type": "stream", "name": "stdout", "text": ["a\n", "Wall time: 5 ms\n",
			"The slowest run took 68.34 times longer than the fastest. This could mean that an intermediate result is being cached.\n",
			"9.1 ns ± 6 ns per loop\n"]},
		{"output_type": "stream", "name": "stderr", "text": "UsageError: no\n/tmp/ipykernel_12/34.py:3: UserWarning: w\n"},
		{"output_type": "execute_result", "data": {"text/plain": "<C at 0x7f0011223344>", "image/png": "abc"}, "metadata": {}},
		{"output_type": "error", "ename": "SyntaxError", "evalue": "invalid syntax (12.py, line 1)"}
	]}]}`), "/work")
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{
		"stdout: a\nWall time: ...\n... per loop\n", "stderr: <cell>:3: UserWarning: w\n", "error: UsageError: no",
		"result: image/png ... | text/plain <C at 0x0>", "error: SyntaxError: invalid syntax",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestADifferenceThatIsNoMoreIsOne(t *testing.T) {
	var out bytes.Buffer
	c := &comparison{differing: map[string]bool{}, out: &out}
	s := snippet{topic: "t", name: "n", cells: []string{"1"}, accepted: map[string]string{"native": "better so"}}
	c.judge(s, "native", &golden{Want: [][]string{{"result: 1"}}}, [][]string{{"result: 1"}})
	if !strings.Contains(out.String(), "it no longer differs") {
		t.Errorf("got %q", out.String())
	}
}
