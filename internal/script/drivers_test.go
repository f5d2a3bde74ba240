//go:build unix

package script

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// The error texts below are those of the interpreters themselves; they differ between versions where only the beginning
// is wanted. A program that ends itself has the error Exit.

func TestErrorsOfPHP(t *testing.T) {
	t.Parallel()
	runPrograms(t, "php", []program{
		{source: "$x = 1;\nthrow new InvalidArgumentException('é🐎');", failed: "InvalidArgumentException: é🐎", line: 2},
		{source: "function f($n) {\n  if (!$n) throw new RuntimeException('deep');\n  return f($n - 1);\n}\nf(3);", failed: "RuntimeException: deep", line: 2},
		{source: "intdiv(1, 0);", failed: "DivisionByZeroError: Division by zero", line: 1},
		{source: "1;\nnope(1);", failed: "Error: Call to undefined function nope()", line: 2},
		{source: "new Nope\\Thing();", failed: `ClassNotFoundError: Class "Nope\Thing" not found`, line: 1},
		{source: "$n = null;\n$n->m();", failed: "Error: Call to a member function m() on null", line: 2},
		{source: "function typed(int $i) {}\ntyped('x');", failed: "TypeError: typed(): Argument #1 ($i) must be of type int, string given", line: 1},
		{source: "strlen();", failed: "ArgumentCountError: strlen() expects exactly 1 argument, 0 given", line: 1},
		{source: "echo 1;\nif (1 {\n}", failed: "ParseError: syntax error, unexpected token \"{\"", line: 2},
		{source: "echo 1\n\n", want: []string{"stdout: 1"}},
		{source: "break;", failed: "CompileError: 'break' not in the 'loop' or 'switch' context", line: 1},
		{source: "function twice() {}\nfunction twice() {}", failed: "CompileError: Cannot redeclare twice()", line: 2},
		{source: "abstract class P { abstract function q(); }\nclass Q extends P {}", failed: "CompileError: Class Q contains 1 abstract method", line: 2},
		{source: "trigger_error('no', E_USER_ERROR);", failed: "ErrorException: no", line: 1},
		{source: "exit(3);", failed: "Exit: the program ended itself with status 3"},
		{source: "exit(0);"},
		{source: "die(\"bye\\n\");", want: []string{"stdout: bye\n"}},
		{source: "echo $undefined; echo 'on';", want: []string{"stderr: Warning: Undefined variable $undefined in In[N] on line 1\n", "stdout: on"}},
	})
}

func TestErrorsOfPerl(t *testing.T) {
	t.Parallel()
	runPrograms(t, "perl", []program{
		{source: "my $x = 1;\ndie 'é🐎';", failed: "Error: é🐎", line: 2},
		{source: "sub f {\n  die 'deep' unless $_[0];\n  f($_[0] - 1);\n}\nf(3);", failed: "Error: deep", line: 2},
		{source: "1;\nmy $z = 1 / 0;", failed: "Error: Illegal division by zero", line: 2},
		{source: "nope(1);", failed: "Error: Undefined subroutine &main::nope called", line: 1},
		{source: "my $d;\n$d->m;", failed: `Error: Can't call method "m" on an undefined value`, line: 2},
		{source: "Nope->new", failed: `Error: Can't locate object method "new" via package "Nope"`, line: 1},
		{source: "use strict;\n$nope = 1;", failed: `SyntaxError: Global symbol "$nope" requires explicit package name`, line: 2},
		{source: "print 1;\nif (1 {\n}", failed: "SyntaxError: syntax error at In[N] line 2, near \"1 {\"", line: 2},
		{source: "my $y = 'no end", failed: `SyntaxError: Can't find string terminator "'" anywhere before EOF`, line: 1},
		{source: "1;\nuse Nope::Thing;", failed: "ModuleNotFoundError: Can't locate Nope/Thing.pm in @INC (you may need to install the Nope::Thing module)", line: 2},
		{source: "require Nope;", failed: "ModuleNotFoundError: Can't locate Nope.pm in @INC (you may need to install the Nope module)", line: 1},
		{source: "package Own { sub new { bless {}, shift } sub message { 'own' } }\ndie Own->new;", failed: "Own: own", line: 2},
		{source: "die { code => 5 };", failed: "HASH: {\n  'code' => 5\n}", line: 1},
		{source: "open(my $f, '<', '/nope') or die \"open: $!\\n\";", failed: "Error: open: No such file or directory", line: 1},
		{source: "exit 3;", failed: "Exit: the program ended itself with status 3"},
		{source: "exit;"},
		{source: "warn 'careful'; print 1;", want: []string{"stderr: careful at In[N] line 1.\n", "stdout: 1"}},
	})
}

func TestErrorsOfLua(t *testing.T) {
	t.Parallel()
	runPrograms(t, "lua", []program{
		{source: "local x = 1\nerror('é🐎')", failed: "Error: é🐎", line: 2},
		{source: "local function f(n)\n  if n == 0 then error('deep') end\n  f(n - 1)\nend\nf(3)\n", failed: "Error: deep", line: 2},
		{source: "local t = nil\nt.x = 1", failed: "Error: attempt to index ", line: 2},
		{source: "print()\nnope(1)", want: []string{"stdout: \n"}, failed: "Error: attempt to call ", line: 2},
		{source: "local s = {} .. 'a'", failed: "Error: attempt to concatenate a table value", line: 1},
		{source: "local s = {} + 1", failed: "Error: attempt to perform arithmetic on a table value", line: 1},
		{source: "x = 1\nx = = 2", failed: "SyntaxError: unexpected symbol near '='", line: 2},
		{source: "if x then\n", failed: "SyntaxError: 'end' expected", line: 2},
		{source: "local s = 'no end", failed: "SyntaxError: unfinished string near ", line: 1},
		{source: "require 'nope.thing'", failed: "ModuleNotFoundError: module 'nope.thing' not found:", line: 1},
		{source: "error({code = 5})", failed: "Error: {code = 5}", line: 1},
		{source: "error(setmetatable({}, {__tostring = function() return 'own' end}))", failed: "Error: own", line: 1},
		{source: "error('bare', 0)", failed: "Error: bare", line: 1},
		{source: "local function r() return 1 + r() end\nr()", failed: "StackOverflow: stack overflow", line: 1},
		{source: "os.exit(3)", failed: "Exit: the program ended itself with status 3"},
		{source: "os.exit(true)"},
	})
}

func TestErrorsOfR(t *testing.T) {
	t.Parallel()
	runPrograms(t, "r", []program{
		{source: "x <- 1\nstop('é🐎')", failed: "Error: é🐎", line: 2, column: 1},
		{source: "f <- function(n) {\n  if (n == 0) stop('deep')\n  f(n - 1)\n}\nf(3)", failed: "Error: deep", line: 2, column: 3},
		{source: "'🐎'; nope", want: []string{"stdout: [1] \"🐎\"\n"}, failed: "Error: object 'nope' not found", line: 1, column: 7},
		{source: "nope(1)", failed: `Error: could not find function "nope"`, line: 1, column: 1},
		{source: "1 + 'a'", failed: "Error: non-numeric argument to binary operator", line: 1, column: 1},
		{source: "list(1)[[5]]", failed: "subscriptOutOfBoundsError: subscript out of bounds", line: 1, column: 1},
		{source: "if (NA) 1", failed: "Error: missing value where TRUE/FALSE needed", line: 1, column: 1},
		{source: "x <- (1\ny", failed: "SyntaxError: unexpected symbol", line: 2, column: 1},
		{source: "x <- 1 +", failed: "SyntaxError: unexpected end of input", line: 1, column: 9},
		{source: "'🐎' }", failed: "SyntaxError: unexpected '}'", line: 1, column: 6},
		{source: "library(nope)", failed: "packageNotFoundError: there is no package called ‘nope’", line: 1, column: 1},
		{source: "nope::f()", failed: "packageNotFoundError: there is no package called ‘nope’", line: 1, column: 1},
		{source: "stop(structure(class = c('own', 'error', 'condition'), list(message = 'mine', call = NULL)))", failed: "own: mine", line: 1, column: 1},
		{source: "r <- function() r()\nr()", failed: "StackOverflow: ", line: 2, column: 1},
		{source: "q(status = 3)", failed: "Exit: the program ended itself with status 3"},
		{source: "quit()"},
		{source: "log(-1)", want: []string{"stderr: Warning in log(-1): NaNs produced\n", "result: [1] NaN"}},
	})
}

func TestErrorsOfGuile(t *testing.T) {
	t.Parallel()
	runPrograms(t, "scheme", []program{
		{source: "(define x 1)\n(error \"é🐎\" x)", failed: "Error: é🐎 1", line: 2, column: 1},
		{source: "(define (f n)\n  (if (= n 0) (error \"deep\") (+ 1 (f (- n 1)))))\n(f 3)", failed: "Error: deep", line: 2, column: 15},
		{source: "\"🐎\" (car 5)", failed: "wrong-type-arg: In procedure car: Wrong type argument in position 1", line: 1, column: 6},
		{source: "nope", failed: "unbound-variable: Unbound variable: nope", line: 1, column: 1},
		{source: "(vector-ref (vector 1 2)\n  5)", failed: "out-of-range: ", line: 1, column: 1},
		{source: "(string-append \"a\" 5)", failed: "wrong-type-arg: In procedure string-append: Wrong type", line: 1, column: 1},
		{source: "(\"no procedure\" 1)", failed: `wrong-type-arg: Wrong type to apply: "no procedure"`, line: 1, column: 1},
		{source: "(throw 'own \"mine\")", failed: "own: mine", line: 1, column: 1},
		{source: "(use-modules (nope thing))", failed: "ModuleNotFoundError: no code for module (nope thing)", line: 1, column: 1},
		{source: "(+ 1\n  (foo", failed: "SyntaxError: unexpected end of input while searching for: )", line: 2, column: 7},
		{source: "(display 1))", want: []string{"stdout: 1"}, failed: `SyntaxError: unexpected ")"`, line: 1, column: 13},
		{source: "(let ((x)) x)", failed: "SyntaxError: Syntax error:", line: 1, column: 1},
		{source: "(define (r n) (+ 1 (r n)))\n(r 1)", failed: "StackOverflow: Stack overflow", line: 1, column: 1},
		{source: "(exit 3)", failed: "Exit: the program ended itself with status 3"},
		{source: "(exit)"},
	})
}

func TestPHPDeclaresAgain(t *testing.T) {
	t.Parallel()
	runPrograms(t, "php", []program{
		{source: "function f($a, $b = 2) { return $a + $b; }\nf(1)", want: []string{"result: 3"}},
		{source: "function f($a, $b = 2) { return $a + $b; }\nf(1)", want: []string{"result: 3"}},
		{source: "function f($a) { return $a * 10; }"},
		{source: "f(1)", want: []string{"result: 10"}},
		{source: "function swap(&$a, &$b) { [$a, $b] = [$b, $a]; }\n$x = 1; $y = 2; swap($x, $y); \"$x$y\"", want: []string{"result: 21"}},
		{source: "f(a: 2)", want: []string{"result: 20"}},
		{source: "class A { const K = 1; }\nA::K", want: []string{"result: 1"}},
		{source: "class A { const K = 1; }\nA::K", want: []string{"result: 1"}},
		{source: "class A { const K = 2; }\nA::K", want: []string{"result: 2"}},
		{source: "(new A) instanceof A", want: []string{"result: true"}},
		{source: "basename(__DIR__) === basename(getcwd())", want: []string{"result: true"}},
		{source: "if ($x) { $z = 3; }\n$z", want: []string{"result: 3"}},
		{source: "<?php echo 1; ?>\n<b>x</b>", want: []string{"stdout: 1<b>x</b>"}},
	})
}

func TestPerlKeepsLexicalVariables(t *testing.T) {
	t.Parallel()
	runPrograms(t, "perl", []program{
		{source: "use strict; use warnings;\nmy ($x, @list) = (1, 2, 3); my %h = (a => 1);"},
		{source: "$x + @list + $h{a}", want: []string{"result: 4"}},
		{source: "my $n = 0; sub inc { return ++$n } inc(); inc()", want: []string{"result: 2"}},
		{source: "inc(); $n", want: []string{"result: 3"}},
		{source: "my @all; my @row = (1); push @all, \\@row;"},
		{source: "my @row = (2); push @all, \\@row; \"@{$all[0]} @{$all[1]}\"", want: []string{"result: 1 2"}},
		{source: "for my $i (1 .. 2) { my $sq = $i * $i; print $sq }", want: []string{"stdout: 14"}},
		{source: "my $text = <<'E' . 'my $y';\nmy $z;\nE\n$text", want: []string{"result: my $z;\nmy $y"}},
		{source: "$undeclared", failed: `SyntaxError: Global symbol "$undeclared" requires explicit package name`, line: 1},
		{source: "use feature 'say'; say 'a'", want: []string{"stdout: a\n"}},
		{source: "say 'b'", want: []string{"stdout: b\n"}},
		{source: "[1, {a => undef}]", want: []string{"result: [\n  1,\n  {\n    'a' => undef\n  }\n]"}},
	})
}

func TestLuaKeepsLocals(t *testing.T) {
	t.Parallel()
	runPrograms(t, "lua", []program{
		{source: "local a, b = 1, 'x'\nlocal function f() return a end"},
		{source: "f(), b", want: []string{"result: 1\t\"x\""}},
		{source: "for i = 1, 2 do local c = i end"},
		{source: "c"},
		{source: "{1, {a = true}, [[x]]}", want: []string{`result: {1, {a = true}, "x"}`}},
		{source: "local s = [[\nlocal a = 5]] --[[ local a = 6 ]]\nreturn #s, a", want: []string{"result: 11\t1"}},
		{source: "pcall(error, 'x')", want: []string{"result: false\t\"x\""}},
		{source: "-- nothing"},
	})
}

func TestRShowsValuesAndPlots(t *testing.T) {
	t.Parallel()
	engine := load(t, "r")
	expect(t, engine, "1; 'b'", "stdout: [1] 1\n", `result: [1] "b"`)
	expect(t, engine, "invisible(3)")
	expect(t, engine, "f <- function() { cat('a\\n'); message('b'); cat('c\\n'); base::print(1) }\nf()", "stdout: a\n", "stderr: b\n", "stdout: c\n[1] 1\n")
	sink, failed := run(t, engine, "data.frame(a = 1:2, b = c('<i>', 'é🐎'))")
	if failed != nil || len(sink.Events) != 1 || !strings.Contains(string(sink.Events[0].Bundle.Data["text/html"]), "&lt;i") && !strings.Contains(string(sink.Events[0].Bundle.Data["text/html"]), `\u0026lt;i`) {
		t.Errorf("got %q, %v, want a table", sink.Lines(), failed)
	}
	sink, failed = run(t, engine, "cat('a\\n'); plot(1); plot(2); lines(1); cat('b\\n')")
	if failed != nil {
		t.Fatal(failed)
	}
	var shown []string
	for _, event := range sink.Events {
		for mime := range event.Bundle.Data {
			shown = append(shown, mime)
		}
	}
	if got := strings.Join(shown, " "); got != "image/png image/png" && got != "image/svg+xml image/svg+xml" {
		t.Errorf("got the displays %q, want two plots", got)
	}
	if text := sink.Text(lang.Stdout); text != "a\nb\n" {
		t.Errorf("got %q", text)
	}
}

func TestGuileShowsValues(t *testing.T) {
	t.Parallel()
	runPrograms(t, "scheme", []program{
		{source: "(values 1 \"two\")", want: []string{"result: 1\n\"two\""}},
		{source: "(if #f #f)"},
		{source: "'(1 (a . b) \"é🐎\")", want: []string{`result: (1 (a . b) "é🐎")`}},
		{source: "(define-syntax twice (syntax-rules () ((_ e) (begin e e))))\n(twice (display 1))", want: []string{"stdout: 11"}},
		{source: "(use-modules (srfi srfi-1)) (fold + 0 '(1 2))", want: []string{"result: 3"}},
		{source: "(define k #f) (call/cc (lambda (c) (set! k c) 5))", want: []string{"result: 5"}},
		{source: ""},
		{source: "; nothing"},
	})
}

// TestFloodsAreInterruptedBetweenMessages interrupts programs that print without end, again and again.
func TestFloodsAreInterruptedBetweenMessages(t *testing.T) {
	t.Parallel()
	for language, source := range map[string]string{
		"lua":    "while true do print(('x'):rep(70000)) end",
		"perl":   `while (1) { print "x" x 70000, "\n" }`,
		"php":    `while (true) echo str_repeat("x", 70000), "\n";`,
		"r":      `repeat cat(strrep("x", 70000), "\n")`,
		"scheme": `(let loop () (display (make-string 70000 #\x)) (newline) (loop))`,
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			engine := load(t, language)
			for range 4 {
				started := make(chan struct{}, 1)
				done := make(chan error, 1)
				go func() {
					result, err := engine.Execute(deadline(t), lang.Request{Source: source}, startedSink(started))
					if err == nil && (result.Err == nil || result.Err.Cause != lang.CauseInterrupted) {
						t.Errorf("got %+v, want it interrupted", result)
					}
					done <- err
				}()
				<-started
				if err := engine.Interrupt(); err != nil {
					t.Fatal(err)
				}
				if err := <-done; err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestTextsComeThroughTheCodecsOfDrivers sets and gets what an encoder of JSON finds hard. R's texts have no NUL.
func TestTextsComeThroughTheCodecsOfDrivers(t *testing.T) {
	t.Parallel()
	texts := []string{"", "\x01\x1f\x7f\u2028", "q\"b\\s/\b\f\n\r\t", "é🐎\U0010ffff", strings.Repeat("a\"", 5000), `\u0041 \`, "\uFFFD", "e\u0301", "\x00"}
	for _, language := range []string{"lua", "perl", "php", "r", "scheme"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			accessor := load(t, language).Abilities().Accessor
			for _, text := range texts {
				if language == "r" && strings.Contains(text, "\x00") {
					continue
				}
				value, err := json.Marshal(text)
				if err != nil {
					t.Fatal(err)
				}
				if err := accessor.Set(deadline(t), "text", value); err != nil {
					t.Fatalf("set %s: %v", value, err)
				}
				var got string
				if value, err = accessor.Get(deadline(t), "text"); err == nil {
					err = json.Unmarshal(value, &got)
				}
				if err != nil || got != text {
					t.Errorf("got %q, %v, want %q", got, err, text)
				}
			}
			for _, unpaired := range []string{`"\ud83d"`, `"\udc00x"`} {
				if err := accessor.Set(deadline(t), "text", []byte(unpaired)); err != nil {
					t.Errorf("set %s: %v", unpaired, err)
				}
				if _, err := accessor.Get(deadline(t), "text"); err != nil {
					t.Errorf("get %s: %v", unpaired, err)
				}
			}
		})
	}
}

// TestNumbersAndBooleansComeThroughTheCodecsOfDrivers wants each number back with all of its digits, and false to be false
// where a program tests it.
func TestNumbersAndBooleansComeThroughTheCodecsOfDrivers(t *testing.T) {
	t.Parallel()
	tests := map[string]string{ // print whether flag is true
		"javascript": `console.log(flag ? "true" : "false")`, "ruby": `puts(flag ? "true" : "false")`, "php": `echo $flag ? "true" : "false", "\n";`,
		"lua": `print(flag and "true" or "false")`, "perl": `print $flag ? "true" : "false", "\n";`,
		"r": `cat(if (flag) "true" else "false", "\n", sep = "")`, "scheme": `(begin (display (if flag "true" "false")) (newline))`,
	}
	values := []string{
		"0.30000000000000004", "0.3333333333333333", "3.141592653589793", "123456789.12345679", "9007199254740991", "-1.5e-7", "1e+300",
		"5e-324", "0", "-7", "[0.1,true,false]", `{"on":false}`,
	}
	for language, test := range tests {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			engine := load(t, language)
			accessor := engine.Abilities().Accessor
			for _, value := range values {
				if err := accessor.Set(deadline(t), "value", []byte(value)); err != nil {
					t.Fatalf("set %s: %v", value, err)
				}
				got, err := accessor.Get(deadline(t), "value")
				var have, want any
				if err == nil {
					err = errors.Join(json.Unmarshal(got, &have), json.Unmarshal([]byte(value), &want))
				}
				if err != nil || !reflect.DeepEqual(have, want) {
					t.Errorf("got %s, %v, want %s", got, err, value)
				}
			}
			for _, flag := range []string{"true", "false"} {
				if err := accessor.Set(deadline(t), "flag", []byte(flag)); err != nil {
					t.Fatal(err)
				}
				r := &langtest.Recorder{}
				if _, err := engine.Execute(deadline(t), lang.Request{Source: test}, r); err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(r.Lines(), ""); got != "stdout: "+flag+"\n" {
					t.Errorf("of %s the program says %q", flag, got)
				}
			}
		})
	}
}

// TestACopyOfTheEngineIsNoEngine has programs fork. The copy prints, and ends with its cell; the engine alone goes on.
func TestACopyOfTheEngineIsNoEngine(t *testing.T) {
	t.Parallel()
	for language, programs := range map[string]struct{ exits, falls, fails, next string }{
		"perl": {
			`our $who = "parent"; my $p = fork; if (!$p) { $who = "child"; print "child\n"; exit 3 } waitpid($p, 0); print "parent ", $? >> 8, "\n";`,
			`my $p = fork; if (!$p) { $who = "child"; print "child\n" } else { waitpid($p, 0); print "parent ", $? >> 8, "\n" }`,
			`my $p = fork; if (!$p) { die "lost\n" } else { waitpid($p, 0); print "parent ", $? >> 8, "\n" }`,
			`print "$who\n"`,
		},
		"ruby": {
			`$who = "parent"; pid = fork { $who = "child"; puts "child"; exit 3 }; Process.wait(pid); puts "parent #{$?.exitstatus}"`,
			`if (pid = fork) then Process.wait(pid); puts "parent #{$?.exitstatus}" else $who = "child"; puts "child" end`,
			`if (pid = fork) then Process.wait(pid); puts "parent #{$?.exitstatus}" else raise "lost" end`,
			`puts $who`,
		},
		"php": {
			`$who = "parent"; $p = pcntl_fork(); if (!$p) { $who = "child"; echo "child\n"; exit(3); } pcntl_waitpid($p, $s); echo "parent ", pcntl_wexitstatus($s), "\n";`,
			`$p = pcntl_fork(); if (!$p) { $who = "child"; echo "child\n"; } else { pcntl_waitpid($p, $s); echo "parent ", pcntl_wexitstatus($s), "\n"; }`,
			`$p = pcntl_fork(); if (!$p) { throw new Exception("lost"); } else { pcntl_waitpid($p, $s); echo "parent ", pcntl_wexitstatus($s), "\n"; }`,
			`echo "$who\n";`,
		},
		"scheme": {
			`(define who "parent") (let ((p (primitive-fork))) (if (= p 0) (begin (set! who "child") (display "child\n") (exit 3)) (let ((s (cdr (waitpid p)))) (display "parent ") (display (status:exit-val s)) (newline))))`,
			`(let ((p (primitive-fork))) (if (= p 0) (begin (set! who "child") (display "child\n")) (let ((s (cdr (waitpid p)))) (display "parent ") (display (status:exit-val s)) (newline))))`,
			`(let ((p (primitive-fork))) (if (= p 0) (error "lost") (let ((s (cdr (waitpid p)))) (display "parent ") (display (status:exit-val s)) (newline))))`,
			`(begin (display who) (newline))`,
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			engine := load(t, language)
			printed := func(source string) (stdout, stderr string) {
				t.Helper()
				r := &langtest.Recorder{}
				result, err := engine.Execute(deadline(t), lang.Request{Source: source}, r)
				if err != nil || result.Err != nil || result.Exit != lang.NoExit {
					t.Errorf("%s: got %+v, %v, want that it succeeds and goes on", source, result, err)
				}
				for _, line := range r.Lines() {
					if text, ok := strings.CutPrefix(line, "stdout: "); ok {
						stdout += text
					} else if text, ok := strings.CutPrefix(line, "stderr: "); ok {
						stderr += text
					}
				}
				return stdout, stderr
			}
			failed := map[string]string{"perl": "255", "php": "255"}[language]
			if failed == "" {
				failed = "1"
			}
			for range 3 {
				if got, _ := printed(programs.exits); got != "child\nparent 3\n" {
					t.Errorf("a child that exits: got %q", got)
				}
				if got, _ := printed(programs.falls); got != "child\nparent 0\n" {
					t.Errorf("a child that comes to the end of its cell: got %q", got)
				}
				if got, told := printed(programs.fails); got != "parent "+failed+"\n" || !strings.Contains(told, "lost") {
					t.Errorf("a child that fails: got %q and %q", got, told)
				}
				if got, _ := printed(programs.next); got != "parent\n" {
					t.Errorf("the next cell: got %q", got)
				}
			}
		})
	}
}
