package scheme

import "testing"

// values tries sources with the values, as write writes them, that they must have.
func values(t *testing.T, cases [][2]string) {
	t.Helper()
	in := New(Config{MaxSteps: 50_000_000})
	for _, c := range cases {
		out := in.Eval(t.Context(), Run{Name: "cell", Source: c[0]})
		got := out.Value
		if out.Err != nil {
			got = "error " + out.Err.Error()
		}
		if got != c[1] {
			t.Errorf("%s\n got %s\nwant %s", c[0], got, c[1])
		}
	}
}

func TestExpressionsHaveTheirValues(t *testing.T) {
	values(t, [][2]string{
		{"(+ 1 2)", "3"},
		{"(define (f n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))) (f 20)", "6765"},
		{"(let loop ((i 0) (s 0)) (if (= i 10) s (loop (+ i 1) (+ s i))))", "45"},
		{"(do ((i 0 (+ i 1)) (l '() (cons i l))) ((= i 3) l))", "(2 1 0)"},
		{"(map (lambda (x y) (* x y)) '(1 2 3) '(4 5 6))", "(4 10 18)"},
		{"(call/cc (lambda (k) (+ 1 (k 42))))", "42"},
		{"`(1 ,(+ 1 1) ,@(list 3 4))", "(1 2 3 4)"},
		{"(guard (e (#t (list 'caught e))) (raise 'oops))", "(caught oops)"},
		{"(let-values (((a b) (values 1 2)) ((c) (values 3))) (list a b c))", "(1 2 3)"},
		{"(define-values (p q . r) (values 1 2 3 4)) (list p q r)", "(1 2 (3 4))"},
		{"(define x (make-parameter 1)) (parameterize ((x 2)) (x))", "2"},
		{"(expt 2 100)", "1267650600228229401496703205376"},
		{"(let* ((x 1) (y (+ x 1))) (define z 5) (+ x y z))", "8"},
	})
}
