"""exit and quit, which end the process; how a program ended itself; and the end of the
process when its child processes are waited for."""
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
inbox = None  # set when the process stays at its end


@atexit.register  # registered first, so called last
def stay():
    """Report that the program has ended, and wait until the runtime closes its end: the
    child processes end with this one."""
    if channel is None or channel.forked:
        return
    channel.flush_at_once()
    if inbox is not None:
        channel.pipes.renew()  # the used pipes end when the other processes end
        channel.emit({"kind": "ending"})
        while inbox.read() is not None:
            pass
    import warnings

    warnings.simplefilter("ignore")  # late warnings belong to no cell


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
    """Return whether an error is a program's request to end with success."""
    return isinstance(error, SystemExit) and (
        error.code is None or isinstance(error.code, int) and error.code == 0)


def how(error):
    """Return how a program ended itself: not at all, with its variables kept, or with
    them lost."""
    if not is_good(error):
        return ""
    return "gone" if getattr(error, "ends_process", False) else "kept"
