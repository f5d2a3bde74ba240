package scheme

import (
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzReader holds that any text is read or refused at a place within it, and that what is read is written as a text
// that is read as an equal datum.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"(a . b) #(1 2) #u8(1 2)", `"a\x41;b\n" #\a #\space #\x41 |a b| ||`, "#0=(a #0# . #0#)", "'(a `(b ,c ,@d))",
		"1/2 -1.5e10 +inf.0 -nan.0 1+2i 1@2 #xFF #e1.5 #i1/3 +i", "#;(a b) c #| d #| e |# |# f ; g\nh", "#t #false #!fold-case ABC",
		"((((", "))))", "#0=#0#", "\"\\", "#\\", "1e400 #e1e400", "[a b)", "#!/bin/scheme\n1", "... + - 1+ -> .a +.b -.5 1.",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 10_000 || !utf8.ValidString(text) {
			return
		}
		in := &Interp{symbols: map[string]*symbol{}}
		r := &reader{in: newTextIn([]rune(text)), intern: in.intern, src: &source{name: "text", text: text}, spans: map[*pair]span{}}
		for {
			v, at, err := r.read()
			if errors.Is(err, errEnd) {
				return
			}
			if c, ok := asCondition(err); ok {
				if c.at == nil || int(c.at.pos.line) < 1 || int(c.at.pos.line) > strings.Count(text, "\n")+1 {
					t.Fatalf("%q is refused at no place of it: %+v", text, c.at)
				}
				return
			}
			if err != nil || at.line < 1 || at.column < 1 {
				t.Fatalf("%q at %+v: %v", text, at, err)
			}
			sameWhenWrittenAndRead(t, in, v)
		}
	})
}

func sameWhenWrittenAndRead(t *testing.T, in *Interp, v Value) {
	t.Helper()
	for _, l := range []labelling{cycleLabels, sharedLabels} {
		text, err := written(v, false, l)
		if err != nil {
			if c, ok := asCondition(err); ok && c.kind == kindNesting {
				return
			}
			t.Fatal(err)
		}
		again := &reader{in: newTextIn([]rune(text)), intern: in.intern, src: &source{name: "again"}}
		w, _, err := again.read()
		if err != nil {
			if strings.Contains(err.Error(), "nests deeper") { // labels and quotes count as well
				return
			}
			t.Fatalf("what is written is not read: %q: %v", text, err)
		}
		if !equal(v, w) {
			t.Fatalf("%q is read as another datum", text)
		}
	}
}

// FuzzEval holds that any program ends within its bounds, with a value or an error that has a name, and that the
// interpreter goes on after it.
func FuzzEval(f *testing.F) {
	for _, p := range programs {
		f.Add(p.source)
	}
	if suite, err := os.ReadFile("testdata/r7rs/r7rs-tests.scm"); err == nil {
		for i, form := range strings.Split(string(suite), "\n(test ") {
			if i%20 == 1 {
				f.Add("(list " + form)
			}
		}
	}
	for _, seed := range []string{
		"(define-syntax m (syntax-rules () ((_ a ...) (list a ... 'end)))) (m 1 2)", "(let loop ((i 0)) (if (< i 10) (loop (+ i 1)) i))",
		"(call/cc (lambda (k) (dynamic-wind (lambda () (k 1)) (lambda () (k 2)) (lambda () (k 3)))))",
		"(guard (e (#t (raise e))) (car 1))", "(with-exception-handler (lambda (e) (raise e)) (lambda () (raise 1)))",
		"(define k #f) (+ 1 (call/cc (lambda (c) (set! k c) 1))) (k 2)", "(letrec ((a (lambda () b)) (b 1) (c (a))) (list a b c))",
		"(define-record-type p (mk a) p? (a pa set-a!)) (pa (mk 1))", "(let () (define-values (a . b) (values 1 2)) (set! a b) a)",
		"(parameterize ((current-output-port (open-output-string))) (display 1))", "(exit 3)", "`(1 ,@(list 2) #(,3))",
		"(case 1 ((1 2) => (lambda (x) x)) (else 0))", "(do ((i 0 (+ i 1))) ((= i 3) i) (set! i i))", "(apply apply (list + (list 1 2)))",
		"(define-library (a) (export b) (import (scheme base)) (begin (define b 1))) (import (a)) b", "(eval '(define x 1) (interaction-environment))",
		"(string->number \"1e10\") (expt 7 1000) (exact 1e300)", "(let-syntax ((a (syntax-rules () ((_ (b c ...) ...) '((c ... b) ...))))) (a (1 2) (3)))",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 5_000 {
			return
		}
		in := New(Config{MaxSteps: 50_000, MaxStack: 50_000, MaxHeap: 2 << 30})
		var out strings.Builder
		got := in.Eval(t.Context(), Run{Name: "cell", Source: source, Stdout: &out, Stderr: &out})
		if got.Err != nil && (got.Err.Name == "" || got.Err.Message == "") {
			t.Fatalf("%q: an error without a name or a message: %+v", source, got.Err)
		}
		if got.Err != nil && (got.HasValue || got.Exited) {
			t.Fatalf("%q: an error and a value: %+v", source, got)
		}
		in.Complete("a", 1)
		in.Variables()
		in.Reset()
		if again := in.Eval(t.Context(), Run{Source: "(+ 1 2)"}); again.Value != "3" {
			t.Fatalf("%q: afterwards 1+2 is %+v, %v", source, again, again.Err)
		}
	})
}
