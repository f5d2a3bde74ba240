package scheme

import (
	"strings"
	"testing"
)

func TestLists(t *testing.T) {
	values(t, [][2]string{
		{"(append '(1) '(2) '() '(3 . 4))", "(1 2 3 . 4)"},
		{"(append)", "()"},
		{"(append '(1 . 2) '(3))", "error wrong-type: append: argument 1 must be a list, got the pair (1 . 2)"},
		{"(list-tail '(1 2 3) 4)", "error out-of-range: list-tail: the list has only 3 elements, and not 4"},
		{"(length '(1 . 2))", "error wrong-type: length: argument 1 must be a list, got the pair (1 . 2)"},
		{"(let ((c (list 1 2))) (set-cdr! (cdr c) c) (list (list? c) (guard (e (#t 'circular)) (length c)) (guard (e (#t 'ends)) (memv 9 c))))", "(#f circular ends)"},
		{"(let ((c (list 1 2 3)) (d (list 1 2 3 1 2 3))) (set-cdr! (cddr c) c) (set-cdr! (list-tail d 5) d) (equal? c d))", "#t"},
		{"(let ((x '(1 2))) (let loop ((i 0) (a x) (b x)) (if (= i 60) (equal? a (cons b b)) (loop (+ i 1) (cons a a) (cons b b)))))", "#f"},
		{"(map + '(1 2 3) '(10 20))", "(11 22)"},
		{"(assoc 2.0 '((1 one) (2 two)) =)", "(2 two)"},
		{"(member 2.0 '(1 2 3) =)", "(2 3)"},
		{"(caddr '(1 2))", "error wrong-type: caddr: argument 1 must be a longer list, got the list (1 2)"},
		{"(list (filter odd? '(1 2 3)) (fold + 0 '(1 2 3)) (fold-right cons '() '(1 2)) (reduce max 0 '(1 3 2)) (iota 3 1))", "((1 3) 6 (1 2) 3 (1 2 3))"},
		{"(sort '(3 1 2) <)", "(1 2 3)"},
		{"(sort '((b . 1) (a . 1) (c . 0)) (lambda (x y) (< (cdr x) (cdr y))))", "((c . 0) (b . 1) (a . 1))"},
	})
}

func TestStringsAndCharacters(t *testing.T) {
	values(t, [][2]string{
		{"(string-length \"é🐎\")", "2"},
		{"(string-ref \"é🐎\" 1)", "#\\🐎"},
		{"(string-ref \"abc\" 3)", "error out-of-range: string-ref: argument 2 is 3, out of the range 0 to 2"},
		{"(string-ref \"\" 0)", "error out-of-range: string-ref: argument 2 is 0, but there are no elements"},
		{"(let ((s (string-copy \"abc\"))) (string-set! s 1 #\\λ) s)", `"aλc"`},
		{"(string-set! \"abc\" 0 #\\x)", `error immutable: string-set!: the string "abc" is a constant of the program; change a string-copy of it`},
		{"(let ((s (make-string 3 #\\-))) (string-copy! s 1 \"xy\") s)", `"-xy"`},
		{"(string-copy! (make-string 1) 0 \"xy\")", "error out-of-range: string-copy!: 2 characters do not fit behind index 0 of a string of 1"},
		{"(substring \"hello\" 1 3)", `"el"`},
		{"(list (string-upcase \"straße\") (string-downcase \"ΧΑΟΣ\") (string-foldcase \"ẞ\"))", `("STRASSE" "χαος" "ss")`},
		{"(list (string<? \"a\" \"b\" \"c\") (string-ci=? \"Ab\" \"aB\") (char-upcase #\\ß) (char->integer #\\A))", "(#t #t #\\ß 65)"},
		{"(list (digit-value #\\7) (digit-value #\\x0EA6) (digit-value #\\x0664) (char-numeric? #\\x0664))", "(7 #f 4 #t)"},
		{"(list (string->list \"abc\" 1) (string->vector \"ab\") (list->string '(#\\a)) (string-map char-upcase \"ab\"))", `((#\b #\c) #(#\a #\b) "a" "AB")`},
		{"(utf8->string (string->utf8 \"é🐎\"))", `"é🐎"`},
		{"(string->symbol \"a b\")", "|a b|"},
		{"(symbol->string 'abc)", `"abc"`},
		{"(string-append \"a\" 5)", "error wrong-type: string-append: argument 2 must be a string, got the integer 5"},
		{"(integer->char #xD800)", "error wrong-type: integer->char: argument 1 must be the number of a Unicode character, got the integer 55296"},
	})
}

func TestVectorsAndBytevectors(t *testing.T) {
	values(t, [][2]string{
		{"(vector-map + #(1 2) #(10 20 30))", "#(11 22)"},
		{"(let ((v (vector 1 2 3 4))) (vector-copy! v 1 v 0 3) v)", "#(1 1 2 3)"},
		{"(let ((v (make-vector 3 0))) (vector-fill! v 7 1) v)", "#(0 7 7)"},
		{"(vector-append #(1) #(2 3))", "#(1 2 3)"},
		{"(vector->list #(1 2 3) 1 2)", "(2)"},
		{"(vector-ref #(1 2) 1.0)", "error wrong-type: vector-ref: argument 2 must be an index, got the real 1.0"},
		{"(vector-set! #(1 2) 2 0)", "error out-of-range: vector-set!: argument 2 is 2, out of the range 0 to 1"},
		{"(bytevector-append #u8(1) (bytevector 2 3))", "#u8(1 2 3)"},
		{"(bytevector 256)", "error wrong-type: bytevector: argument 1 must be an integer from 0 to 255, got the integer 256"},
		{"(vector-for-each (lambda (x) x) 5)", "error wrong-type: vector-length: argument 1 must be a vector, got the integer 5"},
	})
}

func TestRecordsPromisesAndParameters(t *testing.T) {
	values(t, [][2]string{
		{"(define-record-type <point> (make-point x y) point? (x px set-px!) (y py)) (define p (make-point 1 2)) (set-px! p 10) (list (px p) (py p) (point? p) (point? 5) p)", "(10 2 #t #f #<point x: 10 y: 2>)"},
		{"(py 5)", "error wrong-type: py: argument 1 must be a point, got the integer 5"},
		{"(make-point 1)", "error wrong-number-of-arguments: make-point takes 2 arguments, got 1"},
		{"(define-record-type node #t node? (next next set-next!)) (define n (make-node 1))", "error syntax-error: define-record-type: the constructor is (NAME FIELD …)"},
		{"(define n 0) (define p (delay (begin (set! n (+ n 1)) n))) (list (force p) (force p))", "(1 1)"},
		{"(force 5)", "5"},
		{"(define s (cons-stream 1 (cons-stream 2 '()))) (car (force (cdr s)))", "2"},
		{"(define p (make-parameter 10 (lambda (x) (* x 2)))) (list (p) (parameterize ((p 5)) (p)) (p))", "(20 10 20)"},
		{"(parameterize ((5 1)) 2)", "error wrong-type: parameterize: argument 1 must be a parameter, got the integer 5"},
	})
}

func TestPorts(t *testing.T) {
	values(t, [][2]string{
		{"(let ((p (open-input-string \"a b\\n(1 2)\"))) (let* ((x (read-char p)) (y (peek-char p)) (l (read-line p)) (d (read p)) (e (read p))) (list x y l d (eof-object? e))))", `(#\a #\space " b" (1 2) #t)`},
		{"(call-with-output-string (lambda (p) (write \"a\\\"b\" p) (display \" \" p) (write #\\a p) (newline p)))", `"\"a\\\"b\" #\\a\n"`},
		{"(with-output-to-string (lambda () (display '(1 \"two\" #\\3))))", `"(1 two 3)"`},
		{"(let ((p (open-input-bytevector #u8(1 2 3)))) (list (read-u8 p) (peek-u8 p) (read-bytevector 5 p) (eof-object? (read-u8 p))))", "(1 2 #u8(2 3) #t)"},
		{"(let ((p (open-output-bytevector))) (write-u8 1 p) (write-bytevector #u8(2 3 4) p 1) (get-output-bytevector p))", "#u8(1 3 4)"},
		{"(let ((p (open-input-string \"x\"))) (close-port p) (read-char p))", "error port-error: read-char: the port is closed"},
		{"(write-char #\\a (open-input-string \"\"))", "error wrong-type: write-char: argument 2 must be a textual output port, got the port #<port>"},
		{"(read (open-input-string \"(1 2\"))", "error read-error: the ( is never closed (in string, line 1, column 1)"},
		{"(guard (e ((read-error? e) 'read-error)) (read (open-input-string \")\")))", "read-error"},
		{"(let ((p (open-output-string)) (x (list 1 2))) (set-cdr! (cdr x) x) (write x p) (get-output-string p))", `"#0=(1 2 . #0#)"`},
		{"(let ((p (open-output-string)) (x (list 1))) (write-shared (vector x x) p) (get-output-string p))", `"#(#0=(1) #0#)"`},
		{"(let ((p (open-output-string)) (x (list 1))) (write (vector x x) p) (get-output-string p))", `"#((1) (1))"`},
	})
}

func TestTheTextOfADatumIsBounded(t *testing.T) {
	var v Value = list(int64(1))
	for range 60 { // its text has some 2^60 bytes
		v = &pair{v, v}
	}
	p := printer{max: 1000}
	p.print(v)
	if l, ok := p.err.(*limit); !ok || l.kind != kindMemory || p.b.Len() > 2000 {
		t.Errorf("got %v after %d bytes", p.err, p.b.Len())
	}
	if got := brief(v, 20); got != strings.Repeat("(", 20)+"…" {
		t.Errorf("got %q", got)
	}
}
