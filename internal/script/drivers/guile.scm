;;; The driver of Guile 2.2 and 3.0: the engine's side of spec/engine-protocol.md.
;;;
;;; Each form of a cell is compiled in the module of the notebook, as at Guile's own prompt. What programs print goes
;;; through ports of their own, so that its order holds.

(define-module (quire driver)
  #:use-module (ice-9 rdelim)
  #:use-module (ice-9 binary-ports)
  #:use-module (ice-9 textual-ports)
  #:use-module (rnrs bytevectors)
  #:use-module (srfi srfi-1)
  #:use-module (system base compile)
  #:use-module (system vm vm))

(define stdin-port (current-input-port))
(define stdout-port (current-output-port))
(define stderr-port (current-error-port))
(define requests (fdopen 3 "rb"))
(define messages (fdopen 4 "wb"))
(set-port-encoding! requests "UTF-8")
(set-port-conversion-strategy! requests 'substitute)

;;; JSON: objects are association lists with symbols as keys, arrays are vectors.

(define hard (char-set-union char-set:iso-control (char-set #\" #\\)))
(define harder (char-set-delete hard #\newline))

;; quoted returns a text as a JSON string. What is usual takes procedures in C alone, since a driver is not compiled.
(define (quoted text)
  (cond ((not (string-index text hard)) (string-append "\"" text "\""))
        ((not (string-index text harder)) (string-append "\"" (string-join (string-split text #\newline) "\\n") "\""))
        (else
         (call-with-output-string
          (lambda (port)
            (put-char port #\")
            (string-for-each
             (lambda (c)
               (case c
                 ((#\") (put-string port "\\\""))
                 ((#\\) (put-string port "\\\\"))
                 ((#\newline) (put-string port "\\n"))
                 (else
                  (if (char-set-contains? hard c)
                      (put-string port (string-append "\\u" (string-pad (number->string (char->integer c) 16) 4 #\0)))
                      (put-char port c)))))
             text)
            (put-char port #\"))))))
(define (write-json-string text port) (put-string port (quoted text)))

(define (write-json value port)
  (cond ((string? value) (write-json-string value port))
        ((symbol? value) (if (eq? value 'null) (put-string port "null") (write-json-string (symbol->string value) port)))
        ((eq? value #t) (put-string port "true"))
        ((eq? value #f) (put-string port "false"))
        ((and (real? value) (exact? value) (integer? value)) (put-string port (number->string value)))
        ((and (real? value) (not (nan? (exact->inexact value))) (not (inf? (exact->inexact value))))
         (let ((text (number->string (exact->inexact value))))
           (put-string port (cond ((string-prefix? "." text) (string-append "0" text))
                                  ((string-prefix? "-." text) (string-append "-0" (substring text 1)))
                                  ((string-suffix? "." text) (string-append text "0"))
                                  (else text)))))
        ((number? value) (put-string port "null"))
        ((null? value) (put-string port "[]"))
        ((vector? value)
         (put-char port #\[)
         (let loop ((items (vector->list value)) (first #t))
           (unless (null? items)
             (unless first (put-char port #\,))
             (write-json (car items) port)
             (loop (cdr items) #f)))
         (put-char port #\]))
        ((and (list? value) (every (lambda (field) (and (pair? field) (or (symbol? (car field)) (string? (car field))))) value))
         (put-char port #\{)
         (let loop ((fields value) (first #t))
           (unless (null? fields)
             (unless first (put-char port #\,))
             (write-json-string (if (symbol? (caar fields)) (symbol->string (caar fields)) (caar fields)) port)
             (put-char port #\:)
             (write-json (cdar fields) port)
             (loop (cdr fields) #f)))
         (put-char port #\}))
        ((list? value) (write-json (list->vector value) port))
        ((hash-table? value) (write-json (hash-map->list (lambda (k v) (cons (text-of k display) v)) value) port))
        (else (error "a value without JSON:" value))))

(define (json value) (call-with-output-string (lambda (port) (write-json value port))))

(define (read-json port)
  (define (skip) (when (and (char? (peek-char port)) (char-whitespace? (peek-char port))) (read-char port) (skip)))
  (define (bad) (error "no JSON"))
  (define (hex4) (string->number (list->string (list (read-char port) (read-char port) (read-char port) (read-char port))) 16))
  (define (read-text)
    (let loop ((chars '()))
      (let ((c (read-char port)))
        (cond ((eof-object? c) (bad))
              ((char=? c #\") (list->string (reverse chars)))
              ((char=? c #\\)
               (let ((e (read-char port)))
                 (case e
                   ((#\b) (loop (cons #\backspace chars)))
                   ((#\f) (loop (cons #\page chars)))
                   ((#\n) (loop (cons #\newline chars)))
                   ((#\r) (loop (cons #\return chars)))
                   ((#\t) (loop (cons #\tab chars)))
                   ((#\u)
                    (let high ((code (hex4)))
                      (cond ((and (<= #xD800 code #xDBFF) (eqv? (peek-char port) #\\))
                             (read-char port)
                             (if (eqv? (peek-char port) #\u)
                                 (let ((low (begin (read-char port) (hex4))))
                                   (if (<= #xDC00 low #xDFFF)
                                       (loop (cons (integer->char (+ #x10000 (* 1024 (- code #xD800)) (- low #xDC00))) chars))
                                       (begin (set! chars (cons #\xFFFD chars)) (high low))))
                                 (begin (unread-char #\\ port) (loop (cons #\xFFFD chars)))))
                            ((<= #xD800 code #xDFFF) (loop (cons #\xFFFD chars)))
                            (else (loop (cons (integer->char code) chars))))))
                   (else (loop (cons e chars))))))
              (else (loop (cons c chars)))))))
  (define (read-items close read-item)
    (let loop ((items '()))
      (skip)
      (let ((c (peek-char port)))
        (cond ((eof-object? c) (bad))
              ((char=? c close) (read-char port) (reverse items))
              ((char=? c #\,) (read-char port) (loop items))
              (else (loop (cons (read-item) items)))))))
  (skip)
  (let ((c (peek-char port)))
    (cond ((eof-object? c) (bad))
          ((char=? c #\") (read-char port) (read-text))
          ((char=? c #\{)
           (read-char port)
           (read-items #\} (lambda ()
                             (read-char port)
                             (let ((key (string->symbol (read-text))))
                               (skip)
                               (read-char port)
                               (cons key (read-json port))))))
          ((char=? c #\[) (read-char port) (list->vector (read-items #\] (lambda () (read-json port)))))
          (else
           (let loop ((chars '()))
             (let ((c (peek-char port)))
               (if (and (char? c) (not (memv c '(#\, #\} #\] #\space #\newline))))
                   (loop (cons (read-char port) chars))
                   (let ((word (list->string (reverse chars))))
                     (cond ((string=? word "true") #t)
                           ((string=? word "false") #f)
                           ((string=? word "null") 'null)
                           (else (or (string->number word) (bad))))))))))))

(define (field message key default)
  (let ((found (assq key message))) (if found (cdr found) default)))

;;; Messages.

(define deferred? #f)            ; the program must not be interrupted now
(define interrupted? #f)         ; an interrupt came meanwhile
(define executing? #f)

;; without-interrupts keeps a message whole.
(define (without-interrupts thunk)
  (if deferred?
      (thunk)
      (begin
        (set! deferred? #t)
        (let ((result (thunk)))
          (set! deferred? #f)
          (when (and interrupted? executing?)
            (set! interrupted? #f)
            (throw 'quire-interrupt))
          result))))

;; Text goes to the descriptors at once, and marks there tell the host its order.
(define out-pipe (fdopen (dup 1) "wb"))
(define err-pipe (fdopen (dup 2) "wb"))
(define token #f)                ; the beginning of marks; #f before the first request
(define marks 0)
(define owner (getpid))
(define (write-all port bytes) (put-bytevector port bytes) (force-output port))

;; copied? tells whether this is a copy of the engine that a program has forked: it prints, and says nothing for the engine.
(define (copied?) (not (= owner (getpid))))

;; mark puts the next mark into both streams. A copy of the process puts none.
(define (mark kind)
  (when (and token (not (copied?)))
    (set! marks (+ marks 1))
    (let ((bytes (string->utf8 (string-append token kind (string-pad (number->string marks 16) 16 #\0)))))
      (write-all out-pipe bytes)
      (write-all err-pipe bytes))))

;; send-line sends a message behind its mark, which is m or at the end of a run e.
(define* (send-line text #:optional (kind "m"))
  (unless (copied?)
    (without-interrupts
     (lambda ()
       (let ((before marks))
         (mark kind)
         (write-all messages
                    (string->utf8 (if (= before marks)
                                      (string-append text "\n")
                                      (string-append "{\"at\":" (number->string marks) "," (substring text 1) "\n")))))))))
(define* (send fields #:optional (kind "m")) (send-line (json fields) kind))

;; put-error prints on stderr. What is printed to stdout before and behind it needs no mark.
(define (put-error bytes)
  (without-interrupts
   (lambda ()
     (mark "t")
     (write-all err-pipe bytes)
     (mark "t"))))

;; beside returns a procedure that starts or awaits processes, with marks before and behind what they write.
(define (beside procedure)
  (lambda arguments
    (without-interrupts (lambda () (mark "t")))
    (let ((result (apply procedure arguments)))
      (without-interrupts (lambda () (mark "t")))
      result)))

;; What programs print goes out at once, without the driver.
(define out-port (fdopen (dup 1) "w"))
(define err-port
  (make-custom-binary-output-port
   "stderr"
   (lambda (bytes start count)
     (when (> count 0)
       (let ((part (make-bytevector count)))
         (bytevector-copy! bytes start part 0 count)
         (put-error part)))
     count)
   #f #f #f))
(for-each (lambda (port)
            (set-port-encoding! port "UTF-8")
            (set-port-conversion-strategy! port 'substitute)
            (setvbuf port 'none))
          (list out-port err-port))
(define (flush-out) (force-output out-port)) ; a program can have buffered it

(define asked 0)
(define ended #f)

;; next-message returns the next request, or #f at the end.
(define (next-message)
  (let ((line (read-line requests)))
    (if (eof-object? line) #f (call-with-input-string line read-json))))

;; await-interrupt waits for the interrupt of a signal that was sent: a thread of Guile delivers it, and it must not
;; arise in a later run.
(define (await-interrupt milliseconds)
  (if (= milliseconds 0)
      (throw 'quire-interrupt)
      (begin
        (usleep 1000)
        (await-interrupt (- milliseconds 1)))))

;; ask returns the answer to a question, or #f at the end of input.
(define (ask prompt secret)
  (if ended
      #f
      (begin
        (flush-out)
        (set! asked (+ asked 1))
        (send `((type . "ask") (id . ,asked) (prompt . ,prompt) (secret . ,secret)))
        (let loop ()
          (let ((m (next-message)))
            (cond ((not m) (primitive-exit 0))
                  ((not (and (equal? (field m 'type "") "answer") (= (field m 'id 0) asked))) (loop))
                  ((not (field m 'end #f)) (field m 'text ""))
                  ((field m 'interrupted #f) (await-interrupt 2000))
                  (else (set! ended (field m 'why "no answer came")) #f)))))))

(define (ask-or-fail prompt secret)
  (or (ask prompt secret) (throw 'EOFError #f ended '() #f)))

;; asking-port is a port that asks for each line that is read from it.
(define (asking-port)
  (let* ((rest #vu8()) (at 0) (told? #f)
         (port (make-custom-binary-input-port
                "stdin"
                (lambda (bytes start count)
                  (when (= at (bytevector-length rest))
                    (let ((line (ask "" #f)))
                      (set! at 0)
                      (set! rest (if line (string->utf8 (string-append line "\n")) #vu8()))
                      (unless (or line told?)
                        (set! told? #t)
                        (put-error (string->utf8 (string-append "no input: " ended "\n"))))))
                  (let ((n (min count (- (bytevector-length rest) at))))
                    (bytevector-copy! rest at bytes start n)
                    (set! at (+ at n))
                    n))
                #f #f #f)))
    (set-port-encoding! port "UTF-8")
    port))

;;; Values.

(define (text-of value writer) (call-with-output-string (lambda (port) (writer value port))))

(define shown 0)
(define (bundle data) (if (and (pair? data) (pair? (car data))) data `((text/plain . ,(if (string? data) data (text-of data write))))))
(define* (notebook-display data #:optional id)
  (set! shown (+ shown 1))
  (let ((id (or id (string-append "scheme-" (number->string shown)))))
    (flush-out)
    (send `((type . "display") (data . ,(bundle data)) (id . ,id)))
    id))
(define* (notebook-html text #:optional id) (notebook-display `((text/html . ,text)) id))
(define (notebook-update id data)
  (flush-out)
  (send `((type . "update") (data . ,(bundle data)) (id . ,id)))
  *unspecified*)
(define* (notebook-clear #:optional wait)
  (flush-out)
  (send `((type . "clear") (wait . ,(and wait #t))))
  *unspecified*)
(define* (notebook-ask #:optional (prompt "")) (ask-or-fail prompt #f))
(define* (notebook-secret #:optional (prompt "")) (ask-or-fail prompt #t))

;; A signal ends a sleep before the interrupt arises.
(define (sleep-whole seconds)
  (flush-out)
  (let loop ((left (sleep seconds))) (if (> left 0) (loop (sleep left)) 0)))
(define (usleep-whole microseconds)
  (flush-out)
  (let loop ((left (usleep microseconds))) (if (> left 0) (loop (usleep left)) 0)))

(define own-names '(notebook-display notebook-html notebook-update notebook-clear notebook-ask notebook-secret sleep usleep system system* waitpid))

;; notebook-module returns a module for programs, with Guile's own names.
(define (notebook-module)
  (let ((module (make-fresh-user-module)))
    (for-each (lambda (name value) (module-define! module name value))
              own-names
              (list notebook-display notebook-html notebook-update notebook-clear notebook-ask notebook-secret sleep-whole usleep-whole (beside system) (beside system*) (beside waitpid)))
    module))
(define notebook (notebook-module))

;;; Runs.

(define cell "cell")
(define source-text "")

;; place returns line and column, from 1 and in UTF-16 units, of a position in the cell.
(define (place line column)
  (let* ((lines (string-split source-text #\newline))
         (line (min line (- (length lines) 1)))
         (text (list-ref lines line)))
    (cons (+ line 1)
          (+ 1 (string-fold (lambda (c n) (+ n (if (> (char->integer c) #xFFFF) 2 1))) 0
                            (substring text 0 (min column (string-length text))))))))

(define (properties->place properties)
  (and (pair? properties)
       (equal? (assq-ref properties 'filename) cell)
       (assq-ref properties 'line)
       (place (assq-ref properties 'line) (or (assq-ref properties 'column) 0))))

(define current-form #f)         ; its place, while it is read, compiled or executed
(define phase 'run)
(define caught-stack #f)

;; inner? reports whether a file is one of Guile's evaluator or the driver.
(define (inner? file) (or (string-prefix? "ice-9/" file) (string-prefix? "/dev/fd/" file) (string-suffix? "guile.scm" file)))

;; frames-of returns the frames of a program as lines, and the place of the innermost one in the cell.
(define (frames-of stack)
  (let loop ((i 0) (lines '()) (whole '()) (where #f))
    (if (or (not stack) (>= i (stack-length stack)) (>= i 60))
        (values (reverse whole) where)
        (let* ((frame (stack-ref stack i))
               (name (catch #t (lambda () (frame-procedure-name frame)) (lambda _ #f)))
               (source (catch #t (lambda () (frame-source frame)) (lambda _ #f)))
               (known? (and (pair? source) (pair? (cdr source)) (pair? (cddr source)) (string? (cadr source))))
               (file (and known? (cadr source)))
               (line (and known? (caddr source)))
               (column (and known? (cdddr source))))
          (if (or (not known?) (and (null? lines) (inner? file)))
              (loop (+ i 1) lines whole where)
              (let ((lines (cons (format #f "~a at ~a:~a:~a" (or name "_") file (+ line 1) (+ column 1)) lines)))
                (loop (+ i 1) lines
                      (if (inner? file) whole lines) ; what is below is the driver
                      (or where (and (equal? file cell) (place line column))))))))))

(define (remember-stack . _)
  (set! caught-stack (make-stack #t 2)))

(define (message-of key arguments)
  (let ((text (string-trim-right
               (catch #t
                 (lambda () (call-with-output-string (lambda (port) (print-exception port #f key arguments))))
                 (lambda _ "Throw to key")))))
    (cond ((not (string-prefix? "Throw to key" text)) text)
          ((and (= (length arguments) 4) (string? (cadr arguments)))
           (string-append (if (car arguments) (format #f "In procedure ~a: " (car arguments)) "") (cadr arguments)))
          (else (string-join (map (lambda (a) (text-of a display)) arguments) " ")))))

;; exception-name returns the name of an exception: its key, or the type of an object that was raised.
(define (exception-name key arguments)
  (let ((object (and (eq? key '%exception) (pair? arguments) (car arguments))))
    (if object
        (catch #t
          (lambda () (string-trim-both (text-of (record-type-name (record-type-descriptor object)) display) (char-set #\< #\> #\&)))
          (lambda _ "exception"))
        (symbol->string key))))

(define (failure key arguments)
  (define (failed name message where frames . more)
    (define trace (if (null? frames) '() (cons (string-append name ": " message) (map (lambda (line) (string-append "    " line)) frames))))
    `((name . ,name) (message . ,message) (trace . ,(list->vector trace))
      ,@(if where `((line . ,(car where)) (column . ,(cdr where))) '()) ,@more))
  (cond ((eq? key 'quire-interrupt) `((name . "Interrupted") (message . "the run was interrupted") (cause . "interrupted") (trace . #())))
        ((eq? key 'EOFError) (failed "EOFError" (cadr arguments) current-form '()))
        ((and (memq key '(read-error syntax-error)) (not (eq? phase 'run)))
         (let* ((form (and (eq? key 'syntax-error) (list-ref arguments 2)))
                (message (message-of key arguments))
                (found (string-match-place message)))
           (failed "SyntaxError" (without-place message) (or (properties->place form) found current-form) '())))
        (else
         (call-with-values (lambda () (frames-of caught-stack))
           (lambda (trace where)
             (let ((missing (and (eq? key 'misc-error) (string-prefix? "no code for module" (message-of key arguments)))))
               (apply failed
                      (cond (missing "ModuleNotFoundError")
                            ((eq? key 'misc-error) "Error")
                            ((eq? key 'stack-overflow) "StackOverflow")
                            ((eq? key 'out-of-memory) "MemoryError")
                            (else (exception-name key arguments)))
                      (message-of key arguments) (or where current-form) trace
                      (if (eq? key 'out-of-memory) '((lack . "memory")) '()))))))))

;; string-match-place finds the position that the reader puts before its messages: NAME:LINE:COLUMN: TEXT.
(define (position-end text)
  (let ((start (string-contains text (string-append cell ":"))))
    (and start
         (let* ((line-at (+ start (string-length cell) 1))
                (colon (string-index text #\: line-at))
                (second (and colon (string-index text #\: (+ colon 1)))))
           (and second
                (let ((line (string->number (substring text line-at colon)))
                      (column (string->number (substring text (+ colon 1) second))))
                  (and line column (list line column start second))))))))
(define (string-match-place text)
  (let ((found (position-end text)))
    (and found (place (max 0 (- (car found) 1)) (max 0 (- (cadr found) 1))))))
(define (without-place text)
  (let ((found (position-end text)))
    (if found
        (string-trim (string-append (substring text 0 (caddr found)) (substring text (+ 1 (cadddr found)))))
        text)))

;; execute executes a form and returns the list of its values. The compiler's warnings are left out: names that later
;; cells define are usual.
(define (execute form)
  (set! phase 'compile)
  (let ((code (parameterize ((current-warning-port (%make-void-port "w")))
                (compile form #:from 'scheme #:to 'bytecode #:env notebook))))
    (set! phase 'run)
    (quire-call ((@ (system vm loader) load-thunk-from-memory) code))))
(define (quire-call thunk) (call-with-values thunk list))

(define (evaluate-all)
  (let ((port (open-input-string source-text)))
    (set-port-filename! port cell)
    (let loop ((values '()))
      (set! phase 'read)
      (let* ((form (read port))
             (where (properties->place (source-properties form))))
        (if (eof-object? form)
            values
            (begin
              (set! current-form (or where (place (port-line port) 0)))
              (loop (execute form))))))))

;; Without a bound Guile's stack takes all memory before it ends.
(define most-stack (* 16 1024 1024)) ; words
(define (overflow) (throw 'stack-overflow #f "Stack overflow" '() #f))

(define (show-values values)
  (let ((shown (remove unspecified? values)))
    (unless (null? shown)
      (send `((type . "result") (data . ((text/plain . ,(string-join (map (lambda (v) (text-of v write)) shown) "\n")))))))))

(define (run m)
  (set! cell (field m 'name "cell"))
  (set! source-text (field m 'source ""))
  (set! ended #f)
  (set! interrupted? #f)
  (set! caught-stack #f)
  (set! current-form #f)
  (let ((outcome
         (catch #t
           (lambda ()
             (with-throw-handler #t
               (lambda ()
                 (parameterize ((current-output-port out-port) (current-error-port err-port) (current-warning-port err-port) (current-input-port (asking-port)))
                   (save-module-excursion
                    (lambda ()
                      (set-current-module notebook)
                      (set! executing? #t)
                      (send `((type . "begin") (run . ,(field m 'run 0))))
                      (let ((values (call-with-stack-overflow-handler most-stack evaluate-all overflow)))
                        (flush-out)
                        (show-values values)
                        (set! executing? #f))))))
               (lambda (key . arguments)
                 (unless (memq key '(quire-interrupt quit))
                   (let ((before deferred?))
                     (set! deferred? #t)
                     (remember-stack)
                     (set! deferred? before)))))
             '())
           (lambda (key . arguments)
             (set! executing? #f)
             (set! deferred? #f)
             (flush-out)
             (when (copied?) ; it ends here, as a program does
               (unless (eq? key 'quit)
                 (put-error (string->utf8 (format #f "~a: ~s\n" key arguments))))
               (primitive-exit (cond ((not (eq? key 'quit)) 1)
                                     ((null? arguments) 0)
                                     (else (car arguments)))))
             (if (eq? key 'quit)
                 (let ((status (if (null? arguments) 0 (car arguments))))
                   (if (memv status '(0 #t))
                       '((exit . "kept"))
                       `((error . ((name . "Exit") (message . ,(format #f "the program ended itself with status ~a" (if status status 1))) (trace . #()))))))
                 `((error . ,(failure key arguments))))))))
    (set! executing? #f)
    (when (copied?) (primitive-exit 0))
    (send `((type . "done") (run . ,(field m 'run 0)) ,@outcome) "e")))

;;; Calls.

(define (one-line value)
  (let ((text (string-map (lambda (c) (if (char-whitespace? c) #\space c)) (text-of value write))))
    (if (> (string-length text) 100) (string-append (substring text 0 99) "…") text)))

(define (type-of value)
  (cond ((boolean? value) "boolean") ((and (number? value) (exact? value) (integer? value)) "integer") ((number? value) "number")
        ((string? value) "string") ((symbol? value) "symbol") ((char? value) "character") ((null? value) "list") ((list? value) "list")
        ((pair? value) "pair") ((vector? value) "vector") ((hash-table? value) "hash table") ((procedure? value) "procedure") (else "object")))

(define (notebook-names)
  (sort (filter (lambda (name) (not (memq name (cons '%module-public-interface own-names))))
                (module-map (lambda (name variable) name) notebook))
        (lambda (a b) (string<? (symbol->string a) (symbol->string b)))))

(define (variables)
  (list->vector
   (filter-map
    (lambda (name)
      (let ((variable (module-local-variable notebook name)))
        (and (variable-bound? variable)
             (let ((value (variable-ref variable)))
               (and (not (procedure? value)) (not (macro? value)) (not (module? value))
                    `((name . ,(symbol->string name)) (type . ,(type-of value)) (preview . ,(one-line value))
                      ,@(cond ((vector? value) `((shape . ,(format #f "~a items" (vector-length value)))))
                              ((and (list? value) (pair? value)) `((shape . ,(format #f "~a items" (length value)))))
                              (else '()))))))))
    (notebook-names))))

(define (complete-at text cursor)
  (let* ((length-in-units (lambda (s) (string-fold (lambda (c n) (+ n (if (> (char->integer c) #xFFFF) 2 1))) 0 s)))
         (end (let loop ((i 0) (units 0))
                (if (or (>= i (string-length text)) (>= units cursor)) i
                    (loop (+ i 1) (+ units (if (> (char->integer (string-ref text i)) #xFFFF) 2 1))))))
         (start (let loop ((i end))
                  (if (or (= i 0) (memv (string-ref text (- i 1)) '(#\( #\) #\[ #\] #\' #\` #\, #\@ #\" #\; #\space #\newline #\tab))) i (loop (- i 1)))))
         (begun (substring text start end))
         (found (make-hash-table)))
    (unless (string-null? begun)
      (let ((add (lambda (module)
                   (module-for-each (lambda (name variable)
                                      (when (string-prefix? begun (symbol->string name))
                                        (hash-set! found (symbol->string name) variable)))
                                    module))))
        (for-each add (cons notebook (module-uses notebook)))))
    `((start . ,(- cursor (length-in-units begun))) (end . ,cursor)
      (items . ,(list->vector
                 (let ((names (sort (hash-map->list (lambda (name variable) name) found) string<?)))
                   (map (lambda (name)
                          (let ((variable (hash-ref found name)))
                            `((text . ,name)
                              (kind . ,(cond ((not (variable-bound? variable)) "variable")
                                             ((procedure? (variable-ref variable)) "function")
                                             ((macro? (variable-ref variable)) "keyword")
                                             (else "variable"))))))
                        (list-head names (min 500 (length names))))))))))

;; plain makes lists of the arrays of JSON, and strings of the keys of objects.
(define (plain value)
  (cond ((vector? value) (map plain (vector->list value)))
        ((pair? value) (map (lambda (f) (cons (symbol->string (car f)) (plain (cdr f)))) value))
        (else value)))

(define (name-of m)
  (let ((name (field m 'name "")))
    (if (or (string-null? name) (string->number name)
            (not (string-every (lambda (c) (or (char-alphabetic? c) (char-numeric? c) (string-index "!$%&*/:<=>?^_~+-.@" c))) name)))
        (error "no name of a variable:" name)
        (string->symbol name))))

(define (answer m)
  (define id (field m 'id 0))
  (define (call)
    (let ((method (field m 'method "")))
      (cond ((string=? method "variables") `((value . ,(variables))))
            ((string=? method "complete") `((value . ,(complete-at (field m 'source "") (field m 'cursor 0)))))
            ((string=? method "reset") (set! notebook (notebook-module)) '((value . null)))
            ((string=? method "get") `((value . ,(module-ref notebook (name-of m)))))
            ((string=? method "set") (module-define! notebook (name-of m) (plain (field m 'value 'null))) '((value . null)))
            (else `((error . ((name . "Unsupported") (message . ,(string-append "no method " method)))))))))
  (let ((line (catch #t
                (lambda () (json `((type . "reply") (id . ,id) ,@(call))))
                (lambda (key . arguments)
                  (json `((type . "reply") (id . ,id) (error . ((name . ,(symbol->string key)) (message . ,(message-of key arguments))))))))))
    (send-line line)))

;;; The loop.

(define (serve)
  (catch #t (lambda () (setlocale LC_CTYPE "C.UTF-8")) (lambda _ #f))
  (sigaction SIGINT (lambda (signal)
                      (cond ((not executing?) #t)
                            (deferred? (set! interrupted? #t))
                            (else (throw 'quire-interrupt)))))
  (send `((type . "hello") (protocol . 1) (language . "scheme") (version . ,(string-append "Guile " (version))) (interrupt . "signal") (begins . #t) (marks . #t)
          (extension . ".scm") (mime . "text/x-scheme") (can . #("complete" "variables" "reset" "get" "set"))))
  (let loop ()
    (let ((m (next-message)))
      (when m
        (set! token (field m 'mark token))
        (cond ((equal? (field m 'type "") "run") (run m))
              ((equal? (field m 'type "") "call") (answer m)))
        (loop))))
  (primitive-exit 0))

(serve)
