"""An exception as the one shape of errors."""
import linecache
import traceback

CELL, DRIVER = "<cell ", "<quire "


def describe(error, filename, enter):
    name = type(error).__name__
    line, column = place(error, filename)
    if plain(error):
        enter = call  # so that an interrupt that came too late spoils nothing
    # An interrupt here is for a __str__ of the program, which is then not called
    # again.
    message, trace = f"<no message: {name}.__str__ failed>", [f"{name}: <no trace>"]
    try:
        message = text(error, enter)
        trace = enter(lines, error)
    except BaseException:
        pass
    if isinstance(error, SystemExit):
        line, column, trace = 0, 0, []  # a wish, which needs no explanation
    return {"name": name, "message": message, "line": line, "column": column, "trace": trace}


def plain(error):
    """Say whether no code of the program is needed to describe the error."""
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


def lines(error):
    report = traceback.TracebackException(type(error), error, error.__traceback__)
    strip(report, set())
    # What comes before the cell is how we got there, such as the event loop.
    for index, frame in enumerate(report.stack):
        if frame.filename.startswith(CELL):
            del report.stack[:index]
            break
    return "".join(report.format()).rstrip("\n").split("\n")


def strip(report, seen):
    """Take the driver's frames out, in the causes too."""
    if report is None or id(report) in seen:
        return
    seen.add(id(report))
    if report.stack is not None:
        report.stack[:] = [frame for frame in report.stack if not frame.filename.startswith(DRIVER)]
    strip(report.__cause__, seen)
    strip(report.__context__, seen)
    for part in getattr(report, "exceptions", None) or ():
        strip(part, seen)


def place(error, filename):
    """Return line and column in the cell: the deepest that is of this cell."""
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
    """Turn characters before a place into its column, from 1, in UTF-16 units."""
    source = linecache.getline(filename, line)
    return len(source[:characters].encode("utf-16-le", "surrogatepass")) // 2 + 1
