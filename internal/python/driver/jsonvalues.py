"""Values as JSON, where a display has values that JSON lacks.

Values that Jupyter's kernels convert are converted in the same way: dates, bytes, sets
and other iterables, numbers of libraries, numbers that JSON lacks, keys that are no text.
Any other value becomes its repr, so no display fails because of its content.
"""
import base64
import math
import sys

DEEPEST = 200
ATOMS = (str, type(None))


def clean(value, above=()):
    """Return a value in JSON's types."""
    if type(value) in ATOMS or type(value) is bool:
        return value
    try:
        return convert(value, above)
    except Exception:
        return text(value)


def convert(value, above):
    if isinstance(value, bool):
        return value is True or bool(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode() + "\n"
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return real(value)
    if id(value) in above or len(above) > DEEPEST:
        return "..."
    inner = (*above, id(value))
    if isinstance(value, dict):
        return {key if type(key) is str else named(key): clean(item, inner) for key, item in list(value.items())}
    if isinstance(value, (list, tuple)):
        return [clean(item, inner) for item in list(value)]
    return convert_other(value, inner)


def convert_other(value, inner):
    datetime, numbers = sys.modules.get("datetime"), sys.modules.get("numbers")
    if datetime is not None and isinstance(value, datetime.datetime):
        aware = value if value.tzinfo else value.astimezone()
        return aware.isoformat().replace("+00:00", "Z")
    if hasattr(value, "__iter__"):
        return [clean(item, inner) for item in value]
    if numbers is not None and isinstance(value, numbers.Integral):
        return int(value)
    if numbers is not None and isinstance(value, numbers.Real):
        return real(float(value))
    return text(value)


def real(value):
    return float(value) if math.isfinite(value) else repr(float(value))


def named(key):
    """Return a key as text, as JSON or else as Python writes it."""
    if key is None or key is True or key is False:
        return {None: "null", True: "true", False: "false"}[key]
    try:
        return str(key)
    except Exception:
        return text(key)


def text(value):
    try:
        return str.__str__(repr(value))
    except Exception:
        return f"<{type(value).__name__}>"
