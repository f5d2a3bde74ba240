"""breakpoint() in a kernel of Python. With debugpy it does nothing unless a debugger is
attached, which there is none to do; here it is that of Python, which asks the person."""
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
