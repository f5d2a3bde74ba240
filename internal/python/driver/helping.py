"""The output of name? and name??."""
import inspect


def brief(call):
    explain(call, False)


def full(call):
    explain(call, True)


def explain(call, source):
    name = call.line.strip()
    try:
        value = eval(name, call.names)
    except Exception:
        print(f"There is nothing named {name}.")
        return
    for title, text in sections(name, value, source):
        print(f"{title + ':':10} {text}" if "\n" not in text else f"{title}:\n{text}")


def sections(name, value, source):
    if callable(value):
        yield from part("Signature", lambda: f"{name}{inspect.signature(value)}")
    else:
        yield from part("String form", lambda: str(value)[:1000])
    yield from part("Type", lambda: type(value).__name__)
    yield from part("File", lambda: inspect.getfile(value))
    if source:
        yield from part("Source", lambda: inspect.getsource(value).rstrip())
    else:
        yield from part("Docstring", lambda: inspect.getdoc(value) or "<no docstring>")


def part(title, find):
    try:
        yield title, find()
    except (TypeError, ValueError, OSError):
        pass  # there is none
