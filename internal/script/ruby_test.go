//go:build unix

package script

import (
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

func TestEP9AndEP10RubyKeepsTheContractOfEngines(t *testing.T) {
	t.Parallel()
	langtest.Suite(t, func(t *testing.T) lang.Engine {
		return open(t, "ruby", Config{Dir: t.TempDir(), Grace: 5 * time.Second})
	}, langtest.Programs{
		Hello:    `puts "hello"`,
		Streams:  "puts 'a'\n$stderr.puts 'b'\nSTDOUT.puts 'c'",
		Set:      "kept = 42; nil",
		Get:      "kept",
		Displays: "puts 'a'; Notebook.html('<b>b</b>'); puts 'c'",
		Updates:  "Notebook.html('1').update('2')",
		Clears:   "puts 'a'; Notebook.clear(wait: true); puts 'b'",
		Fail:     "puts 'before'\nraise ArgumentError, 'bad value'",
		FailName: "ArgumentError", FailMessage: "bad value", FailLine: 2,
		Syntax: "puts 'not run'\nx = = 1", SyntaxLine: 2,
		Loop:       "puts 'started'\nloop {}",
		Sleep:      "puts 'started'\nsleep",
		Stubborn:   "said = false\nloop do\n  begin\n    puts 'started' unless said\n    said = true\n    sleep\n  rescue Interrupt\n  end\nend",
		Ask:        "puts 'before'\nputs Notebook.ask('name? ')",
		AskSecret:  "puts $stdin.getpass('word? ').size",
		AskTicks:   "answered = false\nt = Thread.new { (puts 'tick'; sleep 0.001) until answered }\nNotebook.ask('more? ')\nanswered = true\nt.join; nil",
		NoAnswer:   "EOFError",
		Late:       "say, said = Queue.new, Queue.new\nThread.new { say.pop(timeout: 0.1) rescue sleep(0.1); puts 'late'; said << 1 }\nputs 'in time'",
		LateBeside: "puts 'waits'\nsay << 1\nsaid.pop\nputs 'went on'",
		AtClose:    "at_exit { puts 'late' }\nputs 'in time'",
		Name:       "kept",
		Lead:       "'🐎'; ",
		Define:     "# says what it does\ndef horse(legs = 4) = legs",
		Defined:    "horse",
		Calling:    "horse(3, ",
		Die:        "puts 'last'\nexit!(3)",
		SplitUTF8:  "'é🐎'.each_byte { |b| STDOUT.syswrite(b.chr) }",
		BadUTF8:    `STDOUT.syswrite("a\xffb"); nil`,
	})
}
