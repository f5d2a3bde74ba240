"""Interrupts: the run that they are for, and where they may be raised.

The runtime first writes the number of the run into a pipe and then sends SIGINT. A
signal has no address of its own and may arrive when the run has ended and the next
has begun; because of the number an interrupt never reaches a later run.

KeyboardInterrupt is raised only in the program: in a cell, in code called by a
cell, and in the few functions of the driver that are marked `open`, in which an
exception between any two statements does no harm. In the rest of the driver the
interrupt stays pending, and the calling open function raises it on return, so it is
never lost. A function that both the driver and the program call, such as an import
hook, is marked `through` instead: it is as open as its caller.

The limit of processor time is a signal too, and handled in the same way.
"""
import _thread
import os
import resource
import sys

_read = os.read
_ident = _thread.get_ident
CELL, DRIVER = "<cell ", "<quire "
SERVING = -1  # the number of the run that handles a message between two runs


class CPULimitExceeded(KeyboardInterrupt):
    """The process has used up its processor time.

    It is a KeyboardInterrupt for libraries, which do not catch those.
    """

    __module__ = "builtins"


class Gate:
    def __init__(self, fd):
        os.set_blocking(fd, False)
        self.fd = fd
        self.main = _ident()
        self.run = 0  # the current run; 0 between runs
        self.wanted = 0  # the run if an interrupt is pending; else 0
        self.last = 0  # the last run that began
        self.next = 0  # a run interrupted before it began here
        self.stopped = 0  # the last interrupted run
        self.owed = 0  # signals that may still come for numbers already read
        self.limited = False  # the pending interrupt is of a limit
        self.seconds = resource.getrlimit(resource.RLIMIT_CPU)[0]  # raised at each signal
        self.open = {Gate.check.__code__}
        self.through = {Gate.leave.__code__}
        self.cancel = None  # cancels a run that waits in the event loop
        self.waiting = None  # the function that waits there

    def begin(self, run):
        self.run = self.last = run
        # All signals of earlier runs have been delivered: the runtime sends none between the end of
        # a run and the start of the next.
        self.owed = 0
        self.owed = self.drain()
        if self.next == run:
            self.wanted = self.stopped = run

    def serve(self):
        """Begin a task that ends like a run. It is interrupted with the run that waits for
        it."""
        self.owed = 0
        self.owed = self.drain()
        self.run = SERVING
        if self.next > self.last:
            self.wanted = SERVING

    def end(self):
        self.run = 0
        self.wanted = 0
        self.limited = False

    def check(self):
        """Raise a pending interrupt. For open functions. Other threads leave it to the
        main thread, as in Python."""
        if self.run and self.wanted == self.run and _ident() == self.main:
            raise self.interrupt()

    def leave(self):
        """Raise a pending interrupt, where that is permitted. For functions that are as
        open as their caller."""
        if self.run and self.wanted == self.run and self.may_raise(sys._getframe(1)):
            raise self.interrupt()

    def interrupt(self):
        """Return the pending interrupt, and clear it."""
        self.wanted = 0
        if not self.limited:
            return KeyboardInterrupt()
        self.limited = False
        return CPULimitExceeded(f"Python has used its processor time, {self.seconds} s in all; it ends soon, "
                                "restart it to go on")

    def drain(self):
        """Read all numbers and return how many. A signal may call it within itself, so
        it stores only values that the inner call would store too."""
        try:
            data = _read(self.fd, 1 << 16)
        except BlockingIOError:
            return 0
        for i in range(0, len(data), 8):
            run = int.from_bytes(data[i:i + 8], "big")
            if run == self.run:
                self.wanted = self.stopped = run
            elif run > self.last:
                self.next = run
                if self.run == SERVING:
                    self.wanted = SERVING
        return len(data) // 8

    def on_signal(self, signum, frame):
        count = self.drain()
        if count:
            self.owed += count - 1
        elif self.owed:
            self.owed -= 1  # one of several signals that were handled by one call
        else:
            self.wanted = self.run  # sent by the program itself: os.kill, interrupt_main
        if self.run and self.wanted == self.run and self.may_raise(frame):
            raise self.interrupt()

    def on_limit(self, signum, frame):
        """Handle SIGXCPU, which is repeated each second over the limit."""
        if self.run:
            self.limited, self.wanted = True, self.run
            if self.may_raise(frame):
                raise self.interrupt()

    def on_nudge(self, signum, frame):
        """Handle a signal whose only purpose is to end a system call."""

    def may_raise(self, frame):
        while frame is not None:
            code = frame.f_code
            if code is self.waiting:
                return self.cancel()
            if code in self.open or code.co_filename.startswith(CELL):
                return True
            if code.co_filename.startswith(DRIVER) and code not in HANDLERS and code not in self.through:
                return False
            frame = frame.f_back
        return False


HANDLERS = (Gate.on_signal.__code__, Gate.on_limit.__code__, Gate.on_nudge.__code__)
