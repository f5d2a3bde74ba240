"""Installs packages into the interpreter that runs us, with pip or with uv."""
import importlib.util
import os
import signal
import site
import sys

# pip without the first entry in the path of `python -m pip`: the folder of the notebook, whose
# files are not for pip.
PIP = "import sys; sys.path[:1] = []; import runpy; runpy.run_module('pip', None, '__main__', True)"


def install(packages, enter):
    """Install, and return the installer and its exit status. Its output goes to
    descriptors 1 and 2, as for any subprocess."""
    for name, command in installers():
        try:
            status = execute([*command, *packages], enter)
        except FileNotFoundError:
            continue
        refresh()
        return {"with": name, "status": status}
    raise RuntimeError(
        f"{sys.executable} has no pip, and there is no uv; `{sys.executable} -m ensurepip` may add pip")


def installers():
    if importlib.util.find_spec("pip") is not None:
        yield "pip", [sys.executable, "-c", PIP, "install", "--no-input", "--disable-pip-version-check"]
    yield "uv pip", ["uv", "pip", "install", "--python", sys.executable]


def execute(command, enter):
    """Run a command in a process group; each further interrupt uses a stronger signal."""
    child = os.posix_spawnp(command[0], command, os.environ, setpgroup=0)
    signals = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
    interrupt = None
    while True:
        try:
            status = enter(os.waitpid, child, 0)[1]
            break
        except KeyboardInterrupt as error:
            interrupt = error
            os.killpg(child, signals.pop() if len(signals) > 1 else signals[0])
    if interrupt is not None:
        raise interrupt
    return os.waitstatus_to_exitcode(status)


def refresh():
    """Make new packages importable."""
    importlib.invalidate_caches()
    if site.ENABLE_USER_SITE:  # its folder may be new too
        site.addusersitepackages({os.path.normcase(path) for path in sys.path})
