"""Hooks of the driver in Python: builtins, forks, crashes."""
import builtins
import faulthandler
import os
import sys

import _posixsubprocess
import _signal

display, finders = load("display"), load("finder")

SHOWN = ("display", "update_display", "clear_output", "DisplayHandle")


def install(channel, gate, runner):
    load("owner").install(channel, gate)
    display.channel, display.gate, display.enter, display.runner = channel, gate, runner.enter, runner
    streams = load("channel")
    for function in (streams.Stream.write, streams.Stream.flush, streams.Buffer.write, display.display,
                     display.update_display, display.publish_display_data, display.clear_output):
        gate.open.add(function.__code__)
    for name in SHOWN:
        setattr(builtins, name, getattr(display, name))
    load("leave").install(channel)
    sys.displayhook = runner.hook = displayhook(runner, gate)
    flush_before_leaving(channel, gate, runner.enter)
    watch_forks(channel, gate)
    faulthandler.enable(channel.streams[1].fd, all_threads=False)
    _signal.signal(_signal.SIGXCPU, gate.on_limit)
    _signal.signal(_signal.SIGWINCH, gate.on_nudge)
    finder = finders.Finder(runner)
    sys.meta_path.insert(0, finder)
    runner.finder = finder
    for name, around in load("owner").AROUND.items():
        if name in sys.modules:
            around(sys.modules[name])
    if finder.find_ipython() is not None:
        builtins.get_ipython = lazy_shell(runner, gate)


def displayhook(runner, gate):
    def displayhook(value, /):
        """Show a value as the result of the cell."""
        runner.show(value)
        gate.check()

    gate.open.add(displayhook.__code__)
    return displayhook


def lazy_shell(runner, gate):
    def get_ipython():
        """Return IPython's shell."""
        shell = runner.ipython()
        gate.check()
        return shell

    gate.open.add(get_ipython.__code__)
    return get_ipython


def flush_before_leaving(channel, gate, enter):
    """Flush text before another process writes, and before this one ends or executes
    another program."""

    def flushing(function, starts=None):
        def call(*args, **options):
            channel.give_way()
            ends = channel.pipes.before_start(starts is execute and load("pipes").is_helper(args[0])) if starts else None
            gate.leave()
            # An interrupt from here on is for the caller: the driver must not lose the process that
            # it has just started.
            if ends is None:
                return function(*args, **options)
            try:
                return starts(function, ends, args, options)
            finally:
                channel.pipes.started(ends)

        gate.through.add(call.__code__)
        call.__name__, call.__doc__ = function.__name__, function.__doc__
        return call

    for name in ("_exit", "abort", "execv", "execve", "posix_spawn", "posix_spawnp", "kill", "killpg"):
        if hasattr(os, name):
            setattr(os, name, flushing(getattr(os, name), spawn if name.startswith("posix") else None))
    _posixsubprocess.fork_exec = flushing(_posixsubprocess.fork_exec, execute)
    subprocess = sys.modules.get("subprocess")  # imported by something in site
    if hasattr(subprocess, "_fork_exec"):
        subprocess._fork_exec = _posixsubprocess.fork_exec
    os.system = system(enter)


def spawn(function, ends, args, options):
    return function(*args, **load("pipes").for_spawn(options, ends))


def execute(function, ends, args, options):
    return function(*load("pipes").for_exec(args, ends), **options)


def system(enter):
    spawn, wait, kill = os.posix_spawn, os.waitpid, os.killpg

    def system(command):
        """Run the command in a shell and return its wait status.

        Unlike C's system() this can be interrupted, together with the command, which
        has a process group of its own for that.
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
