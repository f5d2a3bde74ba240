package scheme

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNothingOfTheHostIsReachedThatIsNotGranted(t *testing.T) {
	values(t, [][2]string{
		{`(open-input-file "/etc/passwd")`, "error not-granted: open-input-file: this Scheme has no access to files"},
		{`(call-with-output-file "x" write)`, "error not-granted: open-output-file: this Scheme has no access to files"},
		{`(load "x.scm")`, "error not-granted: open-input-file: this Scheme has no access to files"},
		{`(file-exists? "/")`, "error not-granted: file-exists?: this Scheme has no access to files"},
		{`(delete-file "/x")`, "error not-granted: delete-file: this Scheme has no access to files"},
		{`(include "x.scm")`, "error not-granted: include: this Scheme has no access to files"},
		{"(current-second)", "error not-granted: current-second: this Scheme has no access to a clock"},
		{"(current-jiffy)", "error not-granted: current-jiffy: this Scheme has no access to a clock"},
		{"(get-environment-variables)", "()"},
		{`(get-environment-variable "PATH")`, "#f"},
		{"(command-line)", "()"},
		{"(guard (e ((file-error? e) 'file-error)) (open-input-file \"x\"))", "file-error"},
	})
}

func TestWhatIsGrantedIsThere(t *testing.T) {
	in := New(Config{
		Now:       func() time.Time { return time.Unix(12, 500_000_000) },
		Environ:   map[string]string{"B": "2", "A": "1"},
		Arguments: []string{"prog", "x"},
		Files:     memoryFiles{"a.scm": "(define loaded 42) (display \"é\")"},
	})
	for source, want := range map[string]string{
		"(current-second)": "12.5",
		"(list (command-line) (get-environment-variables))":                                                          `(("prog" "x") (("A" . "1") ("B" . "2")))`,
		`(begin (load "a.scm") loaded)`:                                                                              "42",
		`(call-with-input-file "a.scm" read)`:                                                                        "(define loaded 42)",
		`(guard (e ((file-error? e) (error-object-message e))) (open-input-file "none"))`:                            `"open-input-file: there is no none"`,
		`(begin (call-with-output-file "b" (lambda (p) (display "text" p))) (call-with-input-file "b" read-string))`: "",
	} {
		if want == "" {
			continue
		}
		if out := in.Eval(t.Context(), Run{Source: source}); out.Value != want || out.Err != nil {
			t.Errorf("%s: got %q, %v, want %s", source, out.Value, out.Err, want)
		}
	}
	files := memoryFiles{}
	out := New(Config{Files: files}).Eval(t.Context(), Run{Source: `(with-output-to-file "b" (lambda () (display "one") (newline))) (delete-file "b") (call-with-output-file "c" (lambda (p) (write 'x p)))`})
	if out.Err != nil || len(files) != 1 || files["c"] != "x" {
		t.Errorf("got %v, %v", files, out.Err)
	}
}

type memoryFiles map[string]string

func (f memoryFiles) Open(name string) (io.ReadCloser, error) {
	text, ok := f[name]
	if !ok {
		return nil, errors.New("there is no " + name)
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

func (f memoryFiles) Create(name string) (io.WriteCloser, error) {
	return &memoryFile{f: f, name: name}, nil
}

func (f memoryFiles) Remove(name string) error {
	delete(f, name)
	return nil
}

func (f memoryFiles) Exists(name string) bool {
	_, ok := f[name]
	return ok
}

type memoryFile struct {
	strings.Builder
	f    memoryFiles
	name string
}

func (m *memoryFile) Close() error {
	m.f[m.name] = m.String()
	return nil
}

func TestRunsAreBounded(t *testing.T) {
	for _, c := range []struct {
		name, source, kind string
		config             Config
	}{
		{"steps of a loop", "(let loop () (loop))", kindSteps, Config{MaxSteps: 100_000}},
		{"steps of calls", "(define (f) (g)) (define (g) (f)) (f)", kindSteps, Config{MaxSteps: 100_000}},
		{"steps of continuations", "(let ((k (call/cc (lambda (c) c)))) (k k))", kindSteps, Config{MaxSteps: 100_000}},
		{"steps of a handler", "(with-exception-handler (lambda (e) (let loop () (loop))) (lambda () (raise 'x)))", kindSteps, Config{MaxSteps: 100_000}},
		{"steps that a guard would catch", "(guard (e (#t 'caught)) (let loop () (loop)))", kindSteps, Config{MaxSteps: 100_000}},
		{"an expansion", "(define-syntax m (syntax-rules () ((_) (m)))) (m)", kindSteps, Config{MaxSteps: 100_000}},
		{"a list without end", "(list-tail (let ((c (list 1))) (set-cdr! c c) c) 1000000000000)", kindSteps, Config{MaxSteps: 1_000_000}},
		{"the depth of calls", "(define (f n) (+ 1 (f n))) (f 0)", kindTooDeep, Config{MaxStack: 100_000}},
		{"the depth of calls without values", "(define (f) (f) 1) (f)", kindTooDeep, Config{MaxStack: 100_000}},
		{"the depth of continuations", "(define (f) (+ 1 (call/cc (lambda (k) (f))))) (f)", kindTooDeep, Config{MaxStack: 100_000}},
		{"the depth of handlers", "(define (f) (guard (e (#f 1)) (f))) (f)", kindTooDeep, Config{MaxStack: 100_000}},
		{"arguments", "(apply + (make-list 1000000 1))", kindTooDeep, Config{MaxStack: 100_000}},
		{"a large vector", "(make-vector 100000000000 0)", kindMemory, Config{MaxHeap: 1 << 30}},
		{"a large string", "(make-string 100000000000)", kindMemory, Config{MaxHeap: 1 << 30}},
		{"a number", "(let loop ((x 3)) (loop (* x x)))", kindNumber, Config{}},
		{"data that nest", "(let loop ((i 0) (x '())) (if (= i 100000) (write x) (loop (+ i 1) (list x))))", kindNesting, Config{}},
		{"code that nests", "(let loop ((i 0) (x 1)) (if (= i 100000) (eval x) (loop (+ i 1) (list '- x))))", kindSyntax, Config{}},
	} {
		in := New(c.config)
		out := in.Eval(t.Context(), Run{Source: c.source})
		if out.Err == nil || out.Err.Name != c.kind {
			t.Errorf("%s: got %+v, %v, want %s", c.name, out, out.Err, c.kind)
			continue
		}
		limits := []string{kindSteps, kindTooDeep, kindMemory}
		if out.Err.Limit != slices.Contains(limits, c.kind) {
			t.Errorf("%s: a limit was reported: %v", c.name, out.Err.Limit)
		}
		if out := in.Eval(t.Context(), Run{Source: "(+ 1 2)"}); out.Value != "3" {
			t.Errorf("%s: the next run has %+v, %v", c.name, out, out.Err)
		}
	}
}

func TestAHeapThatGrowsIsBounded(t *testing.T) {
	in := New(Config{MaxHeap: 64 << 20})
	out := in.Eval(t.Context(), Run{Source: "(define l '()) (let loop () (set! l (cons (make-vector 100 0) l)) (loop))"})
	if out.Err == nil || out.Err.Name != kindMemory {
		t.Fatalf("got %+v, %v", out, out.Err)
	}
	if out := in.Eval(t.Context(), Run{Source: "(set! l '()) 1"}); out.Value != "1" {
		t.Errorf("the next run has %+v, %v", out, out.Err)
	}
}

func TestAnInterruptionStopsARunAndKeepsItsDefinitions(t *testing.T) {
	for _, source := range []string{
		"(define x 42) (display \"started\") (newline) (let loop () (loop))",
		"(define x 42) (display \"started\") (newline) (define (f) (guard (e (#t 1)) (f2))) (define (f2) (f2)) (f)",
		"(define x 42) (display \"started\") (newline) (let loop ((x 3)) (loop (modulo (* x x) 1000007)))",
		"(define x 42) (display \"started\") (newline) (list-tail (let ((c (list 1))) (set-cdr! c c) c) 1000000000000000)",
	} {
		in := New(Config{})
		started := make(chan bool, 1)
		ended := make(chan Outcome)
		ctx, interrupt := context.WithCancel(t.Context())
		go func() { ended <- in.Eval(ctx, Run{Source: source, Stdout: signal(started)}) }()
		<-started
		interrupt()
		out := <-ended
		if out.Err == nil || !out.Err.Stopped || out.Err.Name != kindInterrupted {
			t.Errorf("%s: got %+v, %v", source, out, out.Err)
		}
		if out := in.Eval(t.Context(), Run{Source: "x"}); out.Value != "42" {
			t.Errorf("%s: the next run has %+v, %v", source, out, out.Err)
		}
	}
}

// signal is a writer that says when something is written.
type signal chan bool

func (s signal) Write(b []byte) (int, error) {
	select {
	case s <- true:
	default:
	}
	return len(b), nil
}
