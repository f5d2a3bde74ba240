"""The description of a name: its signature and documentation."""
import inspect
import re
import types

places, previews = load("place"), load("preview")

LONGEST = 2000  # characters of a signature
REST = re.compile(r"\w*")
CALLED = (*previews.FUNCTIONS, type)
# Built-in types whose instances have documentation of their own; those of others, such as numbers,
# would only repeat that of their class.
DOCUMENTED = (*CALLED, types.ModuleType, property)


def describe(source, cursor, names, enter):
    at, enter = places.points(source, cursor), previews.Guard(enter)
    for expression in expressions(source, at):
        try:
            value = places.resolve(expression, names, enter)
        except places.Unknown:
            continue
        return {"found": True, "signature": signature(expression, value, enter), "doc": doc(value, enter)}
    return {"found": False}


def expressions(source, at):
    """Return the expressions that the cursor may mean, likeliest first. A cursor before a
    letter is on that name; one after a name within a call has just typed an argument."""
    before = source[:at]
    state = places.State(before)
    if state.comment or state.quote:
        return ()
    rest = REST.match(source, at)[0]
    name, function = places.chain(before + rest), places.call(before, state.brackets)
    return (name, function) if rest else (function, name)


def signature(expression, value, enter):
    """Return the signature of a callable, or the type of another value."""
    if callable(value):
        return called(expression, value, enter)
    if issubclass(type(value), types.ModuleType):
        return f"module {vars(value).get('__name__', expression)}"
    return f"{expression}: {previews.name(type(value))} = {previews.Preview(enter).line(value)}"


def called(expression, value, enter):
    try:
        found = enter(inspect.signature, value)
        text = expression + str(found.replace(
            parameters=[plain(parameter) for parameter in found.parameters.values()],
            return_annotation=noted(found.return_annotation)))
    except Exception:
        text = first_line(expression, value, enter)
    return previews.cut(" ".join(text.split()), LONGEST)


def first_line(expression, value, enter):
    """Return the call at the start of the documentation, for functions in C without a
    signature."""
    line = doc(value, enter).partition("\n")[0]
    return line if line.startswith(expression.rpartition(".")[2] + "(") else ""


class Shown:
    """Replaces a default or an annotation, whose __repr__ may run any code."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def plain(parameter):
    if parameter.default is not parameter.empty:
        parameter = parameter.replace(default=Shown(default(parameter.default)))
    return parameter.replace(annotation=noted(parameter.annotation))


def default(value):
    if issubclass(type(value), type):
        return previews.name(value)
    if issubclass(type(value), previews.FUNCTIONS):
        return value.__name__
    return previews.Preview(previews.Guard(None, tired=True)).line(value)


def noted(annotation):
    kind = type(annotation)
    if kind is str:
        return Shown(annotation)
    if annotation is None:
        return Shown("None")
    if kind is type or kind.__module__ in ("typing", "types"):
        return annotation
    return Shown(previews.name(kind))


def doc(value, enter):
    kind = type(value)
    if kind.__module__ == "builtins" and not issubclass(kind, DOCUMENTED):
        return ""
    try:
        text = enter(inspect.getdoc, value)
    except Exception:
        return ""
    return text if isinstance(text, str) else ""
