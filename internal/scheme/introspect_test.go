package scheme

import (
	"reflect"
	"testing"
)

func TestNamesAreCompleted(t *testing.T) {
	in := New(Config{})
	in.Eval(t.Context(), Run{Source: "(define (vector-double v #!fold-case . more) v) (define vector-size 3) (define-syntax vector-do (syntax-rules () ((_) 1)))"})
	start, end, all := in.Complete("🐎 (vector-", 11)
	if start != 4 || end != 11 || len(all) < 10 {
		t.Fatalf("got %d to %d, %v", start, end, all)
	}
	want := []Candidate{
		{"vector-do", "keyword", ""},
		{"vector-double", "function", "(vector-double v . more)"},
		{"vector-size", "variable", "integer"},
		{"vector->list", "function", "(vector->list a …)"},
	}
	if !reflect.DeepEqual(all[:4], want) {
		t.Errorf("got %v, want %v", all[:4], want)
	}
	if _, _, none := in.Complete("(", 1); none != nil {
		t.Errorf("got %v for nothing", none)
	}
	if _, _, some := in.Complete("(defi", 99); len(some) == 0 || some[0].Text != "define" {
		t.Errorf("got %v", some)
	}
}

func TestNamesAreInspected(t *testing.T) {
	in := New(Config{})
	in.Eval(t.Context(), Run{Source: "(define (add a b) (+ a b)) (define size '(1 2)) (define (told n) \"says what it does\" n)"})
	for _, c := range []struct {
		source    string
		cursor    int
		sig, text string
		found     bool
	}{
		{"(add 1 2)", 2, "(add a b)", "a procedure", true},
		{"size", 4, "", "a list: (1 2)", true},
		{"(car x)", 1, "(car a)", "a procedure", true},
		{"(if x)", 2, "", "a keyword", true},
		{"(nothing)", 3, "", "", false},
		{"(list (add (car x) ", 19, "(add a b)", "a procedure", true},
		{"(told 1 ", 8, "(told n)", "says what it does", true},
	} {
		sig, text, found := in.Inspect(c.source, c.cursor)
		if sig != c.sig || text != c.text || found != c.found {
			t.Errorf("%s: got %q, %q, %v", c.source, sig, text, found)
		}
	}
}

func TestVariablesAreListed(t *testing.T) {
	in := New(Config{})
	in.Eval(t.Context(), Run{Source: "(define b \"text\") (define a '(1 2 3)) (define (f) 1) (define car cdr) (define-record-type p (mk x) p? (x px)) (define r (mk 1)) (define v #u8(1 2))"})
	want := []Variable{
		{"a", "list", "3 items", "(1 2 3)"},
		{"b", "string", "4 characters", `"text"`},
		{"r", "p", "", "#<p x: 1>"},
		{"v", "bytevector", "2 bytes", "#u8(1 2)"},
	}
	if got := in.Variables(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	in.Reset()
	if got := in.Variables(); got != nil {
		t.Errorf("after Reset there are %v", got)
	}
}
