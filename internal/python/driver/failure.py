"""An exception in the form of lang.Error."""
import errno
import linecache
import os
import re
import sys
import traceback

CELL, DRIVER, GAP = "<cell ", "<quire ", "<gap "
LONGEST = 1 << 14  # characters of a message, and of a line of the trace
MOST = 24  # places of a trace; repeated ones count as one

RED, GREEN, BLUE, END = "\x1b[31m", "\x1b[32m", "\x1b[34m", "\x1b[0m"
FRAME = re.compile(r'^([ |]*)File "(.*)", line (\d+)(?:, in (.*))?$')
CARETS = re.compile(r"^([ |]*)([~^]+)$")
LAST = re.compile(r"^([ |]*)([^\W\d][\w.]*(?::.*)?)$", re.S)


def describe(error, filename, enter, changed=(), at=0):
    """Return the error as a dict. Columns in `changed` lines are wrong; `at` is
    the line of a magic that caught it."""
    name = type(error).__name__
    line, column = place(error, filename)
    at, line = (0, line) if line else (at, at)
    if plain(error):
        enter = call  # a late interrupt then has no effect
    # An interrupt here is for a __str__ of the program, which is then not called again.
    message, trace = f"<no message: {name}.__str__ failed>", [f"{name}: <no trace>"]
    try:
        message = shorten(text(error, enter))
        trace = enter(lines, error, filename, changed, at)
    except BaseException:
        pass
    lacks = ""
    try:
        lacks = lack(error)
    except Exception:
        pass  # attributes of the error are not what they are elsewhere
    if isinstance(error, SystemExit):
        line, column, trace = 0, 0, []  # a normal exit needs no trace
    return {"name": name, "message": message, "line": line,
            "column": 0 if line in changed else column, "trace": trace, "lack": lacks}


# What a program lacks by the number of an OSError. The negative ones are those of getaddrinfo.
LACKS = {errno.EFBIG: "file-size", errno.EMFILE: "files", errno.ENOMEM: "memory"}
OFFLINE = (errno.ENETUNREACH, -2, -3)


def lack(error):
    """Return the code of what the program could not have, "" if no type or number tells. It runs
    no code of the program."""
    if issubclass(type(error), MemoryError):
        return "memory"
    number = number_of(error)
    if number == errno.EAGAIN and issubclass(type(error), BlockingIOError):
        return "processes"
    if number in LACKS:
        return LACKS[number]
    return "network" if any(number_of(cause) in OFFLINE for cause in causes(error)) else ""


def number_of(error):
    number = OSError.errno.__get__(error) if issubclass(type(error), OSError) else None
    return number if type(number) is int else None


def causes(error):
    """Return the error and those that it was raised from or carries, as of a library for HTTP."""
    found = [error]
    for one in found:  # it grows meanwhile
        reason = dict.get(BaseException.__dict__["__dict__"].__get__(one), "reason")
        for other in (BaseException.__cause__.__get__(one), reason, *BaseException.args.__get__(one)):
            known = not issubclass(type(other), BaseException) or any(other is earlier for earlier in found)
            if not known and len(found) < MOST:
                found.append(other)
    return found


def inside(error):
    """Return whether an error was raised in the execution of a cell."""
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename.startswith(CELL):
            return True
        step = step.tb_next
    return False


def plain(error):
    """Return whether the error can be described without code of the program."""
    return (type(error).__module__ == "builtins" and error.__cause__ is None and error.__context__ is None
            and (isinstance(error, SyntaxError) or all(type(arg) in (str, int) for arg in error.args)))


def call(function, *args):
    return function(*args)


def text(error, enter):
    if isinstance(error, SyntaxError) and isinstance(error.msg, str):
        return error.msg
    try:
        return enter(str, error)
    except Exception:
        return f"<no message: {type(error).__name__}.__str__ failed>"


def shorten(text):
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]} … {len(text) - LONGEST:,} characters not shown … {text[-half:]}"


def lines(error, filename="", changed=(), at=0):
    """Return the lines that Python would print, in colours, and without frames of
    the driver."""
    report = traceback.TracebackException(type(error), error, error.__traceback__)
    trim(report, filename, changed, set())
    # Frames before the cell are the way to it, such as the event loop.
    for index, frame in enumerate(report.stack):
        if frame.filename.startswith(CELL):
            del report.stack[:index]
            break
    if at:
        report.stack.insert(0, traceback.FrameSummary(filename, at, "<module>"))
    header = bool(report.stack)
    found = [line for part in report.format() for line in part.rstrip("\n").split("\n")]
    if not header and found and found[0].startswith("Traceback"):
        del found[0]
    return paint(found)


def trim(report, filename, changed, seen):
    """Remove frames outside the program, in the causes too."""
    if report is None or id(report) in seen:
        return
    seen.add(id(report))
    if report.stack is not None:
        kept = [frame for frame in report.stack if not is_ours(frame.filename)]
        for frame in kept:
            if frame.filename == filename and frame.lineno in changed and hasattr(frame, "colno"):
                frame.colno = frame.end_colno = None  # they are those of the translated line
        report.stack[:] = shorten_stack(kept)
    trim(report.__cause__, filename, changed, seen)
    trim(report.__context__, filename, changed, seen)
    for part in getattr(report, "exceptions", None) or ():
        trim(part, filename, changed, seen)


def is_ours(filename):
    """Return whether a frame is of the driver, or of the execution of magics."""
    if filename.startswith((DRIVER, "<decorator-gen-", "<magic-timeit>")):
        return True
    ipython = getattr(sys.modules.get("IPython"), "__file__", None)
    return ipython is not None and filename.startswith(os.path.dirname(ipython) + os.sep)


def shorten_stack(frames):
    """Omit the middle of a deep stack. Python itself omits only repeated places, so
    repeated ones count once here."""
    starts = [i for i, frame in enumerate(frames) if i == 0 or where(frame) != where(frames[i - 1])]
    if len(starts) <= MOST:
        return frames
    first, last = starts[MOST // 2], starts[-MOST // 2]
    gap = traceback.FrameSummary(f"{GAP}{last - first}>", 0, "", lookup_line=False, line="")
    return [*frames[:first], gap, *frames[last:]]


def where(frame):
    return frame.filename, frame.lineno, frame.name


def paint(found):
    """Colour the lines, name cells by their numbers, and cut long lines."""
    painted, after = [], False  # the lines of frames, and those of the error
    for line in found:
        line = shorten(line)
        frame, carets, last = FRAME.match(line), CARETS.match(line), LAST.match(line)
        if frame:
            after, line = True, frame[1] + place_of(*frame.groups()[1:])
        elif carets:
            line = carets[1] + RED + carets[2] + END
        elif last and after and not last[1].startswith("    "):
            after, line = False, last[1] + RED + last[2] + END
        painted.append(line)
    return painted


def place_of(filename, line, function):
    if filename.startswith(GAP):
        return f"… {int(filename[len(GAP):-1]):,} frames not shown …"
    inside = "" if function in (None, "<module>") else f", in {function}"
    if filename.startswith(CELL):
        return f"{GREEN}Cell In[{filename[len(CELL):-1]}], line {line}{END}{inside}"
    return f'{BLUE}File "{filename}", line {line}{END}{inside}'


def place(error, filename):
    """Return line and column of the deepest frame in this cell."""
    if isinstance(error, SyntaxError) and error.filename == filename:
        line, column = error.lineno or 0, error.offset or 0
        return line, units(filename, line, column - 1) if column > 0 else 0
    found = None
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == filename:
            found = step
        step = step.tb_next
    if found is None:
        return 0, 0
    return found.tb_lineno, position(found, filename)


def position(step, filename):
    positions = getattr(step.tb_frame.f_code, "co_positions", None)  # from 3.11 on
    if positions is None or step.tb_lasti < 0:
        return 0
    for index, place in enumerate(positions()):
        if index == step.tb_lasti // 2:
            line, _, start, _ = place
            if line != step.tb_lineno or start is None:
                return 0
            source = linecache.getline(filename, line)
            return units(filename, line, len(source.encode()[:start].decode("utf-8", "ignore")))
    return 0


def units(filename, line, characters):
    """Convert a number of characters before a place to its column, from 1, in UTF-16 units."""
    source = linecache.getline(filename, line)
    return len(source[:characters].encode("utf-16-le", "surrogatepass")) // 2 + 1
