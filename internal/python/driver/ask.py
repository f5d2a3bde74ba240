"""Questions to the user who runs the cell: input(), getpass() and sys.stdin.

The question is a message, so earlier output is shown before it, and the answer is
a frame; descriptor 0 is /dev/null, for programs in C. The prompt is part of the
question and not printed in addition.

During a run any thread may ask, one at a time. The runtime answers every question
that is not withdrawn, also when the run ends, so a thread that waits here does not
delay the next run.
"""
import builtins
import io
import json.decoder
import select
import sys

TURN = 0.1  # seconds between checks for an interrupt while another thread asks
LOOK = 50  # milliseconds between such checks while waiting for the answer

_scan = json.decoder.JSONDecoder().scan_once  # in C: see channel.py
_input = builtins.input

asker = None


class Asker:
    def __init__(self, inbox, channel, gate, enter):
        self.inbox, self.channel, self.gate, self.enter = inbox, channel, gate, enter
        self.number = 0
        self.refused = ""  # why the last question of the run got no answer
        self.left = False  # that question was of a debugger
        self.unattended = False  # no question of the run can have an answer
        self.stdin = Stdin(self)
        self.poller = select.poll()
        self.poller.register(inbox.fd, select.POLLIN)
        gate.open.add(self.wait.__code__)

    def ask(self, prompt, secret=False):
        """Return the answer, without a line end."""
        if self.channel.forked:
            raise EOFError("a forked process cannot ask: ask before the fork")
        if not self.gate.run:
            raise EOFError("no user can be asked between runs: ask while the cell runs")
        if self.gate.stopped == self.gate.run != self.gate.wanted and debugging():
            # The debugger ignores an interrupt, and asks again.
            raise EOFError("the run was stopped")
        if self.inbox.lock._is_owned():
            raise EOFError("this thread waits for an answer already")
        while not self.inbox.lock.acquire(timeout=TURN):
            self.gate.check()
        try:
            answer = self.converse(prompt, secret)
        finally:
            self.inbox.lock.release()
        if "why" in answer:
            self.refused, self.left, self.unattended = answer["why"], debugging(), "unattended" in answer
            raise EOFError(answer["why"])
        return answer["text"]

    def converse(self, prompt, secret):
        self.number += 1
        number, body = self.number, None
        self.channel.emit({"kind": "ask", "run": number, "prompt": prompt, "secret": secret})
        try:
            while body is None:
                self.wait()
                body = self.inbox.answer(number)
        except BaseException:
            self.channel.emit({"kind": "withdraw", "run": number})
            raise
        return _scan(body.decode(), 0)[0]

    def wait(self):
        """Return when there is input. Open to interrupts: see gate.py."""
        while True:
            if self.gate.wanted:
                self.gate.check()
            # A signal that comes just before the call does not end it.
            if self.poller.poll(LOOK):
                return


def debugging():
    """Return whether a debugger asks."""
    debugger, frame = sys.modules.get("pdb"), sys._getframe(1)
    while debugger is not None and frame is not None:
        if frame.f_globals is vars(debugger):
            return True
        frame = frame.f_back
    return False


class Stdin(io.TextIOBase):
    """sys.stdin: each line is a question. It ends when there is no answer."""

    encoding = "utf-8"
    errors = "strict"
    newlines = None
    line_buffering = False
    name = "<stdin>"
    mode = "r"

    def __init__(self, asker):
        self.asker = asker
        self.rest = ""  # of the last answer
        self.bytes = None

    @property
    def buffer(self):
        if self.bytes is None:
            self.bytes = io.BufferedReader(Raw(self))
        return self.bytes

    # The public functions are open to interrupts and do nothing themselves.

    def readline(self, size=-1, /):
        text = self.take(size, lines=True)
        if self.asker.gate.wanted:
            self.asker.gate.check()
        return text

    def read(self, size=-1, /):
        text = self.take(size, lines=False)
        if self.asker.gate.wanted:
            self.asker.gate.check()
        return text

    def take(self, size, lines):
        size = sys.maxsize if size is None or size < 0 else size
        while len(self.rest) < size and not (lines and "\n" in self.rest):
            try:
                self.rest += self.asker.ask("") + "\n"
            except EOFError:
                break
        if lines:
            size = min(size, self.rest.find("\n") + 1 or size)
        text, self.rest = self.rest[:size], self.rest[size:]
        return text

    def fileno(self):
        return 0

    def isatty(self):
        return False

    def readable(self):
        return True

    def writable(self):
        return False

    def seekable(self):
        return False

    def reconfigure(self, **options):
        """Accept the options of a real stream, without effect."""

    def close(self):
        """Stay open: a notebook has further cells that read."""


class Raw(io.RawIOBase):
    """The bytes of sys.stdin, as sys.stdin.buffer reads them."""

    def __init__(self, stdin):
        self.stdin, self.rest = stdin, b""

    def readable(self):
        return True

    def fileno(self):
        return 0

    def readinto(self, buffer):
        if not self.rest:
            self.rest = self.stdin.readline().encode("utf-8", "surrogatepass")
        size = min(len(buffer), len(self.rest))
        buffer[:size] = self.rest[:size]
        self.rest = self.rest[size:]
        return size


def install(inbox, channel, gate, enter):
    global asker
    asker = Asker(inbox, channel, gate, enter)
    for function in (Stdin.readline, Stdin.read, input, getpass):
        gate.open.add(function.__code__)
    builtins.input = input
    sys.stdin = sys.__stdin__ = asker.stdin
    if "getpass" in sys.modules:  # imported by something in site
        take_over(sys.modules["getpass"])


def take_over(module):
    module.getpass = getpass


def input(prompt="", /):
    """Ask the user who runs the cell for a line and return it.

    It raises EOFError without an answer. If the program has replaced sys.stdin it
    reads a line from there.
    """
    if sys.stdin is not asker.stdin:
        return _input(prompt)
    answer = line(prompt)
    if asker.gate.wanted:
        asker.gate.check()
    return answer


def line(prompt):
    if asker.stdin.rest:
        return asker.stdin.take(-1, lines=True)[:-1]
    return asker.ask(worded(prompt))


def getpass(prompt="Password: ", stream=None, *, echo_char=None):
    """Ask the user who runs the cell for a line that is not shown and not stored."""
    answer = asker.ask(worded(prompt), secret=True)
    if asker.gate.wanted:
        asker.gate.check()
    return answer


def worded(prompt):
    text = asker.enter(str, prompt)
    return text.encode("utf-8", "replace").decode()
