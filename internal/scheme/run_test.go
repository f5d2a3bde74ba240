package scheme

import (
	"io"
	"slices"
	"strings"
	"testing"
)

func TestErrorsHaveTheirPlaceAndTrace(t *testing.T) {
	in := New(Config{})
	if out := in.Eval(t.Context(), Run{Name: "first", Source: "(define (half x)\n  (/ x 2))\n(define (each l)\n  (map (lambda (x) (half x)) l))"}); out.Err != nil {
		t.Fatal(out.Err)
	}
	for _, c := range []struct {
		source       string
		line, column int
		trace        []string
	}{
		{"(display 1)\n  (half 'a)", 2, 3, []string{"cell:2:3", "first:2:3: in half"}},
		{"\"🐎\" (car 1)", 1, 6, []string{"cell:1:6"}},
		{"(define (f x)\n  (let ((y (* x 2)))\n    (car y)))\n(list (f 2))", 3, 5, []string{"cell:4:7", "cell:3:5: in f"}},
		{"(+ 1\n   undefined-name)", 2, 4, []string{"cell:2:4"}},
		{"(raise 'boom)", 1, 1, []string{"cell:1:1"}},
		{"(define (g) (raise 'boom)) (list (g))", 1, 13, []string{"cell:1:34", "cell:1:13: in g"}},
		{"(error \"no\" 1)", 1, 1, []string{"cell:1:1"}},
		{"(for-each\n  (lambda (x)\n    (vector-ref #(1) x))\n  '(0 1))", 3, 5, []string{"cell:1:1", "cell:3:5"}},
		{"(guard (e ((string? e) e))\n  (car 5))", 2, 3, []string{"cell:2:3"}},
		{"(define-syntax m (syntax-rules () ((_ x) (car x))))\n(m 5)", 2, 1, []string{"cell:2:1"}},
		{"(if 1)", 1, 1, []string{}},
		{"(let ((x 1))\n  (lambda))", 2, 3, []string{}},
		{"(a\n (b", 2, 2, []string{}},
		{"(half 1 2)", 1, 1, []string{"cell:1:1"}},
	} {
		out := in.Eval(t.Context(), Run{Name: "cell", Source: c.source})
		if out.Err == nil {
			t.Errorf("%s: no error", c.source)
			continue
		}
		got := slices.DeleteFunc(out.Err.Trace, func(line string) bool { return strings.HasSuffix(line, ": in ") })
		if out.Err.Line != c.line || out.Err.Column != c.column || !slices.Equal(got, c.trace) {
			t.Errorf("%s: got %d:%d %q, want %d:%d %q", c.source, out.Err.Line, out.Err.Column, got, c.line, c.column, c.trace)
		}
	}
}

func TestTheTraceOfADeepRecursionIsShort(t *testing.T) {
	in := New(Config{})
	out := in.Eval(t.Context(), Run{Name: "cell", Source: "(define (f n) (if (= n 0) (car 1) (+ 1 (f (- n 1))))) (f 10000)"})
	if out.Err == nil || len(out.Err.Trace) != maxTrace+1 || out.Err.Trace[maxTrace/2] != "… 9962 more calls …" {
		t.Errorf("got %+v", out.Err)
	}
}

func TestOutputIsInOrderAndComplete(t *testing.T) {
	var all strings.Builder
	in := New(Config{})
	out := in.Eval(t.Context(), Run{
		Source: `(display "a") (newline) (write "b" (current-error-port)) (display "c")
		         (parameterize ((current-output-port (current-error-port))) (display "d"))
		         (car 1)`,
		Stdout: named2{"1", &all}, Stderr: named2{"2", &all},
	})
	if out.Err == nil || all.String() != "[1 a\n][2 \"b\"][1 c][2 d]" {
		t.Errorf("got %q, %v", all.String(), out.Err)
	}
}

// named2 shows which writer each write came from.
type named2 struct {
	name string
	w    io.Writer
}

func (n named2) Write(b []byte) (int, error) {
	_, err := io.WriteString(n.w, "["+n.name+" "+string(b)+"]")
	return len(b), err
}

func TestAProgramAsksForInput(t *testing.T) {
	lines := []string{"first", "(a b) c", "last"}
	var prompts []string
	var out strings.Builder
	got := New(Config{}).Eval(t.Context(), Run{
		Source: `(display "before ") (let* ((a (read-line)) (b (read)) (c (read)) (r (read-char)) (d (ask "name? ")) (e (read-line))) (list a b c r d (eof-object? e)))`,
		Stdout: &out,
		Ask: func(prompt string, _ bool) (string, error) {
			prompts = append(prompts, prompt)
			if out.String() != "before " {
				t.Errorf("the output before is %q", out.String())
			}
			if len(lines) == 0 {
				return "", io.EOF
			}
			line := lines[0]
			lines = lines[1:]
			return line, nil
		},
	})
	if got.Value != `("first" (a b) c #\newline "last" #t)` || !slices.Equal(prompts, []string{"", "", "name? ", ""}) {
		t.Errorf("got %+v, %v, %q", got, got.Err, prompts)
	}
}

func TestAProgramEndsItself(t *testing.T) {
	for source, want := range map[string]Outcome{
		"(exit)":                      {Exited: true},
		"(exit #t)":                   {Exited: true},
		"(exit #f)":                   {Exited: true, Status: 1},
		"(exit 7) (display 1)":        {Exited: true, Status: 7},
		"(emergency-exit 3)":          {Exited: true, Status: 3},
		"(guard (e (#t 1)) (exit 2))": {Exited: true, Status: 2},
		"(dynamic-wind void (lambda () (exit 4)) (lambda () (set! left #t)))": {Exited: true, Status: 4},
	} {
		in := New(Config{})
		in.Eval(t.Context(), Run{Source: "(define left #f)"})
		if got := in.Eval(t.Context(), Run{Source: source}); got != want {
			t.Errorf("%s: got %+v, want %+v", source, got, want)
		}
		if strings.Contains(source, "wind") && in.Eval(t.Context(), Run{Source: "left"}).Value != "#t" {
			t.Error("an extent was not left")
		}
	}
}

func TestTheValueOfTheLastFormIsShown(t *testing.T) {
	for source, want := range map[string]string{
		"1 2 \"three\"": `"three"`, "(define x 1)": "", "(if #f #f)": "", "": "", "; nothing": "", "(values 1 2)": "1\n2", "(values)": "",
		"(list 'a #\\b)": "(a #\\b)", "#f": "#f", "(set-cdr! (list 1) 2)": "", "(lambda (x) x)": "#<procedure>", "(define (f) 1) f": "#<procedure f>",
	} {
		out := New(Config{}).Eval(t.Context(), Run{Source: source})
		if out.Err != nil || out.Value != want || out.HasValue != (want != "") {
			t.Errorf("%s: got %+v, %v, want %q", source, out, out.Err, want)
		}
	}
}
