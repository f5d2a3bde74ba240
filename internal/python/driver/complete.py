"""Completions at a cursor, from the live names of the program.

Completions that need no code of the program are made here: at once, and with kinds
and signatures. The rest is left to IPython's completer if its shell was started, for
magics, files and calls, or else to jedi if it is installed.
"""
import importlib.util
import keyword
import re
import sys
import types

places, previews, describing = load("place"), load("preview"), load("describe")
modules = load("modules")

MOST = 500  # candidates
SIGNED = 30  # up to so many candidates have signatures
WORD = re.compile(rf"{places.NAME}")
NOTHING = modules.NOTHING
LAST = re.compile(r"\w*\Z")
# Kinds of jedi and IPython with another name here.
KINDS = {"instance": "variable", "statement": "variable", "param": "parameter", "<unknown>": ""}


def complete(source, cursor, names, enter, shell):
    at = places.points(source, cursor)
    start, end, items = own(source, at, names, enter)
    if shell is not None and (not items or source[:start].endswith(("%", "!"))):
        start, end, items = from_shell(shell, source, at, enter) or (start, end, items)
    return {"start": places.units(source, start), "end": places.units(source, end),
            "items": [{"text": text, "kind": kind, "type": about} for text, kind, about in items[:MOST]]}


def from_shell(shell, source, at, enter):
    completer = sys.modules["IPython.core.completer"]

    def ask():
        with completer.provisionalcompleter():
            return list(completer.rectify_completions(source, shell.Completer.completions(source, at)))

    try:
        found = enter(ask)
    except Exception:
        return None
    if not found:
        return None
    items = [(c.text, KINDS.get(c.type, c.type), c.signature or "") for c in found]
    return found[0].start, found[0].end, items


def own(source, at, names, enter):
    """Return start, end and items."""
    before = source[:at]
    state = places.State(before)
    start = at - len(LAST.search(before)[0])
    keys = keys_of(before, state, names, enter)
    if keys is not None:
        return keys
    if state.quote or state.comment:
        return at, at, []
    line = before[before.rfind("\n") + 1:]
    found = modules.imported(line)
    if found is None and before[:start].endswith("."):
        found = attributes(source, at, start, names, enter)
    if found is None:
        found = parameters(before, state, names, enter) + words(source, start, at, names)
    return start, at, ranked(found, before[start:], enter)


def ranked(found, prefix, enter):
    """Return the items that match the prefix, exact and public ones first."""
    lower, kept = prefix.lower(), {}
    for text, kind, value in found:
        if text.lower().startswith(lower) and (prefix[:1] == "_" or text[:1] != "_"):
            kept.setdefault(text, (kind, value))
    order = sorted(kept, key=lambda text: (
        not text.startswith(prefix), kept[text][0] != "parameter", text[:1] == "_", text[:2] == "__", text.lower(), text))
    return [(text, kept[text][0], about(text, *kept[text], enter) if len(order) <= SIGNED else "") for text in order]


def about(text, kind, value, enter):
    if value is NOTHING or kind == "module":
        return ""
    if kind in ("function", "class"):
        return previews.cut(describing.called(text, value, enter), 200)
    return previews.name(type(value))


def kind_of(value):
    kind = type(value)
    if issubclass(kind, types.ModuleType):
        return "module"
    if issubclass(kind, type):
        return "class"
    return "function" if callable(value) else "variable"


def words(source, start, at, names):
    """Return names of the program and of Python, and words in the source."""
    found = [(name, kind_of(value), value) for name, value in dict(names).items() if isinstance(name, str)]
    import builtins
    found += [(word, "keyword", NOTHING) for word in keyword.kwlist]
    found += [(name, kind_of(value), value) for name, value in vars(builtins).items()]
    for word in WORD.finditer(source):
        if word.end() < start or word.start() > at:
            found.append((word[0], "variable", NOTHING))
    return found


def parameters(before, state, names, enter):
    """Return the parameters of the call around the cursor, each with its =."""
    expression = places.call(before, state.brackets)
    if not expression:
        return []
    try:
        value = places.resolve(expression, names, enter)
        found = enter(describing.inspect.signature, value).parameters.values()
    except Exception:
        return []
    return [(p.name + "=", "parameter", NOTHING) for p in found
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]


def attributes(source, at, start, names, enter):
    base = source[:start - 1]
    try:
        if base[-1:] in ("'", '"'):
            value = ""
        else:
            value = places.resolve(places.chain(base), names, enter)
        listed = enter(dir, value)
    except Exception:
        return from_jedi(source, at, names, enter)
    return [(name, *attribute(value, name)) for name in listed if isinstance(name, str)]


def attribute(value, name):
    """Return kind and value of an attribute, without evaluating it."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except Exception:
        own = {}
    bases = type.mro(value) if issubclass(type(value), type) else type.mro(type(value))
    for space in (own, *(vars(base) for base in bases)):
        if name in space:
            found = space[name]
            if isinstance(found, (staticmethod, classmethod)):
                found = found.__func__
            if issubclass(type(found), (property, types.GetSetDescriptorType, types.MemberDescriptorType)):
                return "property", NOTHING
            return kind_of(found), found
    return "", NOTHING


def from_jedi(source, at, names, enter):
    """Ask jedi, which analyses the source, about expressions that would have to run."""
    if importlib.util.find_spec("jedi") is None:
        return []
    import jedi
    line = source.count("\n", 0, at)
    column = at - (source.rfind("\n", 0, at) + 1)
    try:
        found = enter(lambda: jedi.Interpreter(source, [dict(names)]).complete(line + 1, column))
        return [(c.name, KINDS.get(c.type, c.type), NOTHING) for c in found]
    except Exception:
        return []


def keys_of(before, state, names, enter):
    """Return items for d["... and d[..., or None for another source."""
    if state.quote in ("'", '"'):
        start, quoted = state.start, True
        head = before[:start - 1].rstrip(" \t")
    else:
        start, quoted = len(before), False
        head = before.rstrip(" \t")
    if not head.endswith("["):
        return None
    try:
        value = places.resolve(places.chain(head[:-1].rstrip(" \t")), names, enter)
        keys = enter(listed_keys, value)
    except Exception:
        return None
    prefix = before[start:]
    kept = dict.fromkeys(key for key in keys if isinstance(key, str) and key.startswith(prefix))
    if not kept:
        return None
    return start, len(before), [(inside(key, state.quote) if quoted else repr(key), "key", "") for key in kept]


def listed_keys(value):
    if issubclass(type(value), dict):
        return list(dict.keys(value))
    if issubclass(type(value), previews.module("pandas").get("DataFrame", ())):
        return list(value.columns)
    if issubclass(type(value), previews.module("numpy").get("ndarray", ())):
        return list(value.dtype.names or ())
    return list(value._ipython_key_completions_())


def inside(key, quote):
    """Write a key in the form within quotes."""
    text = repr(key)
    return text[1:-1] if text[0] == quote else repr(key + ("'" if quote == '"' else '"'))[1:-2]
