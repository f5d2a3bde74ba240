"""Values of variables as JSON, by which they pass from one language to another.

Unlike a display, a value that JSON cannot hold is refused: what arrives is what was sent.
Frames become lists of rows, series and arrays lists, dates text in ISO 8601, numbers that
JSON lacks null.
"""
import json
import keyword
import math
import sys

DEEPEST = 200
LARGEST = 32 << 20  # characters of JSON


def get(names, name, enter):
    if name not in names:
        raise NameError(f"there is no variable {name}")
    text = json.dumps(enter(plain, names[name], name, 0), ensure_ascii=False, separators=(",", ":"))
    if len(text) > LARGEST:
        raise ValueError(f"{name} has {len(text)} characters as JSON, and {LARGEST} can be passed: pass a part of it, or a file")
    return json.loads(text)


def put(names, name, value):
    if not name.isidentifier() or not name.isascii() or keyword.iskeyword(name):
        raise NameError(f"{name!r} is no name of a variable")
    names[name] = value


def plain(value, place, depth):
    """Return a value in JSON's types. The place names it in errors."""
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, (int, str)):  # enumerations and other classes of them
        return int(value) if isinstance(value, int) else str(value)
    if depth > DEEPEST:
        raise ValueError(f"{place[:200]} is nested too deep, or within itself")
    if isinstance(value, dict):
        return {key(k, place): plain(v, f"{place}[{k!r}]", depth + 1) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return [plain(v, f"{place}[{i}]", depth + 1) for i, v in enumerate(value)]
    return plain_other(value, place, depth)


def key(name, place):
    if type(name) is str:
        return name
    if name is None or isinstance(name, bool):
        return {None: "null", True: "true", False: "false"}[name]
    if isinstance(name, (int, float, str)):
        return str(name)
    raise TypeError(f"a key of {place} is of type {type(name).__name__}, and JSON has text there")


def plain_other(value, place, depth):
    kind = type(value)
    datetime, pandas, numpy = (sys.modules.get(name) for name in ("datetime", "pandas", "numpy"))
    if pandas is not None:
        if value is getattr(pandas, "NA", value) and value is not None or value is getattr(pandas, "NaT", None):
            return None
        if isinstance(value, pandas.DataFrame):
            columns = [str(column) for column in value.columns]
            if len(set(columns)) < len(columns):
                raise ValueError(f"{place} has two columns of one name")
            return [dict(zip(columns, plain(list(row), place, depth + 1))) for row in value.itertuples(index=False, name=None)]
        if isinstance(value, (pandas.Series, pandas.Index)):
            return plain(value.tolist(), place, depth + 1)
    if datetime is not None and isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
        return plain(value.tolist(), place, depth + 1) if type(value.tolist()) is not kind else str(value)
    raise TypeError(f"{place} is of type {kind.__name__}, which has no form in JSON")
