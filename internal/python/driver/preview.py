"""Values in one short line, at a cost independent of their size.

Containers are read only up to the length of the line, without methods of the program;
its __repr__ is called for other values only, and not again once it was interrupted
for being slow.
"""
import itertools
import sys
import types

ROOM = 80  # characters
MORE = "…"
DIGITS = 1000  # bits of the largest integer that is written out
PLAIN = (float, complex, bool, type(None), range, type(...), type(NotImplemented))
TEXTS = (str, bytes, bytearray)
FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)
BRACKETS = {list: "[]", tuple: "()", set: "{}", frozenset: "{}", dict: "{}"}


def module(name):
    """Return an attribute of a module if that is loaded."""
    found = sys.modules.get(name)
    return vars(found) if found is not None else {}


class TooSlow(Exception):
    """Code of the program takes too long, or was not called because other code did."""


class Guard:
    """Calls code of the program until one call was interrupted for being slow."""

    def __init__(self, enter, tired=False):
        self.enter, self.tired = enter, tired

    def __call__(self, function, *args):
        if self.tired:
            raise TooSlow
        try:
            return self.enter(function, *args)
        except KeyboardInterrupt:
            self.tired = True
            raise TooSlow from None


class Preview:
    def __init__(self, guard):
        self.enter = guard

    def line(self, value, room=ROOM):
        return cut(" ".join(self.text(value, room, 3)[:4 * room].split()), room)

    def text(self, value, room, depth):
        kind = type(value)
        if room <= 0:
            return MORE
        if kind is int:
            bits = value.bit_length()
            return repr(value) if bits <= DIGITS else f"<int of {bits} bits>"
        if kind in PLAIN:
            return repr(value)
        for base in TEXTS:
            if issubclass(kind, base):
                part = base.__getitem__(value, slice(0, room))
                return repr(part) + (MORE if base.__len__(value) > room else "")
        for base in BRACKETS:
            if issubclass(kind, base):
                return self.container(value, kind, base, room, depth)
        if issubclass(kind, type):
            return f"<class {name(value)}>"
        return self.other(value, kind, room, depth)

    def container(self, value, kind, base, room, depth):
        if kind is base and not base.__len__(value):
            return repr(value)
        opening, closing = BRACKETS[base]
        if depth == 0:
            return opening + MORE + closing
        items = base.items(value) if base is dict else base.__iter__(value)
        parts = []
        try:
            for item in itertools.islice(items, room):
                if room <= 0:
                    parts.append(MORE)
                    break
                parts.append(self.item(item, base, room, depth))
                room -= len(parts[-1]) + 2
        except RuntimeError:  # another thread modifies it
            parts.append(MORE)
        single = "," if base is tuple and len(parts) == 1 else ""
        text = opening + ", ".join(parts) + single + closing
        return text if kind in (list, tuple, set, dict) else f"{name(kind)}({text})"

    def item(self, item, base, room, depth):
        if base is not dict:
            return self.text(item, room, depth - 1)
        key = self.text(item[0], room, depth - 1)
        return key + ": " + self.text(item[1], room - len(key), depth - 1)

    def other(self, value, kind, room, depth):
        try:
            if issubclass(kind, module("numpy").get("ndarray", ())):
                return "array(" + self.text(self.enter(lambda: value.flat[:room].tolist()), room, depth) + ")"
            if issubclass(kind, module("pandas").get("DataFrame", ())):
                return "columns " + ", ".join(str(label) for label in self.enter(lambda: value.columns[:room].tolist()))
            if issubclass(kind, module("pandas").get("Series", ())):
                return self.text(self.enter(lambda: value.iloc[:room].tolist()), room, depth)
        except Exception:
            pass  # fall back to its own repr
        return self.own(value, kind)

    def own(self, value, kind):
        if kind.__repr__ is object.__repr__ or self.enter.tired:
            return f"<{name(kind)} object>"
        try:
            return self.enter(repr, value)
        except TooSlow:
            return f"<{name(kind)}: its __repr__ takes too long>"
        except Exception as error:
            return f"<{name(kind)}: its __repr__ raises {name(type(error))}>"


def name(kind):
    return type.__dict__["__name__"].__get__(kind)


def cut(text, room):
    return text if len(text) <= room else text[:room - 1] + MORE
