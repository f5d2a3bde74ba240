"""Shell commands: !command, %%bash and %pip."""
import importlib.util
import os
import shlex
import shutil
import signal
import sys

installer = load("install")

NONE = ("false", "true", "nologin")  # shells of users that may not sign in


def users_shell():
    """Return the user's shell, chosen as in IPython, unless it forbids logins."""
    name = os.environ.get("SHELL", "")
    found = name and os.path.basename(name) not in NONE and shutil.which(name)
    return found or "/bin/sh"


def run(command, enter, shell=""):
    """Execute a command with the run's output. Return its status."""
    shell = shell or users_shell()
    if is_own(sys.stdout) and is_own(sys.stderr):
        return installer.execute([shell, "-c", command], enter)
    return follow([shell, "-c", command], sys.stdout.write, enter)


def is_own(stream):
    return isinstance(stream, load("channel").Stream)


def follow(command, write, enter):
    """Execute a command and write its output to a stream of the program."""
    out, end = os.pipe()
    try:
        actions = [(os.POSIX_SPAWN_DUP2, end, 1), (os.POSIX_SPAWN_DUP2, end, 2)]
        child = os.posix_spawnp(command[0], command, os.environ, file_actions=actions, setpgroup=0)
    except BaseException:
        os.close(out)
        raise
    finally:
        os.close(end)
    try:
        with open(out, encoding="utf-8", errors="replace") as lines:
            for line in iter(lambda: enter(lines.readline), ""):
                enter(write, line)
    except BaseException:
        os.killpg(child, signal.SIGINT)
        raise
    finally:
        status = enter(os.waitpid, child, 0)[1]
    return os.waitstatus_to_exitcode(status)


def lines_of(command, enter):
    """Execute a command and return its output as lines."""
    written = []
    follow([users_shell(), "-c", command], written.append, enter)
    return Lines("".join(written).splitlines())


class Lines(list):
    """The lines of a command; joined to one text they are s or, with line ends, n."""

    @property
    def n(self):
        return "\n".join(self)

    @property
    def s(self):
        return " ".join(self)

    @property
    def l(self):  # IPython's name for it
        return self


class InstallError(RuntimeError):
    """An installer has failed. Its name is a code for the runtime."""

    __module__ = "builtins"


def pip(line, enter):
    """Run pip for this interpreter."""
    words = shlex.split(line)
    if importlib.util.find_spec("pip") is not None:
        command = [sys.executable, "-c", installer.PIP, "--no-input", "--disable-pip-version-check", *words]
    else:
        command = ["uv", "pip", *words, "--python", sys.executable]
    try:
        status = installer.execute(command, enter)
    except FileNotFoundError:
        raise RuntimeError(f"{sys.executable} has no pip, and there is no uv; "
                           f"`{sys.executable} -m ensurepip` may add pip") from None
    load("display").runner.finder.forget_stand_ins()
    installer.refresh()
    if status:
        raise InstallError(f"pip ended with status {status}")
