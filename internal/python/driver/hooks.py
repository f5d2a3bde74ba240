"""Where the driver reaches into Python: builtins, forks, imports."""
import builtins
import os
import sys

import _posixsubprocess
import _signal

display = load("display")

BACKEND = "quire_matplotlib"
SHOWN = ("display", "update_display", "publish_display_data", "clear_output", "DisplayHandle")


def install(channel, gate, runner):
    display.channel, display.gate, display.enter = channel, gate, runner.enter
    streams = load("channel")
    for function in (streams.Stream.write, streams.Stream.flush, streams.Buffer.write, display.display,
                     display.update_display, display.publish_display_data, display.clear_output):
        gate.open.add(function.__code__)
    for name in SHOWN[:2] + SHOWN[3:]:
        setattr(builtins, name, getattr(display, name))
    builtins.input = no_input
    flush_before_leaving(channel, runner.enter)
    watch_forks(channel, gate)
    sys.meta_path.insert(0, Finder(runner.enter))


def no_input(prompt="", /):
    """Stand in for input(): a cell cannot ask yet."""
    raise EOFError("input() is not available yet in this runtime")


def flush_before_leaving(channel, enter):
    """Make text that was printed come before what another process writes, and
    not be lost when this one ends or becomes another."""

    def flushing(function):
        def call(*args, **options):
            channel.give_way()
            return enter(function, *args, **options)

        call.__name__, call.__doc__ = function.__name__, function.__doc__
        return call

    for name in ("_exit", "abort", "execv", "execve", "posix_spawn", "posix_spawnp", "kill", "killpg"):
        if hasattr(os, name):
            setattr(os, name, flushing(getattr(os, name)))
    _posixsubprocess.fork_exec = flushing(_posixsubprocess.fork_exec)
    subprocess = sys.modules.get("subprocess")  # something in site imported it
    if hasattr(subprocess, "_fork_exec"):
        subprocess._fork_exec = _posixsubprocess.fork_exec
    os.system = system(enter)


def system(enter):
    spawn, wait, kill = os.posix_spawn, os.waitpid, os.killpg

    def system(command):
        """Run the command in a shell and return its wait status.

        Unlike C's system() this can be interrupted, and then so is the command,
        which is a group of its own for that.
        """
        command = os.fspath(command)
        shell = spawn("/bin/sh", ["sh", "-c", command], os.environ, setpgroup=0)
        try:
            return enter(wait, shell, 0)[1]
        except KeyboardInterrupt:
            kill(shell, _signal.SIGINT)
            enter(wait, shell, 0)
            raise

    return system


def watch_forks(channel, gate):
    def in_child():
        channel.after_fork_in_child()
        os.close(gate.fd)
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)

    os.register_at_fork(before=channel.before_fork, after_in_parent=channel.after_fork_in_parent,
                        after_in_child=in_child)


class Finder:
    """Sees the few imports that matter here; all others pass it by."""

    def __init__(self, enter):
        self.enter = enter
        self.after = {
            "IPython.core.display": self.take_over,  # up to IPython 7
            "IPython.core.display_functions": self.take_over,
        }

    def find_spec(self, name, path=None, target=None):
        if name in self.after or name == "matplotlib":
            return self.around(name, self.find_next(name, path, target))
        if name == "asyncio":
            return rejoin(name, self.find_next(name, path, target))
        if name in ("IPython", "IPython.display"):
            return self.find_next(name, path, target) or self.stand_in(name)
        if name == BACKEND:
            return self.made(name, load("figures").backend)
        return None

    def find_next(self, name, path, target):
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
        return None

    def around(self, name, spec):
        """Do something around the first execution of a module."""
        if spec is None or not hasattr(spec.loader, "exec_module"):
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            if name == "matplotlib":
                with_backend(lambda: self.enter(execute, module))
            else:
                self.enter(execute, module)
                self.after[name](module)

        spec.loader.exec_module = exec_module
        return spec

    def take_over(self, module):
        for name in SHOWN:
            if hasattr(module, name):
                setattr(module, name, getattr(display, name))

    def stand_in(self, name):
        if name == "IPython.display" and not getattr(sys.modules.get("IPython"), "_quire", False):
            return None
        return self.made(name, getattr(load("ipython"), name.rpartition(".")[2].lower() + "_module"))

    def made(self, name, fill):
        return type(sys.__spec__)(name, Loader(fill), is_package=name == "IPython")


class Loader:
    """Loads a module that a function fills in."""

    def __init__(self, fill):
        self.fill = fill

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        self.fill(module)


def rejoin(name, spec):
    """Let a package be imported whose first import was interrupted.

    Python then forgets the package and keeps the parts that were done, which the
    second import does not bind to it again; asyncio needs them bound. The driver
    itself imports it, so it would never await again. It is not executed by us:
    the interrupt of an import that the program began must still reach it.
    """
    parts = {part[len(name) + 1:]: module for part, module in sys.modules.items() if part.startswith(name + ".")}
    if not parts or spec is None or spec.loader is None:
        return spec

    def create_module(spec):
        module = type(sys)(spec.name)
        vars(module).update(parts)
        return module

    spec.loader.create_module = create_module
    return spec


def with_backend(execute):
    """Import matplotlib with our backend, unless the user chose another. The
    variable is taken back at once: subprocesses do not have our module."""
    if "MPLBACKEND" in os.environ:
        return execute()
    os.environ["MPLBACKEND"] = "module://" + BACKEND
    try:
        return execute()
    finally:
        os.environ.pop("MPLBACKEND", None)
