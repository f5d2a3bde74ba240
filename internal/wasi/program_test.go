package wasi

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
)

// programs are what each language is tested with, all in one engine and in this order.
var programs = map[string][]struct {
	name, source, want string
	answers            []string
}{
	"python": {
		{name: "state", source: "kept = 42"},
		{name: "the last value", source: "kept", want: "<result>42"},
		{name: "a semicolon", source: "kept;"},
		{name: "order", source: "import sys\nprint('a'); print('b', file=sys.stderr); display({'text/html': 'c'}, raw=True); print('d')", want: "a\n!b\n<display >cd\n"},
		{name: "characters", source: "'é🐎', len('🐎')", want: "<result>('é🐎', 1)"},
		{name: "bytes", source: `import os; os.write(1, b"a\xffb\n"); None`, want: "a\xffb\n"},
		{name: "a display with an id", source: "h = display({'text/html': '1'}, raw=True, display_id='x'); h.update({'text/html': '2'}, raw=True); clear_output(wait=True)", want: "<display x>1<update x>2<clear true>"},
		{name: "a question", source: "input('name? ')", answers: []string{"Ana"}, want: `<ask "name? " false><result>'Ana'`},
		{name: "a secret", source: "import getpass; len(getpass.getpass('word? '))", answers: []string{"abc"}, want: `<ask "word? " true><result>3`},
		{name: "lines of input", source: "import sys\n[line for line in sys.stdin]", answers: []string{"a", "b"}, want: `<ask "" false><ask "" false><ask "" false><result>['a\n', 'b\n']`},
		{name: "a sleep", source: "import time\nt = time.monotonic(); time.sleep(0.01); time.monotonic() - t >= 0.01", want: "<result>True"},
		{name: "tasks", source: "import asyncio\nasync def f(n):\n  await asyncio.sleep(n / 100); return n\nprint(asyncio.run(f(1)))\nawait asyncio.gather(f(2), f(1))", want: "1\n<result>[2, 1]"},
		{
			name:   "the library",
			source: "import json, sqlite3, decimal, zlib, csv, io, re, dataclasses, hashlib, statistics, random, datetime\nd = sqlite3.connect(':memory:')\nd.execute('select 1+1').fetchone(), str(decimal.Decimal(1) / 3)[:5], hashlib.sha256(b'').hexdigest()[:4], random.random() != random.random(), datetime.date.today().year > 2024",
			want:   "<result>((2,), '0.333', 'e3b0', True, True)",
		},
		{name: "an exit", source: "import sys; print('a'); sys.exit()", want: "a\n"},
		{name: "state behind it", source: "kept", want: "<result>42"},
	},
	"ruby": {
		{name: "state", source: "kept = 42; nil"},
		{name: "the last value", source: "kept", want: "<result>42"},
		{name: "a semicolon", source: "kept;"},
		{name: "order", source: "puts 'a'; warn 'b'; Quire.display({'text/html' => 'c'}, raw: true); puts 'd'", want: "a\n!b\n<display >cd\n"},
		{name: "characters", source: "['é🐎', '🐎'.size]", want: `<result>["é🐎", 1]`},
		{name: "bytes", source: `$stdout.write("a\xFFb\n"); nil`, want: "a\xffb\n"},
		{name: "a display with an id", source: "Quire.display({'text/html' => '1'}, raw: true, id: 'x'); Quire.display({'text/html' => '2'}, raw: true, id: 'x', update: true); Quire.clear(wait: true)", want: "<display x>1<update x>2<clear true>"},
		{name: "a question", source: "print 'name? '; gets.chomp", answers: []string{"Ana"}, want: `name? <ask "" false><result>"Ana"`},
		{name: "a secret", source: "Quire.ask('word? ', secret: true).size", answers: []string{"abc"}, want: `<ask "word? " true><result>3`},
		{name: "lines of input", source: "$stdin.each_line.map(&:chomp)", answers: []string{"a", "b"}, want: `<ask "" false><ask "" false><ask "" false><result>["a", "b"]`},
		{name: "no input", source: "gets.inspect", want: `<ask "" false><result>"nil"`},
		{name: "a sleep", source: "t = Process.clock_gettime(Process::CLOCK_MONOTONIC); sleep 0.01; Process.clock_gettime(Process::CLOCK_MONOTONIC) - t >= 0.01", want: "<result>true"},
		{
			name:   "the library",
			source: "require 'json'; require 'set'; require 'date'; require 'digest'; require 'securerandom'; require 'time'\n[JSON.parse('[1]'), Set[1, 1].size, Date.new(2024, 2, 29).next_year.to_s, Digest::SHA256.hexdigest('')[0, 4], SecureRandom.hex == SecureRandom.hex, Time.now.year > 2024]",
			want:   `<result>[[1], 1, "2025-02-28", "e3b0", false, true]`,
		},
		{name: "an exit", source: "puts 'a'; exit", want: "a\n"},
		{name: "state behind it", source: "kept", want: "<result>42"},
	},
	"perl": {
		{name: "state", source: "$kept = 42;"},
		{name: "the last value", source: "$kept", want: "<result>42"},
		{name: "order", source: "print \"a\\n\"; print STDERR \"b\\n\"; display({'text/html' => 'c'}); print \"d\\n\";", want: "a\n!b\n<display >cd\n"},
		{name: "characters", source: "print \"é🐎\\n\"; use utf8; length('🐎')", want: "é🐎\n<result>1"},
		{name: "bytes", source: `print "a\xffb\n";`, want: "a\xffb\n"},
		{name: "a display with an id", source: "display({'text/html' => '1'}, id => 'x'); display({'text/html' => '2'}, id => 'x', update => 1); clear_output(wait => 1);", want: "<display x>1<update x>2<clear true>"},
		{name: "a question", source: "print 'name? '; my $n = <STDIN>; chomp $n; $n", answers: []string{"Ana"}, want: `name? <ask "" false><result>Ana`},
		{name: "lines of input", source: "my @l = <STDIN>; chomp @l; \"@l\"", answers: []string{"a", "b"}, want: `<ask "" false><ask "" false><ask "" false><result>a b`},
		{name: "a sleep", source: "my $t = time; sleep 1; time - $t >= 1 ? 'yes' : 'no'", want: "<result>yes"},
		{name: "a subroutine of an earlier cell", source: "sub double { 2 * $_[0] }"},
		{name: "its call", source: "double(21)", want: "<result>42"},
		{
			name:   "the library",
			source: "use List::Util qw(sum max); use JSON::PP; use Data::Dumper; use Time::HiRes (); use MIME::Base64; use Digest::SHA 'sha256_hex';\njoin ' ', sum(1..4), encode_json([1,{a=>undef}]), encode_base64('a', ''), substr(sha256_hex(''), 0, 4)",
			want:   `<result>10 [1,{"a":null}] YQ== e3b0`,
		},
		{name: "an exit", source: "print \"a\\n\"; exit;", want: "a\n"},
		{name: "state behind it", source: "$kept", want: "<result>42"},
	},
	"php": {
		{name: "state", source: "$kept = 42;"},
		{name: "the last value", source: "$kept", want: "<result>42"},
		{name: "with a tag", source: "<?php echo $kept ?>\n<b>html</b>\n", want: "42<b>html</b>\n"},
		{name: "order", source: "echo \"a\\n\"; fwrite(STDERR, \"b\\n\"); display(['text/html' => 'c']); echo \"d\\n\";", want: "a\n!b\n<display >cd\n"},
		{name: "characters", source: "echo \"é🐎\\n\"; mb_strlen('🐎')", want: "é🐎\n<result>1"},
		{name: "bytes", source: `echo "a\xffb\n";`, want: "a\xffb\n"},
		{name: "a display with an id", source: "display(['text/html' => '1'], 'x'); display(['text/html' => '2'], 'x', true); clear_output(true);", want: "<display x>1<update x>2<clear true>"},
		{name: "a question", source: "readline('name? ')", answers: []string{"Ana"}, want: `<ask "name? " false><result>'Ana'`},
		{name: "lines of input", source: "while (($l = fgets(STDIN)) !== false) echo trim($l), ' ';", answers: []string{"a", "b"}, want: `<ask "" false>a <ask "" false>b <ask "" false>`},
		{name: "a function and a class", source: "function double($n) { return 2 * $n; }\nclass P { public $x = 3; function toHtml() { return \"<b>{$this->x}</b>\"; } }"},
		{name: "the same once more", source: "function double($n) { return 2 * $n; }\nclass P { public $x = 3; function toHtml() { return \"<b>{$this->x}</b>\"; } }\ndouble(21)", want: "<result>42"},
		{name: "an object", source: "new P", want: "<result><b>3</b>"},
		{name: "a closure at the end", source: "$f = function ($x) { return $x + 1; };\narray_map($f, [1, 2])[1]", want: "<result>3"},
		{name: "a match", source: "match (true) { default => 'm' }", want: "<result>'m'"},
		{name: "a warning", source: "echo $nothing;", want: "!Warning: Undefined variable $nothing in cell on line 1\n"},
		{
			name:   "the library",
			source: "$d = new PDO('sqlite::memory:'); [$d->query('select 1+1')->fetchColumn(), json_encode(['a' => null]), preg_match('/b+/', 'abb'), hash('sha256', '')[0], random_int(1, 1), date('Y') > 2024]",
			want:   "<result>Array\n(\n    [0] => 2\n    [1] => {\"a\":null}\n    [2] => 1\n    [3] => e\n    [4] => 1\n    [5] => 1\n)",
		},
	},
}

// One engine a language executes all programs that must leave it usable, since each start costs seconds on a busy machine.
func TestEachLanguage(t *testing.T) {
	for _, b := range Builds() {
		t.Run(b.Language, func(t *testing.T) {
			t.Parallel()
			e := startEngine(t, b.Language)
			if e.hello.Language != b.Language || e.hello.Version != b.Version {
				t.Errorf("got %+v, want %s %s", e.hello, b.Language, b.Version)
			}
			for _, rule := range []struct {
				name string
				test func(*testing.T, *engine)
			}{
				{"runs programs", runsPrograms},
				{"reports errors", reportsErrors},
				{"delivers a flood whole", deliversAFlood},
				{"interrupts what waits and keeps the state", interruptsWhatWaits},
				{"answers questions about the program", answersQuestions},
				{"reaches nothing outside", reachesNothing},
			} {
				t.Run(rule.name, func(t *testing.T) {
					e.t = t
					rule.test(t, e)
				})
			}
		})
	}
}

func runsPrograms(t *testing.T, e *engine) {
	for _, p := range programs[e.hello.Language] {
		e.answers = p.answers
		if r := e.run(p.source); r.err != nil || r.out != p.want {
			t.Errorf("%s: got %q, error %v, want %q", p.name, r.out, r.err, p.want)
		}
	}
}

// faults are programs that fail, with the error that each gives.
var faults = map[string][]struct {
	source, name, message string
	line, column          int
}{
	"python": {
		{"print('a')\n1/0", "ZeroDivisionError", "division by zero", 2, 1},
		{"x = '🐎' + 1", "TypeError", `can only concatenate str (not "int") to str`, 1, 5},
		{"'🐎', nope", "NameError", "name 'nope' is not defined", 1, 7},
		{"x = = 1", "SyntaxError", "invalid syntax", 1, 5},
		{"if x:\nprint(1)", "IndentationError", "expected an indented block after 'if' statement on line 1", 2, 1},
		{"def f():\n  raise ValueError('bad\\nmore')\n\nf()", "ValueError", "bad\nmore", 2, 3},
		{"import nope", "ModuleNotFoundError", "No module named 'nope'", 1, 1},
		{"def r(): r()\nr()", "RecursionError", "maximum recursion depth exceeded", 1, 10},
		{"{}['k']", "KeyError", "'k'", 1, 1},
		{"import json\njson.loads('{')", "JSONDecodeError", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)", 2, 1},
		{"import sys; sys.exit(3)", "SystemExit", "3", 1, 13},
		{"input()", "EOFError", lang.ErrEnd.Error(), 1, 1},
		{"import threading; threading.Thread(target=print).start()", "RuntimeError", "can't start new thread", 1, 19},
		{"raise type('Own', (Exception,), {})()", "Own", "", 1, 1},
	},
	"ruby": {
		{"puts 1\nnil.foo", "NoMethodError", "undefined method 'foo' for nil", 2, 5},
		{"def f(x)\n  x + nil\nend\n'🐎'; f(1)", "TypeError", "nil can't be coerced into Integer", 2, 5},
		{"1 / 0", "ZeroDivisionError", "divided by 0", 1, 3},
		{"nope", "NameError", "undefined local variable or method 'nope' for main", 1, 1},
		{"x = 1\ny = = 2", "SyntaxError", "expected an expression after `=`", 2, 3},
		{"[1, 2", "SyntaxError", "", 1, 0},
		{"raise ArgumentError, \"bad\\nmore\"", "ArgumentError", "bad\nmore", 1, 0},
		{"def r = r\nr", "SystemStackError", "stack level too deep", 1, 0},
		{"require 'socket'", "LoadError", "cannot load such file -- socket", 1, 0},
		{"Integer('x')", "ArgumentError", `invalid value for Integer(): "x"`, 1, 0},
		{"exit 3", "SystemExit", "exit", 1, 0},
		{"Thread.new {}", "NotImplementedError", "initialize() function is unimplemented on this machine", 1, 0},
		{"{a: 1}.fetch(:b)", "KeyError", "key not found: :b", 1, 0},
	},
	"perl": {
		{"print 1;\nmy $u; $u->foo;", "Error", `Can't call method "foo" on an undefined value`, 2, 0},
		{"my $x = ;", "SyntaxError", "syntax error at cell line 1, at EOF", 1, 0},
		{"1;\nuse strict; $nope = 1;", "SyntaxError", `Global symbol "$nope" requires explicit package name (did you forget to declare "my $nope"?) at cell line 2.`, 2, 0},
		{"1 / 0", "Error", "Illegal division by zero", 1, 0},
		{"die \"bad\\n\"", "Error", "bad", 0, 0},
		{"die 'bad'", "Error", "bad", 1, 0},
		{"die { code => 3 }", "HASH", "{\n  'code' => 3\n}", 0, 0},
		{"nope(1);", "Error", "Undefined subroutine &main::nope called", 1, 0},
		{"if (1) {", "SyntaxError", "Missing right curly or square bracket at cell line 1, at end of line", 1, 0},
		{"exit 3;", "SystemExit", "exit status 3", 0, 0},
		{"sub f { die 'deep' }\n\nf();", "Error", "deep", 1, 0},
		{"fork // die 'x';", "Error", "The fork function is unimplemented", 1, 0},
		{"open(my $f, '<', '/nope') or die \"open: $!\";", "Error", "open: No such file or directory", 1, 0},
	},
	"php": {
		{"echo 1;\nintdiv(1, 0);", "DivisionByZeroError", "Division by zero", 2, 0},
		{"$a = 1;\n$x = ;", "ParseError", `syntax error, unexpected token ";"`, 2, 0},
		{"nope();", "Error", "Call to undefined function nope()", 1, 0},
		{"\n\nthrow new RuntimeException(\"bad\\nmore\");", "RuntimeException", "bad\nmore", 3, 0},
		{"(null)->foo();", "Error", "Call to a member function foo() on null", 1, 0},
		{"strlen([]);", "TypeError", "strlen(): Argument #1 ($str) must be of type string, array given", 1, 0},
		{"function g($x) {\n  return $x % 0;\n}\ng(1);", "DivisionByZeroError", "Modulo by zero", 2, 0},
		{"new Nope;", "Error", `Class "Nope" not found`, 1, 0},
		{"match (5) { 1 => 2 };", "UnhandledMatchError", "Unhandled match case 5", 1, 0},
		{"json_decode('{', flags: JSON_THROW_ON_ERROR);", "JsonException", "Syntax error", 1, 0},
		{"trigger_error('mine', E_USER_ERROR);", "ErrorException", "mine", 1, 0},
		{"function h() {}", "", "", 0, 0},
		{"function h() { return 1; }", "Error", "Cannot redeclare h(), which cell has declared in another form: restart the runtime to change it", 0, 0},
		{"fsockopen('example.com', 80);", "Error", "Call to undefined function fsockopen()", 1, 0},
	},
}

func reportsErrors(t *testing.T, e *engine) {
	for _, f := range faults[e.hello.Language] {
		r := e.run(f.source)
		if f.name == "" {
			continue // it prepares the next
		}
		if r.err == nil {
			t.Errorf("%q: got no error, want %s", f.source, f.name)
			continue
		}
		if r.err.Name != f.name || f.message != "" && r.err.Message != f.message || r.err.Line != f.line || f.column != 0 && r.err.Column != f.column {
			t.Errorf("%q:\n got  %s %q at %d:%d\n want %s %q at %d:%d", f.source, r.err.Name, r.err.Message, r.err.Line, r.err.Column, f.name, f.message, f.line, f.column)
		}
		trace := strings.Join(r.err.Trace, "\n")
		if len(r.err.Trace) == 0 || strings.Contains(trace, "/quire/") || strings.Contains(trace, "eval:") {
			t.Errorf("%q: its trace is\n%s", f.source, trace)
		}
	}
}

// questions has what defines a variable and a function, how they are named, and what is asked of them.
var questions = map[string]struct{ define, name, complete, value string }{
	"python": {"kept = 41\ndef horse(legs=4):\n  'says what it does'", "kept", "kep", "int"},
	"ruby":   {"kept = 41\n# says what it does\ndef horse(legs = 4) = 1\nnil", "kept", "kep", "Integer"},
	"perl":   {"$kept = 41; sub horse { 1 };", "$kept", "$kep", "scalar"},
	"php":    {"$kept = 41;\n/** says what it does */\nfunction horse($legs = 4) {}", "$kept", "$kep", "int"},
}

func answersQuestions(t *testing.T, e *engine) {
	c := questions[e.hello.Language]
	if err := e.call(&engineproto.Call{Method: engineproto.Reset}, nil); err != nil {
		t.Fatal(err)
	}
	e.gives(c.define, "")
	const lead = "'🐎'; " // of six units
	var done lang.Completion
	err := e.call(&engineproto.Call{Method: engineproto.Complete, Source: lead + c.complete, Cursor: 6 + len(c.complete)}, &done)
	if err != nil || done.Start != 6 || done.End != 6+len(c.complete) || len(done.Items) == 0 || done.Items[0].Text != c.name {
		t.Errorf("complete: %+v, %v", done, err)
	}
	var found lang.Inspection
	err = e.call(&engineproto.Call{Method: engineproto.Inspect, Source: lead + "horse", Cursor: 8}, &found)
	if err != nil || !found.Found || !strings.Contains(found.Signature, "horse") {
		t.Errorf("inspect: %+v, %v", found, err)
	}
	if text := string(found.Data["text/plain"]); e.hello.Language != "perl" && !strings.Contains(text, "says what it does") {
		t.Errorf("inspect: %s", text)
	}
	found = lang.Inspection{}
	if err := e.call(&engineproto.Call{Method: engineproto.Inspect, Source: "nowhere", Cursor: 3}, &found); err != nil || found.Found {
		t.Errorf("inspect of nothing: %+v, %v", found, err)
	}
	var list []lang.Variable
	err = e.call(&engineproto.Call{Method: engineproto.Variables}, &list)
	if err != nil || len(list) != 1 || list[0].Name != c.name || list[0].Type != c.value || list[0].Preview != "41" {
		t.Errorf("variables: %+v, %v", list, err)
	}
	if err := e.call(&engineproto.Call{Method: engineproto.Set, Name: "other", Value: []byte(`{"a":[1,"é"]}`)}, nil); err != nil {
		t.Error(err)
	}
	var value struct{ A []any }
	if err := e.call(&engineproto.Call{Method: engineproto.Get, Name: "other"}, &value); err != nil || len(value.A) != 2 || value.A[1] != "é" {
		t.Errorf("get: %+v, %v", value, err)
	}
	if err := e.call(&engineproto.Call{Method: engineproto.Get, Name: "nowhere"}, nil); err == nil {
		t.Error("get of nothing gave no error")
	}
	list = nil
	if err := e.call(&engineproto.Call{Method: engineproto.Reset}, nil); err != nil {
		t.Error(err)
	}
	if err := e.call(&engineproto.Call{Method: engineproto.Variables}, &list); err != nil || len(list) != 0 {
		t.Errorf("variables behind a reset: %+v, %v", list, err)
	}
}
