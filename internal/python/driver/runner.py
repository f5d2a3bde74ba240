"""One run: compile the cell, execute it, show its last value, say it is done."""
import _ast
import __future__
import _signal
import builtins
import linecache
import os
import sys

TOP_LEVEL_AWAIT = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
COROUTINE = 0x80  # inspect.CO_COROUTINE
FUTURES = 0
for _name in __future__.all_feature_names:
    FUTURES |= getattr(__future__, _name).compiler_flag

# These have no rich representation, so the module that looks for one need not
# be loaded for them.
PLAIN = (int, float, complex, str, bytes, bool, list, tuple, dict, set, frozenset, range)


class Runner:
    def __init__(self, channel, gate):
        self.channel, self.gate = channel, gate
        self.pid = os.getpid()
        self.main = sys.modules["__main__"]
        self.flags = TOP_LEVEL_AWAIT  # and the __future__ imports of earlier cells
        self.loop = None
        gate.open.add(self.enter.__code__)

    def run(self, number, source):
        filename = f"<cell {number}>"
        linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
        error = None
        self.channel.last = None  # what was written between the runs comes first
        self.gate.begin(number)
        for step in (lambda: self.evaluate(source, filename), self.show_figures):
            try:
                step()
            except BaseException as exc:
                error = exc if error is None else error
        if os.getpid() != self.pid:
            self.end_child(error, filename)
        failure = self.describe(error, filename) if error is not None else None
        error = None  # it holds on to the frames of the cell
        self.gate.end()
        # A handler that the program installed was for this run.
        _signal.signal(_signal.SIGINT, self.gate.on_signal)
        flush_c()
        self.channel.emit({"kind": "done", "run": number, "error": failure}, b"E")

    def evaluate(self, source, filename):
        tree = compile(source, filename, "exec", self.flags | _ast.PyCF_ONLY_AST, True)
        last = None
        if tree.body and isinstance(tree.body[-1], _ast.Expr) and not muted(source, tree.body[-1]):
            last = _ast.Expression(tree.body.pop().value)
        # Both are compiled before either runs: some errors of syntax are found
        # only here.
        body = compile(tree, filename, "exec", self.flags, True)
        self.flags |= body.co_flags & FUTURES
        if last is not None:
            last = compile(last, filename, "eval", self.flags, True)
        self.execute(body)
        if last is not None:
            self.show(self.execute(last))

    def execute(self, code):
        value = self.enter(eval, code, vars(self.main))
        if code.co_flags & COROUTINE:
            if self.loop is None:
                self.loop = load("loop").Loop(self.gate)
            value = self.loop.wait(value)
        return value

    def enter(self, function, *args, **options):
        """Call into the program. Open to interrupts: see gate.py."""
        if self.gate.wanted:
            self.gate.check()
        return function(*args, **options)

    def show(self, value):
        if value is None:
            return
        builtins._ = value
        if type(value) in PLAIN:
            data, metadata = {"text/plain": self.enter(repr, value)}, {}
        else:
            data, metadata = load("display").bundle(value)
        self.channel.emit({"kind": "result", "data": data, "metadata": metadata})

    def show_figures(self):
        """Show what was drawn but not shown, so that it is not in a later cell."""
        if "matplotlib.pyplot" in sys.modules and os.getpid() == self.pid:
            load("figures").show_all()

    def describe(self, error, filename):
        if isinstance(error, SystemExit) and error.code in (None, 0):
            return None
        return load("failure").describe(error, filename, self.enter)

    def end_child(self, error, filename):
        """End a process that the cell forked and that came to the cell's end."""
        status = 0
        failure = self.describe(error, filename) if error is not None else None
        if failure:
            status = error.code if isinstance(error, SystemExit) and isinstance(error.code, int) else 1
            if not isinstance(error, SystemExit):
                sys.stderr.write("\n".join(failure["trace"]) + "\n")
        os._exit(status & 0xFF)


def muted(source, statement):
    """Say whether a semicolon follows the last expression."""
    line = source.encode().split(b"\n")[statement.end_lineno - 1]
    return line[statement.end_col_offset:].lstrip().startswith(b";")


def flush_c():
    """Flush the buffers of C code that prints, once there may be such code."""
    ctypes = sys.modules.get("ctypes")
    try:
        if ctypes is not None:
            ctypes.CDLL(None).fflush(None)
    except Exception:
        pass  # it was only a courtesy to the program
