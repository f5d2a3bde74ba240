//go:build unix

package jupyter

import (
	"testing"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// TestIPykernelKeepsTheContractOfEngines skips the parts that the kernel does not support. Its streams have no
// bytes, and it decodes text that a program writes to the descriptor itself. It prints on flush and
// at the end. Some versions assign the output of a thread to the current run.
func TestIPykernelKeepsTheContractOfEngines(t *testing.T) {
	kernel := needKernel(t, "python3")
	langtest.Suite(t, func(t *testing.T) lang.Engine { return open(t, kernel) }, langtest.Programs{
		Hello:    `print("hello")`,
		Streams:  "import sys\nprint('a', flush=True)\nprint('b', file=sys.stderr, flush=True)\nprint('c')",
		Set:      "kept = 42",
		Get:      "kept",
		Displays: "class B:\n  def _repr_html_(self): return '<b>b</b>'\nprint('a'); display(B()); print('c')",
		Updates: "h = display({'text/html': '1'}, raw=True, display_id=True)\n" +
			"h.update({'text/html': '2'}, raw=True)",
		Clears:   "from IPython.display import clear_output\nprint('a'); clear_output(wait=True); print('b')",
		Fail:     "print('before')\nraise ValueError('bad value')",
		FailName: "ValueError", FailMessage: "bad value", FailLine: 2,
		Syntax: "print('not run')\nx = = 1", SyntaxLine: 2,
		Loop:  "print('started', flush=True)\nwhile True: pass",
		Sleep: "import time\nprint('started', flush=True)\ntime.sleep(1000)",
		Stubborn: "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('started', flush=True)\n" +
			"while True: time.sleep(1000)",
		Ask:       "print('before')\nprint(input('name? '))",
		AskSecret: "import getpass\nprint(len(getpass.getpass('word? ')))",
		AskTicks: "import threading, time\nanswered = threading.Event()\ndef tick():\n" +
			"  while not answered.wait(0.01): print('tick', flush=True)\n" +
			"t = threading.Thread(target=tick)\nt.start()\ninput('more? ')\nanswered.set()\nt.join()",
		NoAnswer: "EOFError", Nobody: "StdinNotImplementedError",
		Name:    "kept",
		Lead:    "'🐎'; ",
		Define:  "def horse(legs=4):\n  'says what it does'",
		Defined: "horse",
		Calling: "horse(legs=3, ",
		Comms: "from ipykernel.comm import Comm\nprint('a', flush=True)\nc = Comm(target_name='test', data={'x': 1})\n" +
			"print('b', flush=True)\nc.send({'y': [2]}, buffers=[b'\\x00\\xff'])\nc.close()\nprint('c')",
		CommLater: "import threading\nfrom ipykernel.comm import Comm\nc = Comm(target_name='test')\n" +
			"threading.Timer(0.3, lambda: c.send({'late': True})).start()",
		Late: "import threading\nthreading.Timer(0.1, lambda: print('late', flush=True)).start()\nprint('in time', flush=True)",
		CommAnswers: "from ipykernel.comm import Comm\nc = Comm(target_name='test')\n" +
			"c.on_msg(lambda m: c.send({'got': m['content']['data']}, buffers=m['buffers']))",
		CommWidget: "from ipykernel.comm import Comm\n" +
			"c = Comm(target_name='jupyter.widget', data={'state': {'value': 1}}, metadata={'version': '2.0.0'})",
		Die:       "import os, time\nprint('last', flush=True)\ntime.sleep(0.3)\nos._exit(3)",
		Flood:     "import sys\nline = 'x' * 65535\nfor i in range(640):\n  print(line, flush=True)",
		FloodSize: 40 << 20,
	})
}

// TestIRkernelKeepsTheContractOfEngines skips the parts that the kernel does not support: errors of
// R have no class, values are displays, and nothing runs beside a question. The flood comes from a
// program that R starts: evaluate, which the kernel uses, takes minutes for that much output.
func TestIRkernelKeepsTheContractOfEngines(t *testing.T) {
	kernel := needKernel(t, "ir")
	langtest.Suite(t, func(t *testing.T) lang.Engine { return open(t, kernel) }, langtest.Programs{
		Hello:    `cat("hello\n")`,
		Streams:  "cat('a\\n'); message('b', appendLF = FALSE); cat('c\\n')",
		Set:      "kept <- 42",
		Get:      "kept",
		Got:      "display: text/html 42",
		Displays: "cat('a\\n'); IRdisplay::display_html('<b>b</b>'); cat('c\\n')",
		Clears:   "cat('a\\n'); IRdisplay::clear_output(TRUE); cat('b\\n')",
		Fail:     "cat('before\\n')\nf <- function() {\n  stop('bad value')\n}\nf()",
		FailName: "ERROR", FailMessage: "Error in f(): bad value", FailLine: 3,
		Syntax: "cat('not run')\nx = = 1", SyntaxLine: 2,
		Loop:      "cat('started\\n'); while (TRUE) {}",
		Sleep:     "cat('started\\n'); Sys.sleep(1000)",
		Stubborn:  `system("trap '' INT; echo started; sleep 1000")`, // R ignores the signal too while it waits
		Ask:       "cat('before\\n'); cat(readline('name? '), '\\n', sep = '')",
		NoAnswer:  "Interrupted",
		Name:      "kept",
		Lead:      "'🐎'; ",
		Die:       "cat('last\\n'); Sys.sleep(0.3); tools::pskill(Sys.getpid(), tools::SIGKILL)",
		SplitUTF8: `system("printf '\\303'; printf '\\251'; printf '\\360'; printf '\\237\\220'; printf '\\216'")`,
		BadUTF8:   `system("printf 'a\\377b'")`,
		Flood:     `system("head -c 41943040 /dev/zero | tr '\\000' x")`,
		FloodSize: 40 << 20,
	})
}
