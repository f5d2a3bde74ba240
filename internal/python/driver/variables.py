"""The variables of the program: the public names that its cells have bound."""
import sys
import types

previews, describing = load("preview"), load("describe")

# Values that are not listed as variables, unless a cell defined them.
IMPORTED = (type, *previews.FUNCTIONS)
NEVER = ("module", "ufunc", "_Feature")
# Names of the history and of IPython in the namespace of the program.
HIDDEN = ("In", "Out", "exit", "quit", "get_ipython")


def variables(names, enter):
    enter = previews.Guard(enter)
    preview = previews.Preview(enter)
    found = {name: value for name, value in dict(names).items()
             if type(name) is str and name[:1] != "_" and name not in HIDDEN and shown(value, enter)}
    return [variable(name, found[name], preview, enter) for name in sorted(found)]


def shown(value, enter):
    kind = type(value)
    if previews.name(kind) in NEVER:
        return False
    return not issubclass(kind, IMPORTED) or home(value, enter) == "__main__"


def home(value, enter):
    try:
        return enter(getattr, value, "__module__", None)
    except Exception:
        return None


def variable(name, value, preview, enter):
    kind = type(value)
    if issubclass(kind, IMPORTED):
        line = previews.cut(describing.signature(name, value, enter) or name, previews.ROOM)
    else:
        line = preview.line(value)
    return {"name": name, "type": previews.name(kind), "shape": shape(value, kind, enter),
            "size": size(value, kind, enter), "preview": line}


def shape(value, kind, enter):
    got = of_class(value, kind, "shape", enter)
    if issubclass(type(got), tuple) and all(type(n) is int for n in got):
        return repr(tuple(got))
    count = length(value, kind, enter)
    return "" if count is None else "1 item" if count == 1 else f"{count} items"


def length(value, kind, enter):
    for base in previews.BRACKETS:
        if issubclass(kind, base):
            return base.__len__(value)  # the length that is shown for it
    if issubclass(kind, (type, *previews.TEXTS)) or not any("__len__" in vars(base) for base in kind.__mro__):
        return None
    try:
        return enter(len, value)
    except Exception:
        return None


def of_class(value, kind, name, enter):
    """Return an attribute of an instance if its class has it; one that is created on
    access, as by mocks, is ignored."""
    if issubclass(kind, type) or not any(name in vars(base) for base in kind.__mro__):
        return None
    try:
        return enter(getattr, value, name)
    except Exception:
        return None


def size(value, kind, enter):
    got = of_class(value, kind, "nbytes", enter)
    if type(got) is int:
        return got
    try:
        if issubclass(kind, previews.module("pandas").get("DataFrame", ())):
            return int(enter(lambda: value.memory_usage(deep=False).sum()))
        if type(kind.__sizeof__) is types.FunctionType:  # it may traverse everything
            return object.__sizeof__(value)
        return sys.getsizeof(value, 0)
    except Exception:
        return 0
