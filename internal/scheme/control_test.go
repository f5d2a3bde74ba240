package scheme

import "testing"

func TestTailCallsTakeNoSpace(t *testing.T) {
	values(t, [][2]string{
		{"(define (even n) (if (= n 0) #t (odd (- n 1)))) (define (odd n) (if (= n 0) #f (even (- n 1)))) (even 200000)", "#t"},
		{"(let loop ((n 200000)) (cond ((= n 0) 'done) (else (loop (- n 1)))))", "done"},
		{"(define (f n) (and #t (or #f (when #t (case 1 ((1) (if (= n 0) 'ok (f (- n 1))))))))) (f 200000)", "ok"},
		{"(define (g n) (apply (lambda (n) (if (= n 0) 'ok (g (- n 1)))) (list n))) (g 200000)", "ok"},
		{"(define (h n) (call/cc (lambda (k) (if (= n 0) 'ok (h (- n 1)))))) (h 200000)", "ok"},
		{"(define (v n) (call-with-values (lambda () (values n 1)) (lambda (n d) (if (= n 0) 'ok (v (- n d)))))) (v 200000)", "ok"},
		{"(define (l n) (delay-force (if (= n 0) (delay 'ok) (l (- n 1))))) (force (l 100000))", "ok"},
	})
}

func TestDeepRecursionIsFine(t *testing.T) {
	values(t, [][2]string{
		{"(define (sum n) (if (= n 0) 0 (+ n (sum (- n 1))))) (sum 100000)", "5000050000"},
		{"(define (build n) (if (= n 0) '() (cons n (build (- n 1))))) (length (map (lambda (x) x) (build 100000)))", "100000"},
		{"(define (sumk n) (if (= n 0) 0 (+ n (call/cc (lambda (k) (sumk (- n 1))))))) (sumk 20000)", "200010000"},
	})
}

func TestContinuationsAreEnteredAgain(t *testing.T) {
	values(t, [][2]string{
		{`(define k #f) (define n 0)
		  (let ((x (+ 100 (call/cc (lambda (c) (set! k c) 1)))))
		    (set! n (+ n 1))
		    (if (< n 5) (k n) (list x n)))`, "(104 5)"},
		{`(define (generator list)
		    (define return #f)
		    (define (next)
		      (for-each (lambda (x) (call/cc (lambda (rest) (set! next (lambda () (rest #f))) (return x)))) list)
		      (return 'end))
		    (lambda () (call/cc (lambda (r) (set! return r) (next)))))
		  (define g (generator '(1 2 3)))
		  (let* ((a (g)) (b (g)) (c (g)) (d (g)) (e (g))) (list a b c d e))`, "(1 2 3 end end)"},
		// map keeps what it has collected when its procedure is left and entered again
		{`(let ((k* #f) (y* 1))
		    (set! y* (* 2 y*))
		    (let ((r (map (lambda (x) (call/cc (lambda (k) (if (= x 2) (set! k* k)) x))) '(1 2 3))))
		      (if k* (let ((k k*)) (set! k* #f) (k 'again)) r)))`, "(1 again 3)"},
		// locals that are assigned are shared by all entries, others are not
		{`(let ((k #f) (n 0))
		    (let* ((a (call/cc (lambda (c) (set! k c) 0))) (b (+ a 1)))
		      (set! n (+ n 1))
		      (if (< n 3) (k b) (list a b n))))`, "(2 3 3)"},
		{"(+ 1 (call/cc (lambda (k) (for-each (lambda (x) (if (> x 2) (k x))) '(1 2 3 4)) 0)))", "4"},
		{"(call-with-values (lambda () (call/cc (lambda (k) (k 1 2 3)))) list)", "(1 2 3)"},
	})
}

func TestDynamicWindIsLeftAndEntered(t *testing.T) {
	values(t, [][2]string{
		{`(let ((path '()) (k #f) (n 0))
		    (define (note x) (set! path (cons x path)))
		    (dynamic-wind
		      (lambda () (note 'in))
		      (lambda () (dynamic-wind (lambda () (note 'in2)) (lambda () (call/cc (lambda (c) (set! k c))) (note 'body)) (lambda () (note 'out2))))
		      (lambda () (note 'out)))
		    (set! n (+ n 1))
		    (if (< n 2) (k #f))
		    (reverse path))`, "(in in2 body out2 out in in2 body out2 out)"},
		{`(let ((path '()))
		    (define (note x) (set! path (cons x path)))
		    (guard (e (#t (note e)))
		      (dynamic-wind (lambda () (note 'in)) (lambda () (raise 'oops)) (lambda () (note 'out))))
		    (reverse path))`, "(in out oops)"},
		{`(define p (make-parameter 1))
		  (define k #f)
		  (define seen '())
		  (define count 0)
		  (parameterize ((p 2))
		    (call/cc (lambda (c) (set! k c)))
		    (set! seen (cons (p) seen)))
		  (set! seen (cons (p) seen))
		  (set! count (+ count 1))
		  (reverse seen)`, "(2 1)"},
		{"(call/cc (lambda (k) (dynamic-wind (lambda () #f) (lambda () (k 'x)) (lambda () 'ignored))))", "x"},
		{"(call-with-values (lambda () (dynamic-wind (lambda () #f) (lambda () (values 1 2)) (lambda () #f))) list)", "(1 2)"},
	})
}

func TestExceptionsReachTheirHandlers(t *testing.T) {
	values(t, [][2]string{
		{"(with-exception-handler (lambda (e) 10) (lambda () (+ 1 (raise-continuable 'c))))", "11"},
		{"(guard (e ((symbol? e) (list 'symbol e)) ((string? e) 'string)) (raise 'a))", "(symbol a)"},
		{"(guard (e ((string? e) 'outer)) (guard (e ((number? e) 'inner)) (raise \"x\")))", "outer"},
		{"(guard (e ((assq 'a e) => cdr) ((assq 'b e))) (raise (list (cons 'a 42))))", "42"},
		{"(guard (e (#t (condition-kind e))) (car 1))", "wrong-type"},
		{"(guard (e (#t (condition-kind e))) (undefined-thing))", "unbound-variable"},
		{"(guard (e (#t (condition-kind e))) ((lambda (x) x)))", "wrong-number-of-arguments"},
		{"(guard (e (#t (condition-kind e))) (5 5))", "not-a-procedure"},
		{"(guard (e (#t (condition-kind e))) (vector-ref #(1) 1))", "out-of-range"},
		{"(guard (e (#t (condition-kind e))) (quotient 1 0))", "division-by-zero"},
		{"(guard (e (#t (condition-kind e))) (error \"x\"))", "error"},
		{"(guard (e (#t (list (error-object-message e) (error-object-irritants e)))) (error \"bad:\" 1 \"two\"))", `("bad:" (1 "two"))`},
		{"(guard (e (#t (condition-kind e))) (with-exception-handler (lambda (e) 1) (lambda () (raise 'x))))", "handler-returned"},
		{"(call-with-values (lambda () (guard (e (#t 0)) (values 1 2))) list)", "(1 2)"},
		// a handler runs with the handlers outside of it
		{"(guard (e (#t (list 'outer e))) (with-exception-handler (lambda (e) (raise (list 'again e))) (lambda () (raise 'x))))", "(outer (again x))"},
		{"(guard (e (#f 'never) (else (list 'else e))) (raise 1))", "(else 1)"},
	})
}

func TestMultipleValuesAndArity(t *testing.T) {
	values(t, [][2]string{
		{"(receive-all)", "error unbound-variable: the variable receive-all is not defined"},
		{"(define f (case-lambda ((a) (list 'one a)) ((a b) (list 'two a b)) ((a . r) (list 'more a r)))) (list (f 1) (f 1 2) (f 1 2 3))", "((one 1) (two 1 2) (more 1 (2 3)))"},
		{"((case-lambda ((a) 1)) 1 2)", "error wrong-number-of-arguments: the procedure takes another number of arguments, got 2"},
		{"(let*-values (((a b) (values 1 2)) ((c) (values (+ a b)))) (list a b c))", "(1 2 3)"},
		{"(let-values ((all (values 1 2 3))) all)", "(1 2 3)"},
		{"((lambda (a b . c) (list a b c)) 1 2 3 4)", "(1 2 (3 4))"},
		{"((lambda args args))", "()"},
		{"(cons 1)", "error wrong-number-of-arguments: cons takes 2 arguments, got 1"},
		{"(define (g a #!fold-case b) b) (g 1 2)", "2"},
	})
}

func TestBodiesDefineInOrder(t *testing.T) {
	values(t, [][2]string{
		{"(define (f) (define a 1) (define (g) (* a b)) (define b (+ a 1)) (g)) (f)", "2"},
		{"(letrec ((e? (lambda (n) (or (= n 0) (o? (- n 1))))) (o? (lambda (n) (and (> n 0) (e? (- n 1)))))) (e? 101))", "#f"},
		{"(let () (define x y) (define y 1) x)", "error unassigned-variable: the variable y is used before it has a value"},
		{"(let () (define-values (a b) (values 1 2)) (define c (+ a b)) (list a b c))", "(1 2 3)"},
		{"(let ((x 1)) (define (get) x) (set! x 2) (get))", "2"},
		{"(let () (define (a) (b)) (define x 5) (define (b) x) (a))", "5"},
		{"(let () (define x 1) (set! x (+ x 1)) (define y (* x 10)) (list x y))", "(2 20)"},
		{"(map (lambda (f) (f)) (let loop ((i 0) (l '())) (if (= i 3) l (loop (+ i 1) (cons (lambda () i) l)))))", "(2 1 0)"},
		{"(map (lambda (f) (f)) (do ((i 0 (+ i 1)) (l '() (cons (lambda () (set! i (+ i 10)) i) l))) ((= i 3) l)))", "(12 11 10)"},
		{"(let loop ((i 0)) (if (< i 5) (let inner ((j 0)) (if (< j 3) (inner (+ j 1)) (loop (+ i 1)))) i))", "5"},
		{"(let loop ((i 0)) (or (and (= i 4) (list 'done i)) (loop (+ i 1))))", "(done 4)"},
		{"(+ 1 (let loop ((i 0)) (if (< i 3) (loop (+ i 1)) i)) 10)", "14"},
		{"(let f ((n 5)) (if (= n 0) 1 (* n (f (- n 1)))))", "120"},
		{"(let loop ((a 1) (b 2) (n 0)) (if (= n 3) (list a b) (loop b a (+ n 1))))", "(2 1)"},
	})
}

func TestRedefinedPrimitivesAreCalled(t *testing.T) {
	values(t, [][2]string{
		{"(define (f a b) (if (< a b) (+ a b) (- a b))) (f 1 2)", "3"},
		{"(define (+ a b) (list 'plus a b)) (f 1 2)", "(plus 1 2)"},
		{"(define old< <) (set! < (lambda (a b) (old< b a))) (f 1 2)", "-1"},
		{"(define (g l) (if (null? l) 'none (car l))) (define (car x) 'mine) (list (g '(1)) (g '()))", "(mine none)"},
		{"(let ((cdr (lambda (x) 'local))) (cdr '(1 2)))", "local"},
		{"(map cadr '((1 2)))", "(2)"},
		{"(define square (lambda (x) 'mine)) (vector-map square #(1))", "#(mine)"},
	})
}
