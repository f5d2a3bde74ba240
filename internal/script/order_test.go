//go:build unix

package script

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// TestEP28TextAndTheOutputOfChildrenKeepTheirOrder has programs print between child processes that print.
func TestEP28TextAndTheOutputOfChildrenKeepTheirOrder(t *testing.T) {
	t.Parallel()
	for language, source := range map[string]string{
		"javascript": "{ const run = (line) => require('child_process').execSync(line, {stdio: 'inherit'})\n" +
			"console.log('a'); run('echo b'); console.log('c'); console.error('d'); run('echo e >&2'); console.log('f'); run('echo g') }\ndisplay.html('h')\nconsole.log('i'); 1",
		"ruby":   "puts 'a'; system('echo b'); puts 'c'; warn 'd'; system('echo e >&2'); puts 'f'; system('echo g'); Notebook.html('h'); puts 'i'; 1",
		"php":    "function child($line) { proc_close(proc_open($line, [], $pipes)); }\necho \"a\\n\"; child('echo b'); echo \"c\\n\"; fwrite(STDERR, \"d\\n\"); child('echo e >&2'); echo \"f\\n\"; child('echo g'); Notebook::html('h'); echo \"i\\n\";\n1",
		"perl":   `print "a\n"; system 'echo b'; print "c\n"; print STDERR "d\n"; system 'echo e >&2'; print "f\n"; system 'echo', 'g'; Notebook::html('h'); print "i\n"; 1`,
		"lua":    "print('a') os.execute('echo b') print('c') io.stderr:write('d\\n') os.execute('echo e >&2') print('f') os.execute('echo g') notebook.html('h') print('i')\nreturn 1",
		"r":      "cat('a\\n'); system('echo b'); cat('c\\n'); message('d'); system('echo e >&2'); cat('f\\n'); system('echo g'); notebook_html('h'); cat('i\\n'); 1L",
		"scheme": `(display "a\n") (system "echo b") (display "c\n") (display "d\n" (current-error-port)) (system "echo e >&2") (display "f\n") (system* "echo" "g") (notebook-html "h") (display "i\n") 1`,
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			engine := load(t, language)
			want := []string{"stdout: a\nb\nc\n", "stderr: d\ne\n", "stdout: f\ng\n", "display: text/html h", "stdout: i\n", "result: 1"}
			if language == "r" {
				want[5] = "result: [1] 1"
			}
			for range 25 {
				sink, failed := run(t, engine, source)
				if diff := cmp.Diff(want, sink.Lines()); diff != "" || failed != nil {
					t.Fatalf("got %v (-want +got):\n%s", failed, diff)
				}
			}
		})
	}
}

// TestTextAppearsAtOnce has programs print half a line, and then compute: they are interrupted when it has come.
func TestTextAppearsAtOnce(t *testing.T) {
	t.Parallel()
	for language, source := range map[string]string{
		"javascript": "process.stdout.write('half'); for (;;) {}",
		"ruby":       "print 'half'; loop {}",
		"php":        `echo "half"; while (true);`,
		"perl":       "print 'half'; while (1) {}",
		"lua":        "io.write('half') while true do end",
		"r":          "cat('half'); repeat {}",
		"scheme":     `(display "half") (let loop () (loop))`,
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			engine := load(t, language)
			started := make(chan struct{}, 1)
			go func() {
				<-started
				_ = engine.Interrupt()
			}()
			sink := startedSink(started)
			result, err := engine.Execute(deadline(t), lang.Request{Source: source}, sink)
			if err != nil || result.Err == nil || result.Err.Cause != lang.CauseInterrupted || sink.Text(lang.Stdout) != "half" {
				t.Errorf("got %+v, %v and %q, want it interrupted", result, err, sink.Lines())
			}
		})
	}
}

// TestAKilledProgramLosesNothing has programs print many lines, and kill themselves.
func TestAKilledProgramLosesNothing(t *testing.T) {
	t.Parallel()
	for language, source := range map[string]string{
		"javascript": "for (let i = 0; i < 3000; i++) console.log(i)\nprocess.kill(process.pid, 'SIGKILL')",
		"ruby":       "3000.times { |i| puts i }\nProcess.kill(:KILL, Process.pid)",
		"php":        `for ($i = 0; $i < 3000; $i++) echo "$i\n"; posix_kill(getmypid(), SIGKILL);`,
		"perl":       `for my $i (0 .. 2999) { print "$i\n" } kill KILL => $$;`,
		"lua":        `for i = 0, 2999 do print(i) end os.execute("kill -9 $PPID")`,
		"r":          `for (i in 0:2999) cat(i, "\n", sep = ""); tools::pskill(Sys.getpid(), 9)`,
		"scheme":     `(do ((i 0 (+ i 1))) ((= i 3000)) (display i) (newline)) (kill (getpid) 9)`,
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			var want strings.Builder
			for i := range 3000 {
				fmt.Fprintln(&want, i)
			}
			sink := &langtest.Recorder{}
			_, err := load(t, language).Execute(deadline(t), lang.Request{Source: source}, sink)
			if got := sink.Text(lang.Stdout); !errors.Is(err, lang.ErrDied) || got != want.String() {
				t.Errorf("got %v and %d bytes, want %d", err, len(got), want.Len())
			}
		})
	}
}
