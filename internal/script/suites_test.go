//go:build unix

package script

import (
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// keepsTheContract runs the suite of engines. What a language lacks, such as threads, has no program.
func keepsTheContract(t *testing.T, language string, programs langtest.Programs) {
	t.Helper()
	t.Parallel()
	langtest.Suite(t, func(t *testing.T) lang.Engine {
		return open(t, language, Config{Dir: t.TempDir(), Grace: 5 * time.Second})
	}, programs)
}

func TestPHPKeepsTheContractOfEngines(t *testing.T) {
	keepsTheContract(t, "php", langtest.Programs{
		Hello:    `echo "hello\n";`,
		Streams:  `echo "a\n"; fwrite(STDERR, "b\n"); fwrite(STDOUT, "c\n");`,
		Set:      `$kept = 42;`,
		Get:      `$kept`,
		Displays: `echo "a\n"; Notebook::html("<b>b</b>"); echo "c\n";`,
		Updates:  `Notebook::update(Notebook::html("1"), ["text/html" => "2"]);`,
		Clears:   `echo "a\n"; Notebook::clear(true); echo "b\n";`,
		Fail:     "echo \"before\\n\";\nthrow new RangeException('bad value');",
		FailName: "RangeException", FailMessage: "bad value", FailLine: 2,
		Syntax: "echo 'not run';\n$x = = 1;", SyntaxLine: 2,
		Loop:      `echo "started\n"; while (true);`,
		Sleep:     `echo "started\n"; sleep(1000);`,
		Stubborn:  `pcntl_signal(SIGINT, SIG_IGN); echo "started\n"; while (true);`,
		Die:       `echo "last\n"; posix_kill(getmypid(), SIGKILL);`,
		SplitUTF8: `foreach (str_split("é🐎") as $byte) echo $byte;`,
		BadUTF8:   `echo "a\xFFb";`,
		Flood:     `for ($i = 0; $i < 40 * 1024; $i++) echo str_repeat("x", 1023), "\n";`,
		FloodSize: 40 << 20,
		Ask:       `echo "before\n"; echo readline("name? "), "\n";`,
		AskSecret: `echo strlen(Notebook::secret("word? ")), "\n";`,
		NoAnswer:  "EOFError",
		Name:      "$kept",
		Lead:      `"🐎"; `,
		Shared:    `echo $shared["b"][1], "\n";`,
	})
}

func TestPerlKeepsTheContractOfEngines(t *testing.T) {
	keepsTheContract(t, "perl", langtest.Programs{
		Hello:    `print "hello\n";`,
		Streams:  `print "a\n"; print STDERR "b\n"; print STDOUT "c\n";`,
		Set:      `my $kept = 42;`,
		Get:      `$kept`,
		Displays: `print "a\n"; Notebook::html("<b>b</b>"); print "c\n";`,
		Updates:  `Notebook::update(Notebook::html("1"), {"text/html" => "2"});`,
		Clears:   `print "a\n"; Notebook::clear(1); print "b\n";`,
		Fail:     "print qq(before\\n);\ndie 'bad value';",
		FailName: "Error", FailMessage: "bad value", FailLine: 2,
		Syntax: "print 'not run';\nmy $x = = 1;", SyntaxLine: 2,
		Loop:      `print "started\n"; while (1) {}`,
		Sleep:     `print "started\n"; sleep;`,
		Stubborn:  `$SIG{INT} = sub {}; print "started\n"; while (1) {}`,
		Die:       `use POSIX (); print "last\n"; POSIX::_exit(3);`,
		SplitUTF8: `print for split //, "é🐎";`,
		BadUTF8:   `print "a\xFFb";`,
		Ask:       `print "before\n"; print Notebook::ask("name? "), "\n";`,
		AskSecret: `print length(Notebook::secret("word? ")), "\n";`,
		NoAnswer:  "EOFError",
		Name:      "$kept",
		Lead:      `"🐎"; `,
		Shared:    `print $shared->{b}[1], "\n";`,
	})
}

// Lua has no sleep, and its interpreter is ended by the second SIGINT of a program that refuses the first.
func TestLuaKeepsTheContractOfEngines(t *testing.T) {
	keepsTheContract(t, "lua", langtest.Programs{
		Hello:    `print("hello")`,
		Streams:  `print("a") io.stderr:write("b\n") io.write("c\n")`,
		Set:      `local kept = 42`,
		Get:      `kept`,
		Displays: `print("a") notebook.html("<b>b</b>") print("c")`,
		Updates:  `notebook.update(notebook.html("1"), {["text/html"] = "2"})`,
		Clears:   `print("a") notebook.clear(true) print("b")`,
		Fail:     "print('before')\nerror('bad value')",
		FailName: "Error", FailMessage: "bad value", FailLine: 2,
		Syntax: "print('not run')\nlocal x = = 1", SyntaxLine: 2,
		Loop:      `print("started") while true do end`,
		Die:       `print("last") os.execute("kill -9 $PPID")`,
		SplitUTF8: `for byte in ("é🐎"):gmatch(".") do io.write(byte) end`,
		BadUTF8:   `io.write("a\255b")`,
		Ask:       `print("before") print(notebook.ask("name? "))`,
		AskSecret: `print(#notebook.secret("word? "))`,
		NoAnswer:  "EOFError",
		Name:      "kept",
		Lead:      `_ = "🐎"; `,
		Shared:    `print(shared.b[2])`,
	})
}

func TestRKeepsTheContractOfEngines(t *testing.T) {
	keepsTheContract(t, "r", langtest.Programs{
		Hello:    `cat("hello\n")`,
		Streams:  `cat("a\n"); message("b"); cat("c\n")`,
		Set:      `kept <- 42`,
		Get:      `kept`,
		Got:      "result: [1] 42",
		Displays: `cat("a\n"); notebook_html("<b>b</b>"); cat("c\n")`,
		Updates:  `notebook_update(notebook_html("1"), c("text/html" = "2"))`,
		Clears:   `cat("a\n"); notebook_clear(TRUE); cat("b\n")`,
		Fail:     "cat('before\\n')\nstop('bad value')",
		FailName: "Error", FailMessage: "bad value", FailLine: 2,
		Syntax: "cat('not run')\nx = = 1", SyntaxLine: 2,
		Loop:      `cat("started\n"); repeat {}`,
		Sleep:     `cat("started\n"); Sys.sleep(1000)`,
		Stubborn:  `suspendInterrupts({cat("started\n"); repeat {}})`,
		Die:       `cat("last\n"); tools::pskill(Sys.getpid(), 9)`,
		SplitUTF8: `for (byte in charToRaw("é🐎")) cat(rawToChar(as.raw(byte)))`,
		BadUTF8:   `cat("a\xFFb")`,
		Ask:       `cat("before\n"); cat(readline("name? "), "\n", sep = "")`,
		AskSecret: `cat(nchar(notebook_secret("word? ")), "\n", sep = "")`,
		NoAnswer:  "EOFError",
		Name:      "kept",
		Lead:      `"🐎"; `,
		Shared:    `cat(shared$b[[2]], "\n", sep = "")`,
		Define:    "horse <- function(legs = 4) { # says what it does\n  legs\n}",
		Defined:   "horse",
	})
}

func TestGuileKeepsTheContractOfEngines(t *testing.T) {
	keepsTheContract(t, "scheme", langtest.Programs{
		Hello:    `(display "hello\n")`,
		Streams:  `(display "a\n") (display "b\n" (current-error-port)) (display "c\n")`,
		Set:      `(define kept 42)`,
		Get:      `kept`,
		Displays: `(display "a\n") (notebook-html "<b>b</b>") (display "c\n")`,
		Updates:  `(notebook-update (notebook-html "1") '((text/html . "2")))`,
		Clears:   `(display "a\n") (notebook-clear #t) (display "b\n")`,
		Fail:     "(display \"before\\n\")\n(throw 'horse \"bad value\")",
		FailName: "horse", FailMessage: "bad value", FailLine: 2,
		Syntax: "(let ((x)) x)", SyntaxLine: 1,
		Loop:      `(display "started\n") (let loop () (loop))`,
		Sleep:     `(display "started\n") (sleep 1000)`,
		Stubborn:  `(sigaction SIGINT SIG_IGN) (display "started\n") (let loop () (loop))`,
		Die:       `(display "last\n") (kill (getpid) 9)`,
		SplitUTF8: `(use-modules (ice-9 binary-ports)) (for-each (lambda (byte) (put-u8 (current-output-port) byte) (force-output)) '(#xC3 #xA9 #xF0 #x9F #x90 #x8E))`,
		BadUTF8:   `(use-modules (ice-9 binary-ports)) (put-bytevector (current-output-port) #vu8(97 255 98))`,
		Ask:       `(display "before\n") (display (notebook-ask "name? ")) (newline)`,
		AskSecret: `(display (string-length (notebook-secret "word? "))) (newline)`,
		NoAnswer:  "EOFError",
		Name:      "kept",
		Lead:      `"🐎" `,
		Shared:    `(display (cadr (assoc-ref shared "b"))) (newline)`,
	})
}
