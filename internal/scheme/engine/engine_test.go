package engine

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/engineproto/engineprototest"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/internal/script"
)

// TestMain lets this program be the engine process that the suite starts.
func TestMain(m *testing.M) {
	if os.Getenv("SCHEME_ENGINE") == "" {
		os.Exit(m.Run())
	}
	pipes, err := engineproto.Standard(os.Getenv(engineproto.PipesVariable))
	if err == nil {
		err = engineproto.Serve(context.Background(), pipes, New(Config{}))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func TestErrorsHaveATraceAndACause(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	for _, c := range []struct {
		source string
		want   engineproto.Error
	}{
		{"(define (half x)\n  (/ x 2))\n(list (half 'a))", engineproto.Error{
			Name: "wrong-type", Message: "/: argument 1 must be a number, got the symbol a", Line: 2, Column: 3,
			Trace: []string{"wrong-type: /: argument 1 must be a number, got the symbol a", "    cell 1:2:3: in half", "    cell 1:3:7"},
		}},
		{"(exit 3)", engineproto.Error{Name: "exit", Message: "the program has ended with the status 3"}},
		{"(make-vector 1000000000000)", engineproto.Error{
			Name: "out-of-memory", Message: "the program needs more than its 341 MiB of memory", Line: 1, Column: 1, Cause: engineproto.Limit, Lack: lang.LackMemory,
			Trace: []string{"out-of-memory: the program needs more than its 341 MiB of memory", "    cell 3:1:1"},
		}},
		{"(open-input-file \"x\")", engineproto.Error{
			Name: "not-granted", Message: "open-input-file: this Scheme has no access to files", Line: 1, Column: 1, Lack: lang.LackAccess,
			Trace: []string{"not-granted: open-input-file: this Scheme has no access to files", "    cell 4:1:1"},
		}},
	} {
		if _, got := h.Run(c.source); got == nil || !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.source, *got, c.want)
		}
	}
}

func TestSchemeKeepsTheContractOfEngines(t *testing.T) {
	t.Setenv("SCHEME_ENGINE", "1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	langtest.Suite(t, func(t *testing.T) lang.Engine {
		engine, err := script.New(script.Config{
			Info:    lang.Info{Language: "scheme", Extension: ".scm", MIME: "text/x-scheme"},
			Command: []string{self}, Dir: t.TempDir(), Pipes: script.Stdio,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := engine.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
		return engine
	}, langtest.Programs{
		Hello:    `(display "hello") (newline)`,
		Streams:  `(display "a\n") (display "b\n" (current-error-port)) (display "c\n")`,
		Set:      "(define kept 42)",
		Get:      "kept",
		Displays: `(display "a\n") (show-html "<b>b</b>") (display "c\n")`,
		Updates:  `(show "text/html" "1" "x") (update-shown! "x" "text/html" "2")`,
		Clears:   `(display "a\n") (clear-output #t) (display "b\n")`,
		Fail:     "(display \"before\\n\")\n(error \"bad value:\" 5)",
		FailName: "error", FailMessage: "bad value: 5", FailLine: 2,
		Syntax: "(define ran 1)\n(define broken", SyntaxLine: 2,
		Loop:      `(display "started\n") (let loop () (loop))`,
		Flood:     `(let ((line (make-string 1023 #\x))) (do ((i 0 (+ i 1))) ((= i 40960)) (write-string line) (newline)))`,
		FloodSize: 40 << 20,
		Ask:       `(display "before\n") (display (ask "name? ")) (newline)`,
		AskSecret: `(display (string-length (ask-secret "word? "))) (newline)`,
		NoAnswer:  "no-answer",
		Name:      "kept",
		Lead:      `"🐎" `,
		Define:    "(define (horse legs) \"says what it does\" legs)",
		Defined:   "horse",
		Calling:   "(horse 3 ",
		Shared:    `(display (vector-ref (cdr (assq 'b shared)) 1)) (newline)`,
	})
}
