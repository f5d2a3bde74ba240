package scheme

import (
	"os/exec"
	"strings"
	"testing"
)

// programs are the benchmarks, in Scheme that other implementations run as well.
var programs = []struct{ name, source, want string }{
	{"fib27", "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (display (fib 27))", "196418"},
	{"loop2M", "(let loop ((i 0) (s 0)) (if (= i 2000000) (display s) (loop (+ i 1) (+ s i))))", "1999999000000"},
	{"tak", "(define (tak x y z) (if (not (< y x)) z (tak (tak (- x 1) y z) (tak (- y 1) z x) (tak (- z 1) x y)))) (display (tak 18 12 6))", "7"},
	{"closures", "(define (count n) (let ((k 0)) (for-each (lambda (i) (set! k (+ k i))) (iota n)) k)) (display (count 300000))", "44999850000"},
	{"deep", "(define (sum n) (if (= n 0) 0 (+ n (sum (- n 1))))) (display (sum 1000000))", "500000500000"},
	{"generator", `(define (tree->generator tree)
  (define return #f)
  (define (go t) (cond ((null? t) 'skip) ((pair? t) (go (car t)) (go (cdr t)))
    (else (call/cc (lambda (k) (set! next (lambda () (k #f))) (return t))))))
  (define next (lambda () (go tree) (return 'done)))
  (lambda () (call/cc (lambda (r) (set! return r) (next)))))
(define g (tree->generator (iota 50000)))
(display (let loop ((s 0)) (let ((x (g))) (if (eq? x 'done) s (loop (+ s x))))))`, "1249975000"},
	{"strings", `(define (f n acc) (if (= n 0) (string-length acc) (f (- n 1) (string-append acc "x")))) (display (f 3000 ""))`, "3000"},
	{"floats", "(let loop ((i 0) (x 0.0)) (if (= i 500000) (display (> x 1.0)) (loop (+ i 1) (+ x (* 0.5 (/ 1.0 (+ 1.0 i)))))))", "#t"},
}

func BenchmarkPrograms(b *testing.B) {
	for _, p := range programs {
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				var out strings.Builder
				if o := New(Config{}).Eval(b.Context(), Run{Source: p.source, Stdout: &out}); o.Err != nil || out.String() != p.want {
					b.Fatalf("got %q, %v, want %q", out.String(), o.Err, p.want)
				}
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(Config{})
	}
}

// BenchmarkGuile runs the same programs with GNU Guile, its start included, and without the compiled files that it
// would keep.
func BenchmarkGuile(b *testing.B) {
	guile, err := exec.LookPath("guile")
	if err != nil {
		b.Skip("guile is not installed")
	}
	for _, p := range programs {
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				out, err := exec.CommandContext(b.Context(), guile, "--no-auto-compile", "-c", p.source).Output()
				if err != nil || string(out) != p.want {
					b.Fatalf("got %q, %v, want %q", out, err, p.want)
				}
			}
		})
	}
}
