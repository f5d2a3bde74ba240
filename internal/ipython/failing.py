"""Makes IPython's magics that print an error and return fail, as other code of a cell
does. Their work is unchanged."""
import importlib
import sys

from IPython.core.error import StdinNotImplementedError, UsageError

MODULES = ("auto", "basic", "code", "config", "display", "execution", "extension", "history", "logging",
           "namespace", "osm", "packaging", "pylab", "script")
WARN = ("basic", "config", "execution", "logging")  # modules that warn of work they have not done
INSTALLERS = ("pip", "conda", "mamba", "micromamba", "uv")


def install(shell):
    for name in MODULES:
        try:
            module = importlib.import_module("IPython.core.magics." + name)
        except ImportError:
            continue  # this version of IPython does not have it
        module.print = printing(module)
        for word in ("error", "warn") if name in WARN else ("error",):
            if hasattr(module, word):
                setattr(module, word, refuse)
    lines = shell.magics_manager.magics["line"]
    for name in INSTALLERS:
        if name in lines:
            shell.register_magic_function(installing(shell, name, lines[name]), "line", name)
    extensions(shell)


def printing(module):
    """Return a print for a module that raises the error which one of its functions has
    caught and prints."""
    place = vars(module)

    def say(*values, **options):
        error = sys.exc_info()[1]
        # It was caught in this module. An error that the program handles meanwhile is caught
        # elsewhere.
        if error is not None and error.__traceback__ is not None and error.__traceback__.tb_frame.f_globals is place:
            if isinstance(error, StdinNotImplementedError):
                refuse(" ".join(map(str, values)))  # names the option to use instead of the question
            raise error
        print(*values, **options)

    return say


def refuse(message, *args, **options):
    raise UsageError(str(message) % args if args and isinstance(args[0], (str, int)) else str(message))


class InstallError(RuntimeError):
    """An installer has failed. Its name is a code for the runtime."""

    __module__ = "builtins"


def installing(shell, name, magic):
    """Return a magic that fails when its command does."""

    def install(line):
        shell.user_ns["_exit_code"] = 0
        result = magic(line)
        status = shell.user_ns.get("_exit_code")
        if status:
            raise InstallError(f"%{name} ended with status {status}")
        return result

    install.__doc__ = magic.__doc__
    return install


def extensions(shell):
    manager = shell.extension_manager
    for name, function, failures in (
        ("load_ext", "load_extension", ("no load function",)),
        ("unload_ext", "unload_extension", ("no unload function", "not loaded")),
        ("reload_ext", "reload_extension", ("no load function",)),
    ):
        shell.register_magic_function(extending(manager, name, function, failures), "line", name)


def extending(manager, name, function, failures):
    def extend(line):
        module = line.strip()
        if not module:
            raise UsageError("Missing module name.")
        result = getattr(manager, function)(module)
        if result in failures:
            raise UsageError(f"%{name} {module}: {result}")
        if result == "already loaded":
            print(f"The {module} extension is already loaded. To reload it, use:\n  %reload_ext {module}")

    return extend
