"""Interrupts: which run they are for, and where they may be raised.

The runtime first writes the number of the run it wants to stop into a pipe and
then sends SIGINT. A signal has no address of its own and may arrive when the
run has ended and the next has begun; the number says whom it is for, so an
interrupt never reaches a later run.

KeyboardInterrupt is raised only in the program: in a cell, in what a cell
called, and in the few functions of the driver that are marked `open`, which are
written so that an exception between any two of their statements does no harm. In
the rest of the driver the interrupt stays wanted, and the open function that
called it raises it on the way out: there is no moment at which it can be lost. A
function that anybody may call, the driver too, such as one that takes part in an
import, is marked `through` instead: it is as open as who called it.

The limit of processor time comes as a signal too, and goes the same way.
"""
import _thread
import os
import resource
import sys

_read = os.read
_ident = _thread.get_ident
CELL, DRIVER = "<cell ", "<quire "
SERVING = -1  # the run while a message is handled between two


class CPULimitExceeded(KeyboardInterrupt):
    """The process has used the processor for as long as it may.

    It is an interrupt to libraries, which let those pass.
    """

    __module__ = "builtins"


class Gate:
    def __init__(self, fd):
        os.set_blocking(fd, False)
        self.fd = fd
        self.main = _ident()
        self.run = 0  # the run that goes on; 0 between runs
        self.wanted = 0  # the run, once it was asked to stop; else 0
        self.last = 0  # the run that began last
        self.next = 0  # a run that was asked to stop before it began here
        self.stopped = 0  # the run that was asked to stop last
        self.owed = 0  # signals that may still come for numbers already read
        self.limited = False  # it has to stop because of a limit
        self.seconds = resource.getrlimit(resource.RLIMIT_CPU)[0]  # it grows
        self.open = {Gate.check.__code__}
        self.through = {Gate.leave.__code__}
        self.cancel = None  # stops a run that waits in the event loop
        self.waiting = None  # the function that waits there

    def begin(self, run):
        self.run = self.last = run
        # All signals of earlier runs have been delivered: the runtime sends
        # none between the end of a run and the start of the next.
        self.owed = 0
        self.owed = self.drain()
        if self.next == run:
            self.wanted = self.stopped = run

    def serve(self):
        """Begin what is no run and ends like one. It is stopped with the run that waits
        for it."""
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
        """Raise an interrupt that is wanted. For open functions. Other threads
        leave it to the main thread, as Python does."""
        if self.run and self.wanted == self.run and _ident() == self.main:
            raise self.interrupt()

    def leave(self):
        """Raise an interrupt that is wanted, where it may be. For functions that
        are as open as who called them."""
        if self.run and self.wanted == self.run and self.may_raise(sys._getframe(1)):
            raise self.interrupt()

    def interrupt(self):
        """Return the interrupt that was wanted, which is no longer so."""
        self.wanted = 0
        if not self.limited:
            return KeyboardInterrupt()
        self.limited = False
        return CPULimitExceeded(f"Python has used its processor time, {self.seconds} s in all; it ends soon, "
                                "restart it to go on")

    def drain(self):
        """Read all numbers and return how many. It may be called within itself,
        by a signal, so it only ever stores what that would store too."""
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
            self.owed -= 1  # it was one of several for which we were called once
        else:
            self.wanted = self.run  # from the program itself: os.kill, interrupt_main
        if self.run and self.wanted == self.run and self.may_raise(frame):
            raise self.interrupt()

    def on_limit(self, signum, frame):
        """Handle SIGXCPU, which comes again with each second over the limit."""
        if self.run:
            self.limited, self.wanted = True, self.run
            if self.may_raise(frame):
                raise self.interrupt()

    def on_nudge(self, signum, frame):
        """Handle a signal that only ends a system call, for the one before it."""

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
