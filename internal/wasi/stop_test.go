package wasi

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
)

// stops are programs that print and then wait for ever, in a sleep and in a question, and one that prints what the first has kept.
var stops = map[string]struct{ sleep, ask, after string }{
	"python": {"import time\nkept = 1\nprint('started')\ntime.sleep(1000)", "print('started'); input('? ')", "print(kept)"},
	"ruby":   {"kept = 1\nputs 'started'; sleep", "puts 'started'; gets", "puts kept"},
	"perl":   {"$kept = 1; print \"started\\n\"; sleep 1000;", "print \"started\\n\"; my $x = <STDIN>;", "print \"$kept\\n\";"},
	"php":    {"$kept = 1; echo 'started'; sleep(1000);", "echo 'started'; fgets(STDIN);", "echo $kept, \"\\n\";"},
}

func interruptsWhatWaits(t *testing.T, e *engine) {
	language := e.hello.Language
	for _, source := range []string{stops[language].sleep, stops[language].ask} {
		r := e.interruptWhen(source)
		if r.err == nil || r.err.Cause != engineproto.Interrupted {
			t.Errorf("got %v, want an interrupt", r.err)
		}
		if r.exit != "" {
			t.Fatal("the state is lost")
		}
		e.gives(stops[language].after, "1\n")
	}
}

func TestMemoryEndsWithAnErrorThatSaysSo(t *testing.T) {
	for language, source := range map[string]string{
		"python": "x = []\nwhile True: x.append(bytearray(1 << 20))",
		"ruby":   "x = []\nloop { x << 'a' * (1 << 20) }",
		"perl":   "my @x; while (1) { push @x, 'a' x (1 << 20) }",
		"php":    "$x = []; while (true) $x[] = str_repeat('a', 1 << 20);",
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			e := startEngine(t, language, childMemory+"=268435456")
			r := e.run(source)
			if r.err == nil || r.err.Cause != engineproto.Limit || r.err.Lack != lang.LackMemory || !strings.HasSuffix(r.err.Name, "MemoryError") {
				t.Errorf("got %#v, want an error of memory", r.err)
			}
			if keeps := language == "python" || language == "ruby"; keeps != (r.exit == "") {
				t.Errorf("got the exit %q", r.exit)
			}
		})
	}
}

func TestAnEndedInterpreterIsReported(t *testing.T) {
	for language, c := range map[string]struct{ source, out, name, message string }{
		"python": {"import os\nprint('last'); os._exit(3)", "last\n", "SystemExit", "the program has ended with status 3"},
		"ruby":   {"puts 'last'; exit!(3)", "last\n", "SystemExit", "the program has ended with status 3"},
		"php":    {"echo 'last'; abstract class A { abstract function f(); }\nclass B extends A {}", "", "Error", "Class B contains 1 abstract method and must therefore be declared abstract or implement the remaining methods (A::f)"},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			e := startEngine(t, language)
			r := e.run(c.source)
			if r.out != c.out || r.err == nil || r.err.Name != c.name || r.err.Message != c.message || r.exit != engineproto.Gone {
				t.Errorf("got %q, %v, %q", r.out, r.err, r.exit)
			}
			if m := e.next(); m != nil {
				t.Errorf("the engine goes on: %#v", m)
			}
		})
	}
	t.Run("an exit of PHP", func(t *testing.T) {
		e := startEngine(t, "php")
		if r := e.run("echo 'last'; exit;"); r.out != "last" || r.err != nil || r.exit != engineproto.Gone {
			t.Errorf("got %+v", r)
		}
	})
}

// floods are programs that print the numbers below 20,000, a line each.
var floods = map[string]string{
	"python": "for i in range(20000): print(i)",
	"ruby":   "20000.times { |i| puts i }; nil",
	"perl":   "for my $i (0..19999) { print \"$i\\n\" }",
	"php":    "for ($i = 0; $i < 20000; $i++) echo \"$i\\n\";",
}

func deliversAFlood(t *testing.T, e *engine) {
	r := e.run(floods[e.hello.Language])
	if lines := strings.Split(r.out, "\n"); r.err != nil || len(lines) != 20001 || lines[19999] != "19999" {
		t.Errorf("got %d lines, %v", len(lines), r.err)
	}
}
