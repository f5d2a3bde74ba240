; What the tests of r7rs-tests.scm need of the library (chibi test), and counts.

(define passed 0)
(define failures '())

(define (failed! what)
  (set! failures (cons what failures)))

(define (same? expected got)
  (cond ((equal? expected got) #t)
        ((and (number? expected) (number? got) (inexact? expected))
         (if (zero? expected)
             (< (magnitude got) 1e-6)
             (< (magnitude (- 1 (/ got expected))) 1e-5)))
        ((and (pair? expected) (pair? got))
         (and (same? (car expected) (car got)) (same? (cdr expected) (cdr got))))
        ((and (vector? expected) (vector? got))
         (same? (vector->list expected) (vector->list got)))
        (else #f)))

(define (check! what expected got)
  (if (same? expected got)
      (set! passed (+ passed 1))
      (failed! (list what 'expected expected 'got got))))

(define-syntax test
  (syntax-rules ()
    ((_ expected expr) (test #f expected expr))
    ((_ name expected expr)
     (guard (e (#t (failed! (list 'expr 'raised e))))
       (check! 'expr expected expr)))))
(define-syntax test-values
  (syntax-rules ()
    ((_ expected expr)
     (test (call-with-values (lambda () expected) list)
           (call-with-values (lambda () expr) list)))))
(define-syntax test-assert
  (syntax-rules ()
    ((_ expr) (test-assert #f expr))
    ((_ name expr) (test #t (and expr #t)))))
(define-syntax test-error
  (syntax-rules ()
    ((_ expr) (test 'raised (guard (e (#t 'raised)) expr)))))
(define (test-begin . name) #f)
(define (test-end . name) #f)
