package scheme

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// unmet are the tests of the suite that do not pass, and why.
const unmet = "((sqrt -1.0-0.0i) expected 0.0+1.0i got 0.0-1.0i)\n" // the sign of the imaginary zero says which side of the cut is meant

// TestTheSuiteOfR7RSPasses runs the tests of Chibi Scheme for R7RS-small: testdata/r7rs/r7rs-tests.scm, unchanged, with
// the notice of its authors beside it. Only its import, of a library for tests, is replaced by testdata/r7rs/harness.scm.
func TestTheSuiteOfR7RSPasses(t *testing.T) {
	in := New(Config{
		Now:     func() time.Time { return time.Unix(1_700_000_000, 0) },
		Environ: map[string]string{"PATH": "/bin"},
		Files:   rootOnly{},
	})
	harness, err := os.ReadFile("testdata/r7rs/harness.scm")
	if err != nil {
		t.Fatal(err)
	}
	if out := in.Eval(t.Context(), Run{Name: "harness", Source: string(harness)}); out.Err != nil {
		t.Fatal(out.Err)
	}
	text, err := os.ReadFile("testdata/r7rs/r7rs-tests.scm")
	if err != nil {
		t.Fatal(err)
	}
	src := &source{name: "r7rs-tests.scm", text: string(text)}
	r := &reader{in: newTextIn([]rune(src.text)), intern: in.intern, src: src, spans: map[*pair]span{}}
	if _, _, err := r.read(); err != nil { // the import
		t.Fatal(err)
	}
	for {
		form, at, err := r.read()
		if errors.Is(err, errEnd) {
			break
		}
		if err != nil {
			t.Fatal(in.describe(err, src))
		}
		c, err := in.compile(part{form, at}, src, r.spans, in.user)
		if err == nil {
			_, err = in.machine.run(&closure{code: c})
		}
		if err != nil {
			t.Errorf("line %d: %v", at.line, in.describe(err, src))
		}
	}
	var failures strings.Builder
	if out := in.Eval(t.Context(), Run{Source: "(for-each (lambda (f) (write f) (newline)) (reverse failures))", Stdout: &failures}); out.Err != nil {
		t.Fatal(out.Err)
	}
	if failures.String() != unmet {
		t.Errorf("these tests fail:\n%swant only:\n%s", failures.String(), unmet)
	}
	if out := in.Eval(t.Context(), Run{Source: "passed"}); out.Value != "1224" {
		t.Errorf("%s tests pass, want 1224", out.Value)
	}
}
