"""breakpoint() in a kernel of Python. That of debugpy needs an attached debugger, and none
ever is; this one is Python's pdb, which reads its commands from the user."""
import os
import pdb
import sys


def stop(*, header=None, **options):
    if os.environ.get("PYTHONBREAKPOINT") == "0":
        return
    debugger = pdb.Pdb()
    if header is not None:
        debugger.message(header)
    debugger.set_trace(sys._getframe(1))


def install():
    if getattr(sys.breakpointhook, "__name__", "") == "debugpy_breakpointhook":
        sys.breakpointhook = sys.__breakpointhook__ = stop
