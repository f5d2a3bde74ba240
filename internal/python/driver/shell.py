"""IPython's own shell, for cells and libraries that use it.

It shares the namespace, the numbers, the history and the outputs of the runner. The
runner executes cells and shows values; the shell translates, formats and has the
magics. So a cell does the same before and after the shell is created.
"""
import ast
import atexit
import builtins
import contextlib
import os
import shutil
import sys
import tempfile

from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError, UsageError
from IPython.core.formatters import DisplayFormatter
from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult, InteractiveShell
from IPython.utils.text import LSString, SList
from traitlets import Any
from traitlets.config import Config

display = load("display")

ANSWERS = {"y": True, "yes": True, "n": False, "no": False}

# The names that IPython puts into the namespace.
NAMES = ("In", "Out", "get_ipython", "_", "__", "___")


class Compiler(CachingCompiler):
    """Gives the code of %%time the line numbers of its cell."""

    shell = None

    def __call__(self, source, filename, symbol, *rest, **options):
        if filename in ("<timed exec>", "<timed eval>") and self.shell.first and isinstance(source, ast.AST):
            filename, source = self.shell.runner.filename, ast.increment_lineno(source, self.shell.first)
        return super().__call__(source, filename, symbol, *rest, **options)


class Formatter(DisplayFormatter):
    def format(self, value, *args, **options):
        with display.formatting:
            errors = self.parent.runner.errors = []
            found = self.parent.runner.enter(super().format, value, *args, **options)
        if errors:
            self.parent.note_errors(errors, found)
        if display.is_figure(value):
            load("figures").note(value)
        return found


class Publisher(DisplayPublisher):
    def publish(self, data, metadata=None, source=None, *, transient=None, update=False, **options):
        display.publish_display_data(data, metadata, transient=transient, update=update)

    def clear_output(self, wait=False):
        display.clear_output(wait)


class Hook(DisplayHook):
    def __call__(self, value=None):
        self.shell.runner.show(value)
        self.shell.runner.gate.check()


# The class name by which libraries recognise a shell with rich displays.
class ZMQInteractiveShell(InteractiveShell):
    runner = Any()
    outcome = None  # of the current cell

    def init_virtualenv(self):
        """Do nothing: the interpreter is already that of the environment."""

    def init_display_formatter(self):
        self.display_formatter = Formatter(parent=self)
        self.configurables.append(self.display_formatter)

    def prepare(self):
        """Connect the state of the runner with that of the shell."""
        history, manager = self.runner.history, self.history_manager
        manager.input_hist_parsed, manager.input_hist_raw = history.inputs, history.raw
        manager.output_hist.update(history.outputs)
        manager.output_hist_reprs.update(history.texts)
        history.texts = manager.output_hist_reprs
        history.inputs, history.raw = manager.input_hist_parsed, manager.input_hist_raw
        history.outputs = manager.output_hist
        self.execution_count = history.number
        self.first = 0  # lines before the body that a cell magic executes
        self.last_execution_result = ExecutionResult(information(""))
        self.last_execution_result.result = next(reversed(history.outputs.values()), None)
        self.compile.shell = self
        try:  # %config then knows it before there is a figure
            from matplotlib_inline.config import InlineBackend
            self.configurables.append(InlineBackend.instance(parent=self))
        except ImportError:
            pass
        self.set_hook("show_in_pager", show_in_pager, 99)
        for part in ("kernelmagics", "failing", "scripts"):
            load(part).install(self)
        self.register_magic_function(self.pip, "line", "pip")
        try:
            self.extension_manager.load_extension("storemagic")
        except Exception:
            pass  # its folder may be read-only
        # Permanently: a cell may use the shell at any time.
        self.builtin_trap.activate()
        if sys.displayhook is self.runner.hook:  # otherwise the cell has set it
            self.display_trap.set()

    def begin(self, count, source):
        """Record the start of a cell."""
        self.execution_count, self.first = count, 0
        self.compile.flags |= self.runner.flags & load("cells").FUTURES
        self.info = information(source)
        self.outcome = ExecutionResult(self.info)
        self.outcome.execution_count = count
        self.runner.enter(self.events.trigger, "pre_execute")
        self.runner.enter(self.events.trigger, "pre_run_cell", self.info)

    def finish(self, error=None):
        """Record the end of a cell."""
        result, self.outcome = self.outcome or ExecutionResult(information(self.runner.source)), None
        result.result = self.runner.value
        if isinstance(error, SyntaxError) and error.__traceback__ is not None and not load("failure").inside(error):
            result.error_before_exec = error
        else:
            result.error_in_exec = error or result.error_in_exec
        self.last_execution_succeeded, self.last_execution_result = result.success, result
        self.runner.enter(self.events.trigger, "post_execute")
        self.runner.enter(self.events.trigger, "post_run_cell", result)

    def run_cell(self, raw_cell, store_history=False, silent=False, shell_futures=True, cell_id=None):
        """Execute a source within a cell; its errors fail the cell."""
        result = ExecutionResult(information(raw_cell, silent))
        try:
            result.result = self.runner.evaluate(raw_cell, self.runner.filename, first=self.lines_before(raw_cell))
        except Exception as error:
            result.error_in_exec = error
            if not silent:
                self.showtraceback()
        return result

    def run_cell_magic(self, magic_name, line, cell):
        before, self.first = self.first, self.lines_before(cell)
        try:
            return super().run_cell_magic(magic_name, line, cell)
        finally:
            self.first = before

    def lines_before(self, part):
        """Return how many lines of the cell come before a part at its end."""
        lines, last = self.runner.source.rstrip().split("\n"), part.rstrip().split("\n")
        return len(lines) - len(last) if lines[-len(last):] == last else 0

    def showtraceback(self, exc_tuple=None, *args, **options):
        """Show an error that a magic caught: the cell has failed, and continues. An error
        of a formatter is printed, since there are other representations."""
        error = (exc_tuple or sys.exc_info())[1] or getattr(sys, "last_value", None)
        if error is None:
            print("No traceback available to show.", file=sys.stderr)
        elif display.formatting.depth:
            self.runner.errors.append(error)
        else:
            self.fail(error)

    def showsyntaxerror(self, *args, **options):
        self.showtraceback()

    def note_errors(self, errors, found):
        """Record errors of representations: if all failed the cell fails; if some did, their
        errors are printed."""
        if "text/plain" in found[0]:
            for error in errors:
                display.report(error)
        else:
            self.fail(errors[-1])

    def fail(self, error):
        if self.outcome is not None:
            self.outcome.error_in_exec = error
        self.runner.fail(error, line_of(self.runner.filename))

    def handle(self, error, failure):
        """Format an error by the program's function, or by the mode of %xmode."""
        lines = None
        if self.call_replaced(error):
            failure["trace"] = []
            return
        if isinstance(error, self.custom_exceptions):
            lines = self.runner.enter(self.CustomTB, type(error), error, error.__traceback__) or []
        elif self.InteractiveTB.mode != "Context" and not isinstance(error, (SyntaxError, UsageError)):
            lines = self.InteractiveTB.structured_traceback(type(error), error, error.__traceback__)
        if lines is not None:
            failure["trace"] = "\n".join(lines).split("\n") if lines else []

    def call_replaced(self, error):
        """Call the program's replacement of showtraceback, as libraries install it to
        format errors themselves."""
        name = "showsyntaxerror" if isinstance(error, SyntaxError) and "showsyntaxerror" in vars(self) else "showtraceback"
        if name not in vars(self):
            return False
        before = error.__traceback__
        try:
            raise error
        except BaseException:
            error.__traceback__ = before
            self.runner.enter(vars(self)[name])
        return True

    def system(self, command):
        """Execute a command in a shell, with the cell's output."""
        command = self.var_expand(command, depth=1)
        self.user_ns["_exit_code"] = load("commands").run(command, self.runner.enter)
        self.runner.gate.check()

    system_piped = system_raw = system

    def getoutput(self, command, split=True, depth=0):
        """Execute a command in a shell and return its output."""
        lines = load("commands").lines_of(self.var_expand(command, depth=depth + 1), self.runner.enter)
        self.runner.gate.check()
        return SList(lines) if split else LSString("\n".join(lines))

    def pip(self, line):
        """Run pip for this interpreter."""
        load("commands").pip(line, self.runner.enter)
        self.runner.gate.check()

    def atexit_operations(self):
        """Remove temporary files. The names stay: the shell is created late, so functions that
        the program has registered with atexit may be called after this."""
        for remove, paths in ((os.unlink, self.tempfiles), (os.rmdir, self.tempdirs)):
            for path in paths:
                with contextlib.suppress(OSError):
                    remove(path)

    def enable_gui(self, gui=None):
        """Do nothing: figures are shown in the notebook."""

    def ask_exit(self):
        load("leave").EXITS["exit"]()

    def ask_yes_no(self, prompt, default=None, interrupt=None):
        """Ask as IPython does, but end differently. In an unattended run magics decide, as in a
        kernel whose front end takes no questions. IPython would use the default answer if
        there is none, and ask again after an interrupt."""
        if self.quiet:
            return True
        answer = None
        while answer not in ANSWERS:
            try:
                answer = builtins.input(f"{prompt} ").lower() or default
            except EOFError as error:
                if load("ask").asker.unattended:
                    raise StdinNotImplementedError(str(error)) from None
                raise
            except KeyboardInterrupt:
                if not interrupt:
                    raise
                answer = interrupt
        return ANSWERS[answer]

    def set_next_input(self, text, replace=False):
        """Offer the source that %load and %recall put into a cell; the last one counts."""
        if self.runner.gate.run > 0:
            self.runner.offer = {"source": str(text), "replace": bool(replace)}
        else:  # there is no cell to put it beside
            sys.stdout.write(str(text).rstrip("\n") + "\n")


def information(source, silent=False):
    try:
        return ExecutionInfo(source, not silent, silent, True, None)
    except TypeError:  # up to IPython 7
        return ExecutionInfo(source, not silent, silent, True)


def line_of(filename):
    """Return the line of the cell that is executed."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != filename:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else 0


def show_in_pager(shell, data, start=0, screen_lines=0):
    """Print the text for a pager."""
    text = data.get("text/plain", "") if isinstance(data, dict) else data
    sys.stdout.write(text.rstrip("\n") + "\n")


def directory():
    """Return IPython's folder of persistent files, if it exists already."""
    own = os.environ.get("IPYTHONDIR") or os.path.expanduser("~/.ipython")
    if os.path.isdir(own) and os.access(own, os.W_OK):
        return own
    made = tempfile.mkdtemp(prefix="ipython-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def create(runner):
    """Create the shell. Names of the program are not changed."""
    names, history = vars(runner.main), runner.history
    kept = {name: names[name] for name in NAMES
            if name in names and names[name] is not history.inputs and names[name] is not history.outputs}
    config = Config()
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    shell = ZMQInteractiveShell.instance(
        ipython_dir=directory(), user_module=runner.main, config=config, runner=runner,
        display_pub_class=Publisher, displayhook_class=Hook, compiler_class=Compiler)
    shell.prepare()
    ours = {"_ih": history.inputs, "In": history.inputs, "_oh": history.outputs, "Out": history.outputs}
    shell.user_ns_hidden.update(ours)  # hidden from %who
    names.update(ours, **kept)
    for name, function in load("leave").EXITS.items():
        if names.get(name) is shell.exiter:  # IPython hides the builtins while a magic runs
            names[name] = shell.user_ns_hidden[name] = function
    shells = ZMQInteractiveShell
    for function in (Formatter.format, Publisher.publish, Publisher.clear_output, Hook.__call__, shells.system,
                     shells.getoutput, shells.pip, shells.run_cell, shells.run_cell_magic, shells.ask_yes_no):
        runner.gate.open.add(function.__code__)
    builtins.get_ipython = shell.get_ipython
    return shell
