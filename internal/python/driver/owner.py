"""The run that output belongs to: the one that started the producer of it.

The run is in a context variable. A cell sets it to its own run, the tasks of a loop
inherit it with their context, and this module passes it on to threads, to the work of
executors, and to callbacks. Output without a run belongs to the current one, or else to
the last.
"""
import _contextvars
import _signal
import _thread
import sys

current = _contextvars.ContextVar("quire.run", default=None)
channel = gate = None  # set by install


def now():
    """Return the run that output of the caller belongs to."""
    run = current.get()
    return channel.latest if run is None else run


def foreign():
    """Return that run if it is not the current one, else None."""
    run = current.get()
    if run is None:
        run = channel.run or channel.latest
    return None if run == channel.run else run


class Called:
    """A callback of the program, for the run that registered it."""

    __slots__ = ("function", "run", "__weakref__")

    def __init__(self, function):
        self.function, self.run = function, now()

    def __call__(self, *args, **options):
        before = current.set(self.run)
        try:
            return self.function(*args, **options)
        finally:
            current.reset(before)

    def __eq__(self, other):
        return self.function == (other.function if isinstance(other, Called) else other)

    def __hash__(self):
        return hash(self.function)

    def __repr__(self):
        return repr(self.function)


class Started(Called):
    """The function that a new thread calls first."""

    __slots__ = ()

    def __call__(self, *args, **options):
        current.set(self.run)
        return self.function(*args, **options)


def original(handler):
    return handler.function if isinstance(handler, Called) else handler


def install(its_channel, its_gate):
    global channel, gate
    channel, gate = its_channel, its_gate
    gate.through |= {Called.__call__.__code__, Started.__call__.__code__}
    own_threads()
    own_signals()
    own_exits()


def named_as(function, other):
    function.__name__ = function.__qualname__ = other.__name__
    function.__doc__ = other.__doc__
    gate.through.add(function.__code__)
    return function


def own_threads():
    def starting(start):
        def start_thread(function, *args, **options):
            return start(Started(function) if callable(function) else function, *args, **options)

        return named_as(start_thread, start)

    threading = sys.modules.get("threading")  # imported by something in site
    for name in ("start_new_thread", "start_new", "start_joinable_thread"):
        start = getattr(_thread, name, None)
        if start is not None:
            owned = starting(start)
            setattr(_thread, name, owned)
            if hasattr(threading, "_" + name):
                setattr(threading, "_" + name, owned)


def own_signals():
    set_handler, get_handler = _signal.signal, _signal.getsignal

    def signal(signalnum, handler, /):
        ours = getattr(handler, "__self__", None) is gate or handler is _signal.default_int_handler
        if callable(handler) and not ours and not isinstance(handler, Called):
            handler = Called(handler)
        return original(set_handler(signalnum, handler))

    def getsignal(signalnum, /):
        return original(get_handler(signalnum))

    _signal.signal, _signal.getsignal = named_as(signal, set_handler), named_as(getsignal, get_handler)
    module = sys.modules.get("signal")
    if module is not None and getattr(module, "getsignal", None) is get_handler:
        module.getsignal = _signal.getsignal


def own_exits():
    import atexit

    register = atexit.register

    def registered(func, /, *args, **options):
        register(Called(func) if callable(func) else func, *args, **options)
        return func

    atexit.register = named_as(registered, register)


def around_weakref(module):
    """Pass the run on to the callbacks of weakref.finalize."""
    begin = module.finalize.__init__

    def __init__(self, obj, func, /, *args, **options):
        begin(self, obj, Called(func) if callable(func) else func, *args, **options)

    def given(method):
        def call(self):
            found = method(self)
            return found and (found[0], original(found[1]), *found[2:])

        return named_as(call, method)

    module.finalize.__init__ = named_as(__init__, begin)
    module.finalize.peek, module.finalize.detach = given(module.finalize.peek), given(module.finalize.detach)


def around_executor(module):
    """Pass the run on from the submitter of work to the thread that executes it."""
    item = module._WorkItem
    begin, do = item.__init__, item.run

    def __init__(self, *args, **options):
        begin(self, *args, **options)
        self.quire = now()

    def run(self, *args):
        before = current.set(self.quire)
        try:
            return do(self, *args)
        finally:
            current.reset(before)

    item.__init__, item.run = named_as(__init__, begin), named_as(run, do)


def around_loop(module):
    """Assign an error that was never retrieved to its run: it is reported when its task is
    collected, in any run."""
    loop = module.BaseEventLoop
    create, report = loop.create_task, loop.call_exception_handler

    def create_task(self, *args, **options):
        task = create(self, *args, **options)
        try:
            task._quire = now()
        except AttributeError:
            pass  # a task type of the program
        return task

    def call_exception_handler(self, context):
        about = context.get("task") or context.get("future") or context.get("handle")
        run = getattr(about, "_quire", None)
        if run is None and getattr(about, "_context", None) is not None:
            run = about._context.get(current)
        before = current.set(now() if run is None else run)
        try:
            return report(self, context)
        finally:
            current.reset(before)

    loop.create_task = named_as(create_task, create)
    loop.call_exception_handler = named_as(call_exception_handler, report)


AROUND = {"weakref": around_weakref, "concurrent.futures.thread": around_executor, "asyncio.base_events": around_loop}
