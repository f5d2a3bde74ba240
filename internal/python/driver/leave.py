"""exit and quit, which end the process, how a program that ended was meant, and how the
process ends when others that it has started are waited for."""
import atexit
import builtins


class Exit:
    """Ends the program, and the process with its variables. A status that is not 0 is an
    error of the cell; True keeps the variables, as in Jupyter."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Use {self.name}() to end the program; its variables are gone then."

    def __call__(self, code=None, keep_kernel=False):
        keep = keep_kernel or code is True
        error = SystemExit(None if code is True else code)
        error.ends_process = not keep
        raise error


channel = None
inbox = None  # when the process is to stay at its end


@atexit.register  # the first, so that it is called as the last
def stay():
    """Say that the program has ended, and stay until the runtime closes its end: what it
    has started ends with the process."""
    if channel is None or channel.forked:
        return
    channel.flush_at_once()
    if inbox is not None:
        channel.pipes.renew()  # those that were used end when the others end
        channel.emit({"kind": "ending"})
        while inbox.read() is not None:
            pass
    import warnings

    warnings.simplefilter("ignore")  # what is found to be left is of no cell


def linger(its_inbox):
    global inbox
    inbox = its_inbox


EXITS = {name: Exit(name) for name in ("exit", "quit")}


def install(its_channel):
    global channel
    channel = its_channel
    for name, function in EXITS.items():
        setattr(builtins, name, function)


def is_good(error):
    """Say whether an error is the wish of a program to end, and all is well."""
    return isinstance(error, SystemExit) and (
        error.code is None or isinstance(error.code, int) and error.code == 0)


def how(error):
    """Return how a program ended itself: not at all, with its variables kept, or with
    them gone."""
    if not is_good(error):
        return ""
    return "gone" if getattr(error, "ends_process", False) else "kept"
