package scheme

import "testing"

func TestMacrosAreHygienic(t *testing.T) {
	values(t, [][2]string{
		{"(define-syntax swap! (syntax-rules () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp))))) (let ((tmp 1) (other 2)) (swap! tmp other) (list tmp other))", "(2 1)"},
		{"(define-syntax my-if (syntax-rules () ((_ c a b) (cond (c a) (else b))))) (let ((else #f)) (my-if #f 1 2))", "2"},
		{"(define-syntax kw (syntax-rules (=>) ((_ a => b) 'arrow) ((_ a b c) 'other))) (list (kw 1 => 2) (let ((=> 0)) (kw 1 => 2)))", "(arrow other)"},
		{"(let ((if list)) (when #t 1))", "1"},
		{"(define-syntax while (syntax-rules () ((_ c b ...) (let lp () (when c b ... (lp)))))) (let ((i 0) (lp 5)) (while (< i 3) (set! i (+ i 1))) (list i lp))", "(3 5)"},
		{"(define-syntax ten (syntax-rules () ((_) 10))) (define (ten?) (ten)) (ten?)", "10"},
		{"(let ((x 1)) (let-syntax ((get (syntax-rules () ((_) x)))) (let ((x 2)) (get))))", "1"},
		{"(letrec-syntax ((ev? (syntax-rules () ((_) #t) ((_ x . r) (od? . r)))) (od? (syntax-rules () ((_) #f) ((_ x . r) (ev? . r))))) (ev? 1 2 3))", "#f"},
		{"(define-syntax def (syntax-rules () ((_ n v) (define n v)))) (def dx 7) (let () (def dy 8) (list dx dy))", "(7 8)"},
		{"(define-syntax m (syntax-rules () ((_ x) '(x tmp #(tmp))))) (m a)", "(a tmp #(tmp))"},
	})
}

func TestPatternsOfMacros(t *testing.T) {
	values(t, [][2]string{
		{"(define-syntax my-let (syntax-rules () ((_ ((n v) ...) b ...) ((lambda (n ...) b ...) v ...)))) (my-let ((a 1) (b 2)) (+ a b))", "3"},
		{"(define-syntax flat (syntax-rules () ((_ (a b ...) ...) '((a ...) (b ... ...))))) (flat (1 2 3) (4) (5 6))", "((1 4 5) (2 3 6))"},
		{"(define-syntax tail (syntax-rules () ((_ a ... z) '(z a ...)))) (tail 1 2 3)", "(3 1 2)"},
		{"(define-syntax dotted (syntax-rules () ((_ a . b) '(a b)))) (dotted 1 2 3)", "(1 (2 3))"},
		{"(define-syntax vec (syntax-rules () ((_ #(a b ...)) '(a (b ...))))) (vec #(1 2 3))", "(1 (2 3))"},
		{"(define-syntax custom (syntax-rules ::: () ((_ a :::) '(a ::: ...)))) (custom 1 2)", "(1 2 ...)"},
		{"(define-syntax lit (syntax-rules () ((_ \"s\" x) 'string) ((_ 1 x) 'one) ((_ #\\c x) 'char) ((_ . r) 'none))) (list (lit \"s\" 0) (lit 1 0) (lit #\\c 0) (lit 2 0))", "(string one char none)"},
		{"(define-syntax be (syntax-rules () ((_ name) (define-syntax name (syntax-rules () ((_ x (... ...)) (list x (... ...)))))))) (be mylist) (mylist 1 2)", "(1 2)"},
		{"(define-syntax under (syntax-rules () ((_ _ x) 'x))) (under 1 2)", "2"},
		{"(define-syntax nest (syntax-rules () ((_ ((a ...) ...) ...) '(((a ... !) ...) ...)))) (nest ((1 2) (3)) ((4)))", "(((1 2 !) (3 !)) ((4 !)))"},
	})
}

func TestBadMacrosAndFormsAreRefused(t *testing.T) {
	values(t, [][2]string{
		{"(define-syntax one (syntax-rules () ((_ a) 'a))) (one)", "error syntax-error: no rule of the macro one matches (one)"},
		{"(define-syntax two 5)", "error syntax-error: a macro is defined by (syntax-rules (LITERAL …) (PATTERN TEMPLATE) …)"},
		{"(define-syntax bad (syntax-rules () ((_ a a) 1)))", "error syntax-error: syntax-rules: the pattern has a variable twice, two ellipses in a list, or an ellipsis at its beginning"},
		{"(define-syntax dep (syntax-rules () ((_ a ...) 'a))) (dep 1)", "error syntax-error: the macro dep uses a without its ellipsis"},
		{"(define-syntax endless (syntax-rules () ((_ x) (list (endless (x)))))) (endless 1)", "error syntax-error: the expression nests deeper than 10000 levels"},
		{"(define-syntax twice (syntax-rules () ((_ x ...) (twice x ... x ...)))) (twice 1)", "error syntax-error: the macro twice expands to too much"},
		{"(syntax-error \"stop here:\" (a b))", "error syntax-error: stop here: (a b)"},
		{"(if)", "error syntax-error: if: the form is (if TEST THEN ELSE), where ELSE may be left out"},
		{"(lambda (a a) a)", "error syntax-error: the variable a is bound twice"},
		{"(let ((1 2)) 3)", "error syntax-error: let: a binding is (NAME EXPRESSION)"},
		{"(lambda (x))", "error syntax-error: lambda: the form is (lambda (PARAMETER …) BODY …)"},
		{"(let () (define x 1))", "error syntax-error: the body has no expression at its end"},
		{"(+ 1 (define x 2))", "error syntax-error: define: a definition stands where only an expression can; put it at the beginning of a body"},
		{"()", "error syntax-error: () is no expression; write '() for the empty list"},
		{"(1 . 2)", "error syntax-error: a call is no proper list"},
		{"else", "error syntax-error: else is a keyword and no variable"},
		{"(set! undefined-name 1)", "error unbound-variable: the variable undefined-name is not defined"},
		{"`,@(list 1)", "error syntax-error: unquote-splicing: it stands outside a list"},
	})
}

func TestQuasiquotesNest(t *testing.T) {
	values(t, [][2]string{
		{"`(1 `,(+ 1 ,(+ 2 3)))", "(1 `,(+ 1 5))"},
		{"`(a `(b ,(c ,@(list 1 2))))", "(a `(b ,(c 1 2)))"},
		{"`#(1 ,@(list 2 3) ,(+ 2 2))", "#(1 2 3 4)"},
		{"`(1 . ,(+ 1 1))", "(1 . 2)"},
		{"`(,@'(1 2) . 3)", "(1 2 . 3)"},
		{"`(,@'() ,@'(1))", "(1)"},
		{"(let ((unquote 5)) `(a . ,unquote))", "(a unquote unquote)"},
		{"`((,@(list 1) 2) ,@(map (lambda (x) (* x x)) '(2 3)))", "((1 2) 4 9)"},
	})
}

func TestLibrariesAreImported(t *testing.T) {
	values(t, [][2]string{
		{`(define-library (my stack)
		    (export make-stack push! (rename pop! take!) size)
		    (import (scheme base))
		    (begin
		      (define pushes 0)
		      (define (size s) (length (unbox s)))
		      (define-record-type box (make-box v) box? (v unbox set-box!))
		      (define (make-stack) (make-box '()))
		      (define (push! s x) (set! pushes (+ pushes 1)) (set-box! s (cons x (unbox s))))
		      (define (pop! s) (let ((x (car (unbox s)))) (set-box! s (cdr (unbox s))) x))))
		  (import (prefix (my stack) s:))
		  (define st (s:make-stack)) (s:push! st 1) (s:push! st 2) (list (s:take! st) (s:size st))`, "(2 1)"},
		{"(import (only (my stack) make-stack)) (procedure? make-stack)", "#t"},
		{"(import (rename (only (my stack) size) (size how-many))) (procedure? how-many)", "#t"},
		{"unbox", "error unbound-variable: the variable unbox is not defined"},
		{"(import (only (my stack) nothing))", "error syntax-error: import: the library does not export nothing"},
		{"(import (no such library))", "error unknown-library: import: there is no library (no such library)"},
		{"(set! s:size 1)", "error syntax-error: set!: size is imported from a library; define a variable of your own"},
		{"(define s:size 5) s:size", "5"},
		{"(eval '(+ 1 2) (environment '(only (scheme base) +)))", "3"},
		{"(eval '(- 1 2) (environment '(only (scheme base) +)))", "error unbound-variable: the variable - is not defined"},
		{"(eval '(begin (define hidden 1) hidden) (environment '(scheme base)))", "1"},
		{"hidden", "error unbound-variable: the variable hidden is not defined"},
		{"(cond-expand ((and r7rs (library (scheme base)) (not full-moon)) 'yes) (else 'no))", "yes"},
		{"(cond-expand (full-moon 1) ((library (no such)) 2) (else 3))", "3"},
		{"(import (scheme base) (scheme write) (prefix (scheme base) b:)) (b:+ 1 2)", "3"},
	})
}

// TestEveryNameOfALibraryIsDefined holds the table of libraries to what there is.
func TestEveryNameOfALibraryIsDefined(t *testing.T) {
	in := New(Config{})
	for _, l := range libraryTable {
		for _, name := range in.libraryNames(l.name) {
			if g, ok := in.core.lookup(name).(*global); ok && g.v == nil {
				t.Errorf("%s exports %s, which is not defined", l.name, name.name)
			}
		}
	}
}
