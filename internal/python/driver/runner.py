"""One run: compile the cell, execute it, show its last value, report its end."""
import _ast
import _contextvars
import _signal
import _thread
import builtins
import keyword
import linecache
import os
import re
import sys

cells, histories, display, leave, owners = load("cells"), load("history"), load("display"), load("leave"), load("owner")
_ident = _thread.get_ident
TOP_LEVEL_AWAIT = cells.TOP_LEVEL_AWAIT

# Input beyond Python: %magic, !command, name?, >>> prompts, an indented first line, and a line of
# words, such as "cd data".
BEYOND = re.compile(
    r"^\s*(?:[%!?,;/]|>>>|\.\.\.|In \[)|\?[ \t]*$|=\s*[%!]|\A\s*\n*[ \t]|\A\s*[A-Za-z_]\w*[ \t]+(?!=)[^\n]*\s*\Z", re.M)
PROMPT = re.compile(r"\A\s*In \[\d+\]: ")  # in Python also an annotation
WORD = re.compile(r"\A\s*([A-Za-z_]\w*)(?![\w'\"])[^\n]*\s*\Z")  # not the prefix of a string
RESERVE = 4 << 20  # bytes reserved to describe an error when memory is used up


def lines_of(source):
    """Return the lines of a source as Python counts them. The last one gets a line end
    too, because Python places carets by it."""
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    return [line + "\n" for line in text.removesuffix("\n").split("\n")]


class Runner:
    def __init__(self, channel, gate):
        self.channel, self.gate = channel, gate
        self.pid = os.getpid()
        self.main = sys.modules["__main__"]
        self.compiler = cells.Compiler()
        self.history = histories.History(vars(self.main))
        self.finder = None  # set by hooks.install
        self.shell = None  # IPython's, once it was needed
        self.making = False  # or it could not be made
        self.loop = None  # set once the program has asyncio
        self.starting = False
        self.value = None  # the value that the cell shows
        self.errors = []  # of the representations of a value
        self.hook = None  # our sys.displayhook
        # The context of all cells; this variable is set only within it, and so tells whether it is
        # entered.
        self.inside = _contextvars.ContextVar("inside")
        self.context = _contextvars.copy_context()
        self.context.run(self.inside.set, True)
        self.source, self.filename = "", ""  # of the current cell
        self.changed = {}  # translated lines, by filename
        self.failed = None  # a shown error after which the cell continued
        self.offer = None  # a source for the notebook
        self.leaving = ""  # how the program ended itself, if a magic caught that
        self.reserve = None
        gate.open.add(self.enter.__code__)

    @property
    def flags(self):
        return self.compiler.flags

    @flags.setter
    def flags(self, flags):
        self.compiler.flags = flags

    def run(self, number, source, count):
        filename = f"<cell {count}>"
        linecache.cache[filename] = (len(source), None, lines_of(source), filename)
        self.changed.pop(filename, None)
        self.source, self.filename, self.failed, self.leaving = source, filename, None, ""
        self.offer = None
        error = None
        self.keep_reserve()
        self.channel.begin(number)
        self.own(number)
        asker = load("ask").asker
        asker.refused, asker.left, asker.unattended = "", False, False
        self.gate.begin(number)
        self.enter_loop()
        # A hook set by a cell is for the rest of that cell, as in IPython.
        sys.displayhook = self.hook if self.shell is None else self.shell.displayhook
        for step in (lambda: self.evaluate(source, filename, count), lambda: self.finish(error)):
            try:
                step()
            except BaseException as exc:
                error = exc if error is None else error
        if isinstance(error, MemoryError):
            self.reserve = None
        if type(error).__name__ == "BdbQuit":
            error = self.quit(error, number)
        elif error is None and asker.left:  # a post-mortem debugger, which stops nothing
            error = EOFError(f"the debugger was left: {asker.refused}")
        if os.getpid() != self.pid:
            self.end_child(error, filename)
        failure, shown, exit = self.describe(error, filename), False, leave.how(error) or self.leaving
        if failure is None and self.failed is not None:
            failure, shown, exit = self.failed, True, ""
        error = self.failed = self.value = None  # they keep the frames of the cell alive
        self.leave_loop()
        self.gate.end()
        # A handler that the program installed was for this run.
        _signal.signal(_signal.SIGINT, self.gate.on_signal)
        _signal.signal(_signal.SIGXCPU, self.gate.on_limit)
        flush_c()
        self.channel.end({"kind": "done", "run": number, "error": failure, "shown": shown, "exit": exit,
                          "offer": self.offer})

    def own(self, number):
        """Make the run the owner of the cell's output."""
        owners.current.set(number)
        self.context.run(owners.current.set, number)

    def quit(self, error, number):
        """Return the error of a cell whose debugger was quit: that of the interrupt that ended
        it, or one with the reason for missing answers."""
        asker = load("ask").asker
        if self.gate.stopped == number:
            return KeyboardInterrupt().with_traceback(error.__traceback__)
        if not error.args and asker.refused:
            error.args = (f"the debugger was left: {asker.refused}",)
        return error

    def keep_reserve(self):
        """Reserve memory, so a cell that uses up all of it gets its error."""
        if self.reserve is None:
            try:
                self.reserve = bytearray(RESERVE)
            except MemoryError:
                pass

    def evaluate(self, source, filename, count=0, first=0):
        """Execute a source: a cell or, from line `first` on, a part of it. Return the
        value of its last expression."""
        if count:
            self.history.begin(count, source)
        begun = count and self.shell is not None
        if begun:
            self.shell.begin(count, source)
        tree, text = self.parse(source, filename, first)
        if count:
            self.history.translated(text)
        mode = "last_expr"
        if self.shell is not None:
            if count and not begun:  # it was created just now
                self.shell.begin(count, source)
            mode = self.shell.ast_node_interactivity
            tree = self.enter(self.shell.transform_ast, tree)
        value = None
        for code, shown in self.compiler.compile(tree, text, filename, mode):
            value = self.execute(code)
            if shown:
                self.display(value)
        return value

    def parse(self, source, filename, first):
        """Return the tree of a source and its text in Python. A source that parses as
        Python is Python, unless there is a shell, which may treat it differently."""
        if self.shell is None:
            try:
                tree = self.compiler.parse("\n" * first + source, filename)
                if not self.is_strange(source, tree):
                    return tree, "\n" * first + source
            except SyntaxError:
                if not BEYOND.search(source):
                    raise
            if self.ipython() is None:
                self.know_magics()
                text = "\n" * first + load("translate").translate(source, first)
                return self.compiler.parse(text, filename), text
        straight = load("translate").straighten(source)
        text = "\n" * first + self.enter(self.shell.transform_cell, straight)
        if not first:
            self.note_changes(source, text, filename)
        return self.compiler.parse(text, filename), text

    def know_magics(self):
        name = load("translate").NAME
        if not hasattr(builtins, name):
            setattr(builtins, name, load("magics").install(self))

    def is_strange(self, source, tree):
        """Return whether a line is Python but unlikely to be meant as such: ls -l"""
        if PROMPT.match(source):
            return True
        word = WORD.match(source)
        if word is None or len(tree.body) != 1 or not isinstance(tree.body[0], _ast.Expr):
            return False
        name = word[1]
        return not (name in vars(self.main) or name in vars(builtins) or keyword.iskeyword(name))

    def note_changes(self, source, text, filename):
        before, after = lines_of(source), lines_of(text)
        self.changed[filename] = {i + 1 for i, line in enumerate(after) if i >= len(before) or before[i] != line}

    def ipython(self):
        """Return IPython's shell, created when first needed; None without IPython."""
        if self.shell is None and not self.making and self.finder.find_ipython() is not None:
            self.making = True  # its import would request it again
            try:
                self.shell = load("shell").create(self)
                self.making = False
            except Exception as error:  # it is not tried again
                sys.stderr.write(f"IPython is installed but does not start, so cells do without: {error!r}\n")
        return self.shell

    def execute(self, code):
        value = self.enter(eval, code, vars(self.main))
        if code.co_flags & cells.COROUTINE:
            self.have_loop()
            value = self.loop.wait(value)
        return value

    def have_loop(self):
        if self.loop is None:
            self.starting = True  # it may import asyncio, whose loop must not be entered then
            try:
                self.loop = load("loop").Loop(self)
            finally:
                self.starting = False

    def enter_loop(self):
        """Have a running loop from now on, if the program has asyncio."""
        if "asyncio" in sys.modules:
            self.have_loop()
            self.loop.enter()

    def leave_loop(self):
        if self.loop is not None:
            self.loop.leave()

    def join_loop(self):
        """Let the cell that has imported asyncio run in its loop."""
        if self.gate.run and _ident() == self.gate.main and not self.starting:
            self.have_loop()
            self.loop.enter()

    def enter(self, function, *args, **options):
        """Call into the program, in the context of the cells. Open to interrupts: see gate.py."""
        if self.gate.wanted:
            self.gate.check()
        if self.inside.get(False) or _ident() != self.gate.main:
            return function(*args, **options)
        return self.context.run(function, *args, **options)

    def display(self, value):
        """Pass a value to sys.displayhook, which is ours unless the cell has set one."""
        hook = getattr(sys, "displayhook", None)
        if hook in (None, self.hook) or self.shell is not None and hook is self.shell.displayhook:
            return self.show(value)
        self.enter(hook, value)

    def show(self, value):
        if value is None:
            return
        if isinstance(value, leave.Exit):  # "exit" alone means a call
            self.enter(value)
        self.value = value
        data, metadata = display.bundle(value)
        self.history.add(value, data.get("text/plain", ""))
        if data:  # otherwise the value has displayed itself
            display.publish("result", data, metadata, "")

    def finish(self, error=None):
        """Show the remaining figures, so they do not appear in a later cell."""
        if os.getpid() != self.pid:
            return
        if self.shell is not None:
            self.shell.finish(error)
        if "matplotlib.pyplot" in sys.modules:
            self.enter(load("figures").finish)

    def fail(self, error, line):
        """Show an error after which the program continues; the cell has failed nevertheless."""
        if leave.is_good(error):
            self.leaving = leave.how(error)
            return
        self.failed = self.describe(error, self.filename, line)
        self.channel.emit({"kind": "error", "error": self.failed})

    def describe(self, error, filename, line=0):
        if error is None or leave.is_good(error):
            return None
        self.note(error)
        failure = load("failure").describe(error, filename, self.enter, self.changed.get(filename, ()), line)
        if self.shell is not None:
            self.shell.handle(error, failure)
        return failure

    def note(self, error):
        """Store an error where Python does, for debuggers."""
        if not isinstance(error, SystemExit):
            sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
            if sys.version_info >= (3, 12):
                sys.last_exc = error

    def end_child(self, error, filename):
        """End a forked process that has reached the end of the cell."""
        status = 0
        failure = self.describe(error, filename)
        if failure:
            status = error.code if isinstance(error, SystemExit) and isinstance(error.code, int) else 1
            if not isinstance(error, SystemExit):
                sys.stderr.write("\n".join(failure["trace"]) + "\n")
        os._exit(status & 0xFF)


def flush_c():
    """Flush the buffers of C's stdio, once there may be code that uses it."""
    ctypes = sys.modules.get("ctypes")
    try:
        if ctypes is not None:
            ctypes.CDLL(None).fflush(None)
    except Exception:
        pass  # the flush is optional
