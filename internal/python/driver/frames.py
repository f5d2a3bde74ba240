"""Tables that pass between languages, as tabular data resources: fields with a type each, and rows.

A table is a frame of pandas or polars, a table of pyarrow, or a list of dicts. The index of a
frame of pandas is left out unless it has a name. What arrives is a frame of pandas where that is
installed, else a list of dicts.
"""
import importlib.util
import itertools
import json
import math
import sys

sharing = load("share")

MOST_ROWS = 1_000_000
BATCH = 1000  # rows that are encoded at once
ABSENT = type(None)
BASIC = ((bool, "boolean"), (int, "integer"), (str, "string"), (list, "array"), (dict, "object"))


class NoVariable(Exception):
    pass


class NoTable(Exception):
    pass


def get(names, name, enter):
    """Return a variable as the text of a resource."""
    if name not in names:
        raise NoVariable(name)
    return enter(encode, names[name], name)


def encode(value, name):
    found = columns_of(value, name)
    if found is None:
        raise NoTable(type(value).__name__)
    keys, columns = found
    if len(set(keys)) < len(keys):
        raise ValueError(f"{name} has two columns of one name")
    fields, converted = [], []
    for key, (values, empty) in zip(keys, columns):
        kind, values = typed(values, f"{name}[{key!r}]")
        fields.append({"name": key, "type": kind or empty})
        converted.append(values)
    schema = json.dumps({"fields": fields}, ensure_ascii=False)
    return f'{{"schema":{schema},"data":[{",".join(batches(keys, converted, name))}]}}'


def batches(keys, columns, name):
    rows, size = zip(*columns), 0
    while True:
        batch = [dict(zip(keys, row)) for row in itertools.islice(rows, BATCH)]
        if not batch:
            return
        text = json.dumps(batch, ensure_ascii=False, separators=(",", ":"))[1:-1]
        size += len(text)
        if size > sharing.LARGEST:
            raise ValueError(f"{name} has more than {sharing.LARGEST >> 20} MiB as JSON, and that much can be passed: take a part of it, or a file")
        yield text


def columns_of(value, name):
    """Return the names of the columns, and of each the values and the type that it has without any. None is no table."""
    pandas, polars, pyarrow = (sys.modules.get(module) for module in ("pandas", "polars", "pyarrow"))
    if polars is not None and isinstance(value, getattr(polars, "LazyFrame", ())):
        value = value.collect()
    if pandas is not None and isinstance(value, pandas.DataFrame):
        check(len(value), len(value.columns), name)
        return of_pandas(value)
    if polars is not None and isinstance(value, polars.DataFrame):
        check(value.height, value.width, name)
        return value.columns, [(series.to_list(), "any") for series in value.get_columns()]
    if pyarrow is not None and isinstance(value, getattr(pyarrow, "Table", ())):
        check(value.num_rows, value.num_columns, name)
        return value.column_names, [(column.to_pylist(), "any") for column in value.columns]
    if isinstance(value, (list, tuple)) and value and all(isinstance(row, dict) for row in value):
        keys = list(dict.fromkeys(key for row in value for key in row))
        check(len(value), len(keys), name)
        return [sharing.key(key, name) for key in keys], [([row.get(key) for row in value], "any") for key in keys]
    return None


def check(rows, columns, name):
    if rows > MOST_ROWS:
        raise ValueError(f"{name} has {rows:,} rows, and {MOST_ROWS:,} can be passed: take a part of it, or a file")
    if columns == 0:
        raise ValueError(f"{name} has no columns")


def of_pandas(frame):
    keys = ["_".join(map(str, column)) if isinstance(column, tuple) else str(column) for column in frame.columns]
    series = [frame.iloc[:, i] for i in range(len(keys))]
    for level, key in reversed(list(enumerate(frame.index.names))):
        if key is not None:
            keys.insert(0, str(key))
            series.insert(0, frame.index.get_level_values(level))
    return keys, [(present(s), of_dtype(s.dtype)) for s in series]


def present(series):
    """Return the values, None for what pandas takes as missing."""
    values, missing = series.tolist(), series.isna()
    if missing.any():
        return [None if gone else value for value, gone in zip(values, missing.tolist())]
    return values


def of_dtype(dtype):
    return {"i": "integer", "u": "integer", "f": "number", "b": "boolean", "M": "datetime"}.get(getattr(dtype, "kind", ""), "any")


def typed(values, place):
    """Return the type of a column, "" where it has no value, and its values in JSON's types."""
    kinds = set(map(type, values)) - {ABSENT}
    if kinds == {float}:
        return "number", [value if value is None or math.isfinite(value) else None for value in values]
    found = {named(kind) for kind in kinds}
    if not kinds <= {bool, int, str}:
        values = [plain(value, place) for value in values]
        kinds = set(map(type, values)) - {ABSENT}
    return common({kind for name in found for kind in ([name] if name else map(basic, kinds))}), values


def common(found):
    """Return the type for values of several: any, unless all are numbers."""
    if len(found) > 1:
        return "number" if found == {"integer", "number"} else "any"
    return next(iter(found), "")


def basic(kind):
    return next((name for base, name in BASIC if issubclass(kind, base)), "number")


def named(kind):
    """Return the type that a class of times or decimals has, "" for others."""
    datetime, decimal = sys.modules.get("datetime"), sys.modules.get("decimal")
    if datetime is not None:
        for base, name in ((datetime.datetime, "datetime"), (datetime.date, "date"), (datetime.time, "time")):
            if issubclass(kind, base):
                return name
    if decimal is not None and issubclass(kind, decimal.Decimal):
        return "number"
    return ""


def plain(value, place):
    decimal, uuid, datetime = (sys.modules.get(module) for module in ("decimal", "uuid", "datetime"))
    if decimal is not None and isinstance(value, decimal.Decimal):
        if not value.is_finite():
            return None
        near = float(value)
        return near if decimal.Decimal(repr(near)) == value else str(value)
    if uuid is not None and isinstance(value, uuid.UUID) or datetime is not None and isinstance(value, datetime.timedelta):
        return str(value)
    return sharing.plain(value, place, 0)


def put(names, name, table, enter):
    sharing.put(names, name, enter(decode, table))


def decode(table):
    fields, rows = table["schema"]["fields"], table["data"]
    pandas = installed("pandas")
    if pandas is None:
        wide = [field["name"] for field in fields if field["type"] == "integer"]
        for row in rows:
            for key in wide:
                if type(row[key]) is str:
                    row[key] = int(row[key])
        return rows
    series = {field["name"]: series_of(pandas, field["type"], [row[field["name"]] for row in rows]) for field in fields}
    return pandas.DataFrame(series, index=pandas.RangeIndex(len(rows)))


def installed(name):
    """Return a module, None if it is not installed or broken."""
    try:
        return importlib.import_module(name) if importlib.util.find_spec(name) else None
    except Exception:
        return None


def series_of(pandas, kind, values):
    missing = None in values
    if kind == "integer":
        values = [int(value) if type(value) is str else value for value in values]
        if any(value is not None and not -(1 << 63) <= value < 1 << 63 for value in values):
            return pandas.Series(values, dtype=object)
        return pandas.Series(values, dtype="Int64" if missing else "int64")
    if kind == "number":
        return numbers(pandas, values)
    if kind == "boolean":
        return pandas.Series(values, dtype="boolean" if missing else "bool")
    if kind in ("date", "datetime"):
        return times(pandas, values)
    if kind == "time":
        time = importlib.import_module("datetime").time
        return objects(pandas, values, lambda text: time.fromisoformat(text))
    return pandas.Series(values, dtype=object)


def numbers(pandas, values):
    """Return floats, or decimals where a value is one that no float has."""
    if not any(type(value) is str for value in values):
        return pandas.Series(values, dtype="float64")
    decimal = importlib.import_module("decimal").Decimal
    exact = [value if value is None else decimal(value) for value in values]
    if all(value is None or not value.is_finite() or decimal(repr(float(value))) == value for value in exact):
        return pandas.Series([math.nan if value is None else float(value) for value in exact], dtype="float64")
    return pandas.Series(exact, dtype=object)


def times(pandas, values):
    """Return times, as text where one is beyond the years of pandas."""
    zoned = any(value is not None and ("+" in value[10:] or "-" in value[10:] or value.endswith("Z")) for value in values)
    style = {"format": "ISO8601"} if int(pandas.__version__.split(".")[0]) >= 2 else {}
    try:
        return pandas.Series(pandas.to_datetime(values, utc=zoned, **style), dtype=None if zoned else "datetime64[ns]")
    except ValueError:  # also that of a time out of bounds
        return pandas.Series(values, dtype=object)


def objects(pandas, values, convert):
    try:
        return pandas.Series([None if value is None else convert(value) for value in values], dtype=object)
    except ValueError:
        return pandas.Series(values, dtype=object)
