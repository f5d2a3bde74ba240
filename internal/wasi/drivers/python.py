"""The driver of CPython as WebAssembly: it executes the runs that come as lines of JSON, one after another, until there are no more.

It is a script of its own module, whose names no program sees: programs have a module __main__ of theirs. The host has the two
channels as files, and takes what is written to the descriptors 1 and 2 in order with what is written to them.
"""

import ast
import builtins
import errno
import io
import json
import linecache
import os
import sys
import time
import traceback
import types

requests = open("/quire/requests", "rb")
messages = open("/quire/messages", "wb", buffering=0)
main = types.ModuleType("__main__")
counter = 0  # of displays with ids
asked = 0


def send(kind, **fields):
    """Send a message to the host, which takes it after what was printed before."""
    fields["type"] = kind
    messages.write(json.dumps(fields, separators=(",", ":")).encode("utf-8", "replace") + b"\n")


def receive():
    """Wait for the next message of the host; None if there are no more."""
    line = requests.readline()
    return json.loads(line) if line else None


def wait():
    """Wait for the host to answer; its answer may be that the program is interrupted."""
    message = receive()
    if message is None:
        os._exit(0)
    if message.get("type") == "interrupt":
        raise KeyboardInterrupt
    return message


# What programs ask people.


def ask(prompt, secret=False):
    global asked
    asked += 1
    send("ask", id=asked, prompt=prompt, secret=secret)
    while True:
        answer = wait()
        if answer.get("type") == "answer" and answer.get("id") == asked:
            if answer.get("end"):
                raise EOFError(answer.get("why") or "EOF when reading a line")
            return answer.get("text", "")


def ask_line(prompt="", /):
    return ask(str(prompt))


class Answers(io.TextIOBase):
    """The standard input: each line is the answer to a question."""

    encoding = "utf-8"

    def readable(self):
        return True

    def readline(self, size=-1):
        try:
            line = ask("") + "\n"
        except EOFError:
            return ""
        return line if size is None or size < 0 else line[:size]

    def read(self, size=-1):
        lines = []
        while line := self.readline():
            lines.append(line)
            if size is not None and 0 <= size <= sum(map(len, lines)):
                break
        text = "".join(lines)
        return text if size is None or size < 0 else text[:size]


def password(prompt="Password: ", stream=None):
    return ask(prompt, secret=True)


def make_getpass():
    module = types.ModuleType("getpass", "The module getpass, whose questions go to the users of the notebook.")
    module.getpass = password
    module.getuser = lambda: "quire"
    module.GetPassWarning = type("GetPassWarning", (UserWarning,), {})
    sys.modules["getpass"] = module


def sleep(seconds, /):
    """Wait. That of this build ends with an error, as its select() reaches no host."""
    if isinstance(seconds, (int, float)) or hasattr(seconds, "__index__") or hasattr(seconds, "__float__"):
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        send("sleep", seconds=float(seconds))
        wait()
        return
    raise TypeError(f"'{type(seconds).__name__}' object cannot be interpreted as an integer")


# Event loops, which wait by sleeping: no file and no socket can wake one.


class Selector:
    def select(self, timeout=None):
        if timeout is None:
            raise RuntimeError("the event loop waits for ever: no task can be woken without sockets and threads")
        if timeout > 0:
            sleep(timeout)
        return []

    def close(self):
        pass


def prepare_asyncio(module):
    class Loop(module.base_events.BaseEventLoop):
        def __init__(self):
            super().__init__()
            self._selector = Selector()

        def _process_events(self, events):
            pass

        def _write_to_self(self):
            pass

    class Policy(module.events.BaseDefaultEventLoopPolicy):
        _loop_factory = Loop

    module.set_event_loop_policy(Policy())


class AsyncioFinder:
    """Prepares asyncio when a program imports it."""

    def find_spec(self, name, path=None, target=None):
        if name != "asyncio":
            return None
        import importlib.util

        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        class Loader:
            create_module = staticmethod(spec.loader.create_module)

            @staticmethod
            def exec_module(module):
                load(module)
                prepare_asyncio(module)

        spec.loader = Loader()
        return spec


loop = None


def run_coroutine(coroutine):
    global loop
    import asyncio

    if loop is None:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
    return loop.run_until_complete(coroutine)


# Changes of files. Outside of the folder of the notebook this build does not refuse some of them, but ends.


def only_in_notebook(name):
    function = getattr(os, name)

    def changing(*paths, **options):
        for path in paths:
            if isinstance(path, (str, bytes, os.PathLike)):
                whole = os.path.abspath(os.fsdecode(path))
                if whole != "/notebook" and not whole.startswith("/notebook/"):
                    raise OSError(errno.EROFS, os.strerror(errno.EROFS), os.fspath(path))
        return function(*paths, **options)

    changing.__name__ = changing.__qualname__ = name
    changing.__doc__ = function.__doc__
    setattr(os, name, changing)


# What programs show.

REPRESENTATIONS = (
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_latex_", "text/latex"),
    ("_repr_json_", "application/json"),
    ("_repr_javascript_", "application/javascript"),
)


def encode(mime, value):
    if isinstance(value, (bytes, bytearray)):
        import base64

        return base64.b64encode(value).decode()
    return value


def represent(value):
    """Return the bundle and the metadata of a value."""
    data, metadata = {}, {}
    if not isinstance(value, type):
        whole = getattr(value, "_repr_mimebundle_", None)
        found = whole() if callable(whole) else None
        if isinstance(found, tuple) and len(found) == 2:
            found, metadata = found
        if isinstance(found, dict):
            data.update({mime: encode(mime, part) for mime, part in found.items() if part is not None})
        for name, mime in REPRESENTATIONS:
            if mime in data or not callable(method := getattr(value, name, None)):
                continue
            part = method()
            if isinstance(part, tuple) and len(part) == 2:
                part, metadata[mime] = part
            if part is not None:
                data[mime] = encode(mime, part)
    if "text/plain" not in data:
        data["text/plain"] = repr(value)
    return data, metadata


class DisplayHandle:
    """What was shown under an id, to update."""

    def __init__(self, display_id):
        self.display_id = display_id

    def display(self, value, **options):
        display(value, display_id=self.display_id, **options)

    def update(self, value, **options):
        display(value, display_id=self.display_id, update=True, **options)


def display(*values, raw=False, display_id=None, update=False, metadata=None, **_):
    """Show values below the cell."""
    global counter
    if display_id is True:
        counter += 1
        display_id = f"display-{counter}"
    for value in values:
        data, extra = (value, {}) if raw else represent(value)
        if raw and not isinstance(value, dict):
            raise TypeError("display(raw=True) needs a dict of media types")
        message = {"data": {mime: encode(mime, part) for mime, part in data.items()}, "metadata": {**extra, **(metadata or {})}}
        if display_id:
            message["id"] = str(display_id)
        send("update" if update else "display", **message)
    return DisplayHandle(str(display_id)) if display_id and not update else None


def clear_output(wait=False):
    """Remove the outputs of the run, at once or before the next one."""
    send("clear", wait=bool(wait))


# Errors.


def utf16(text):
    return len(text.encode("utf-16-le", "replace")) // 2


def column_in(line, characters):
    """Return the column, from 1 in UTF-16 units, behind so many characters."""
    return utf16(line[:characters]) + 1 if line else 0


def locate(error, tb, name, source):
    lines = source.split("\n")
    if isinstance(error, SyntaxError) and error.filename == name:
        number = error.lineno or 0
        line = lines[number - 1] if 0 < number <= len(lines) else ""
        return number, column_in(line, max((error.offset or 1) - 1, 0))
    where = (0, 0)
    for frame in tb:
        if frame.filename == name:
            line = lines[frame.lineno - 1] if 0 < frame.lineno <= len(lines) else ""
            characters = len(line.encode("utf-8", "replace")[: frame.colno or 0].decode("utf-8", "ignore"))
            where = frame.lineno, column_in(line, characters)
    return where


def without_driver(found):
    """Remove the frames of the driver, in each error of the chain."""
    seen = set()
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        found.stack[:] = [frame for frame in found.stack if not is_driver(frame)]
        for inner in getattr(found, "exceptions", None) or ():
            without_driver(inner)
        if found.__context__ is not None and found.__cause__ is not None:
            without_driver(found.__context__)
        found = found.__cause__ or found.__context__


def is_driver(frame):
    return frame.filename == "/quire/driver" or frame.name == "parse" and frame.filename.endswith("Lib/ast.py")


def describe(error, name, source):
    if isinstance(error, MemoryError):
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
    found = traceback.TracebackException(type(error), error, error.__traceback__, compact=True)
    stack = [frame for frame in found.stack if frame.filename != "/quire/driver"]
    line, column = locate(error, stack, name, source)
    without_driver(found)
    kind = type(error)
    message = error.msg if isinstance(error, SyntaxError) else str_of(error)
    fields = {"name": kind.__name__, "message": message or "", "trace": "".join(found.format()).rstrip("\n").split("\n")}
    if line:
        fields["line"] = line
        fields["column"] = column
    if isinstance(error, MemoryError):
        fields["cause"] = "limit"
    if isinstance(error, KeyboardInterrupt):
        fields["cause"] = "interrupted"
    return fields


def str_of(error):
    try:
        return str(error)
    except Exception:
        return "<exception str() failed>"


# Runs.


def execute(source, name):
    tree = ast.parse(source, name)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
        last = ast.Expression(tree.body.pop().value)
    if tree.body:
        evaluate(tree, name, "exec")
    if last is not None:
        value = evaluate(last, name, "eval")
        if value is not None:
            main.__dict__["_"] = value
            data, metadata = represent(value)
            send("result", data=data, metadata=metadata)


def evaluate(tree, name, mode):
    code = compile(tree, name, mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    value = eval(code, main.__dict__)
    if code.co_flags & 0x80:  # it awaits
        return run_coroutine(value)
    return value


def run(request):
    source, name = request["source"], request.get("name") or "cell"
    lines = [line + "\n" for line in source.split("\n")]
    linecache.cache[name] = (len(source), None, lines, name)
    done = {"run": request["run"]}
    try:
        execute(source, name)
    except SystemExit as error:
        if error.code is None or error.code == 0:
            done["exit"] = "kept"
        else:
            done["error"] = describe(error, name, source)
    except BaseException as error:
        done["error"] = describe(error, name, source)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    send("done", **done)


# Questions of the host about the program.


def complete(source, cursor):
    import keyword
    import re

    before = source.encode("utf-16-le")[: 2 * cursor].decode("utf-16-le", "ignore")
    found = re.search(r"(?:[^\W\d]\w*\.)*(?:[^\W\d]\w*)?$", before)
    owner, _, start = found.group().rpartition(".")
    if owner:
        value = main.__dict__.get(owner.split(".")[0], getattr(builtins, owner.split(".")[0], None))
        for part in owner.split(".")[1:]:
            value = getattr(value, part, None)
        names = {name: kind_of(getattr(value, name, None)) for name in dir(value)} if value is not None else {}
    else:
        names = {word: "keyword" for word in keyword.kwlist}
        names.update({name: kind_of(value) for name, value in {**builtins.__dict__, **main.__dict__}.items()})
    items = [
        {"text": name, "kind": kind}
        for name, kind in sorted(names.items())
        if name.startswith(start) and (start.startswith("_") or not name.startswith("_"))
    ]
    end = utf16(before)
    return {"start": end - utf16(start), "end": end, "items": items[:1000]}


def kind_of(value):
    if isinstance(value, type):
        return "class"
    if isinstance(value, types.ModuleType):
        return "module"
    return "function" if callable(value) else "variable"


def look_up(source, cursor):
    import inspect
    import re

    units = source.encode("utf-16-le")
    before, after = (part.decode("utf-16-le", "ignore") for part in (units[: 2 * cursor], units[2 * cursor :]))
    depth = 0
    for at in range(len(before) - 1, -1, -1):  # the call whose arguments the cursor is in
        depth += {")": 1, "(": -1}.get(before[at], 0)
        if depth < 0 and not re.search(r"\w$", before):
            before, after = before[:at], ""
            break
    path = (re.search(r"[\w.]*$", before).group() + re.match(r"\w*", after).group()).strip(".")
    if not path:
        return {"found": False}
    first, *rest = path.split(".")
    if first not in main.__dict__ and not hasattr(builtins, first):
        return {"found": False}
    value = main.__dict__.get(first, getattr(builtins, first, None))
    for part in rest:
        if not hasattr(value, part):
            return {"found": False}
        value = getattr(value, part)
    try:
        signature = path + str(inspect.signature(value)) if callable(value) else ""
    except (TypeError, ValueError):
        signature = ""
    text = inspect.getdoc(value) if callable(value) or isinstance(value, types.ModuleType) else None
    parts = [part for part in (signature, text) if part] or [f"{path}: {type(value).__name__} = {preview(value)}"]
    return {"found": True, "signature": signature, "data": {"text/plain": "\n\n".join(parts)}}


def preview(value):
    try:
        text = repr(value)
    except Exception as error:
        return f"<{type(error).__name__}>"
    return text if len(text) <= 200 else text[:199] + "…"


def variables():
    found = []
    for name, value in sorted(main.__dict__.items()):
        if name.startswith("_") or isinstance(value, (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)):
            continue
        entry = {"name": name, "type": type(value).__name__, "preview": preview(value)}
        if isinstance(value, (list, tuple, dict, set, frozenset, str, bytes)):
            entry["shape"] = str(len(value))
        entry["size"] = sys.getsizeof(value)
        found.append(entry)
    return found


def begin():
    main.__dict__.clear()
    main.__dict__.update(__name__="__main__", __builtins__=builtins, __doc__=None)


def answer(request):
    method = request.get("method")
    try:
        match method:
            case "complete":
                value = complete(request.get("source", ""), request.get("cursor", 0))
            case "inspect":
                value = look_up(request.get("source", ""), request.get("cursor", 0))
            case "variables":
                value = variables()
            case "reset":
                value = begin()
            case "get":
                if request["name"] not in main.__dict__:
                    raise NameError(f"name {request['name']!r} is not defined")
                value = main.__dict__[request["name"]]
                json.dumps(value)
            case "set":
                value = main.__dict__.__setitem__(request["name"], request.get("value"))
            case _:
                raise NotImplementedError(f"there is no method {method}")
    except BaseException as error:
        send("reply", id=request.get("id"), error={"name": type(error).__name__, "message": str_of(error)})
    else:
        send("reply", id=request.get("id"), value=value)


def prepare():
    sys.modules["__main__"] = main
    sys.modules["getpass"] = None
    make_getpass()
    begin()
    builtins.input = ask_line
    builtins.display, builtins.clear_output = display, clear_output
    for name in ("rename", "replace", "remove", "unlink", "symlink", "link"):
        only_in_notebook(name)
    sys.stdin = sys.__stdin__ = Answers()
    time.sleep = sleep
    sys.meta_path.insert(0, AsyncioFinder())
    os.environ.clear()
    sys.argv = [""]
    sys.path.insert(0, "")
    if os.path.isdir("/notebook"):
        os.chdir("/notebook")


prepare()
send("ready", version=sys.version.split()[0])
while (request := receive()) is not None:
    if request.get("type") == "run":
        run(request)
    elif request.get("type") == "call":
        answer(request)
