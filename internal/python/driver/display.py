"""Values in all their representations, and the functions that display them."""
import base64
import os
import sys

channel = gate = enter = runner = None  # set by hooks.install
captured = None  # collects displays for a magic

METHODS = (
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_pdf_", "application/pdf"),
    ("_repr_latex_", "text/latex"),
    ("_repr_json_", "application/json"),
    ("_repr_javascript_", "application/javascript"),
)


SCALARS = (int, float, complex, str, bytes, bool, range, type(None))
ROOM = 72  # characters: IPython may break longer ones into lines


def is_plain(value, depth=3):
    """Return whether a value has only one representation, in IPython too."""
    if type(value) in SCALARS:
        return True
    if depth == 0 or type(value) not in (list, tuple, dict) or len(value) > ROOM // 3:
        return False
    inner = [*value, *value.values()] if type(value) is dict else value
    return all(is_plain(item, depth - 1) for item in inner)


def bundle(value):
    """Return data and metadata of a value, by type."""
    shell = runner.shell
    if shell is None and is_plain(value):
        text = enter(repr, value)
        if type(value) in SCALARS or len(text) <= ROOM:
            return {"text/plain": text}, {}
    shell = shell or runner.ipython()
    if shell is not None:
        data, metadata = enter(shell.display_formatter.format, value)
    else:
        data, metadata = represent(value)
    return transported(data), metadata


def represent(value):
    """Return all representations of a value, without IPython."""
    data, metadata = {}, {}
    # A class has its instances' methods, and a value that answers to every name, such as a mock,
    # has none of them.
    if not isinstance(value, type) and not answers_to_all(value):
        show = enter(getattr, value, "_ipython_display_", None)
        if callable(show):
            enter(show)
            return {}, {}
        merge(data, metadata, attempt(value, "_repr_mimebundle_", include=None, exclude=None))
        for method, mime in METHODS:
            if mime not in data:
                merge_one(data, metadata, mime, attempt(value, method))
        if is_figure(value):
            merge(data, metadata, load("figures").representations(value))
    if "text/plain" not in data:
        try:
            data["text/plain"] = enter(repr, value)
        except Exception as error:  # the program continues, and the cell has failed
            runner.fail(error, 0)
    return data, metadata


def answers_to_all(value):
    """Return whether a value has every attribute, or raises for missing ones."""
    try:
        return enter(hasattr, value, "_quire_has_no_such_method_")
    except Exception:
        return True


class Formatting:
    """Counts the nesting of IPython's formatters."""

    depth = 0

    def __enter__(self):
        self.depth += 1

    def __exit__(self, *error):
        self.depth -= 1


formatting = Formatting()


def attempt(value, method, **options):
    """Call a method if it exists. A failing one must not hide the others."""
    try:
        function = enter(getattr, value, method, None)
        return enter(function, **options) if callable(function) else None
    except NotImplementedError:
        return None
    except Exception as error:
        report(error)
        return None


def report(error):
    sys.stderr.write("\n".join(load("failure").lines(error)) + "\n")


def merge(data, metadata, got):
    if isinstance(got, tuple) and len(got) == 2:
        metadata.update(got[1] or {})
        got = got[0]
    if isinstance(got, dict):
        data.update({mime: item for mime, item in got.items() if item is not None})


def merge_one(data, metadata, mime, got):
    if isinstance(got, tuple) and len(got) == 2:
        if got[1]:
            metadata[mime] = got[1]
        got = got[0]
    if got is not None:
        data[mime] = got


def transported(data):
    return {str(mime): transport(str(mime), item) for mime, item in data.items()}


def transport(mime, item):
    """Return an item in JSON: as text, base64, or JSON itself."""
    if isinstance(item, (bytes, bytearray, memoryview)):
        if mime.startswith("text/") or mime == "image/svg+xml":
            return bytes(item).decode("utf-8", "replace")
        return base64.b64encode(item).decode()
    if mime == "application/json" or mime.endswith("+json"):
        return item
    return item if isinstance(item, str) else str(item)


def is_figure(value):
    figure = sys.modules.get("matplotlib.figure")
    return figure is not None and isinstance(value, figure.Figure)


def publish(kind, data, metadata, display_id):
    if captured is not None and load("owner").foreign() is None:
        return captured.append((kind, data, metadata, display_id))
    channel.emit({"kind": kind, "data": data, "metadata": metadata or {}, "id": display_id or ""})
    if channel.forked and "text/plain" in data:
        sys.stdout.write(data["text/plain"] + "\n")


def display(*values, include=None, exclude=None, metadata=None, transient=None,
            display_id=None, raw=False, clear=False, update=False, **options):
    """Show values in the output of the cell.

    With display_id (a string, or True for a new one) return a handle that can
    update what is shown. With raw=True the values are dicts by MIME type.
    """
    if display_id is True:
        display_id = os.urandom(16).hex()
    if clear:
        clear_output(wait=True)
    for value in values:
        if raw:
            data, extra = transported(value), {}
        else:
            data, extra = bundle(value)
        kept = {mime: item for mime, item in data.items()
                if (include is None or mime in include) and (exclude is None or mime not in exclude)}
        if kept or raw:  # otherwise the value has displayed itself
            publish("update" if update else "display", kept, {**extra, **(metadata or {})}, display_id)
    gate.check()
    return DisplayHandle(display_id) if display_id else None


def update_display(value, *, display_id, **options):
    """Replace what every display with this id shows."""
    display(value, display_id=display_id, update=True, **options)


def publish_display_data(data, metadata=None, *, transient=None, update=False, **options):
    """Show a dict by MIME type, with the signature that libraries know from Jupyter."""
    display(data, raw=True, metadata=metadata, update=update,
            display_id=(transient or {}).get("display_id"))


def clear_output(wait=False):
    """Remove the output of the cell, now or when the next output comes."""
    channel.emit({"kind": "clear", "wait": bool(wait)})
    gate.check()


class DisplayHandle:
    """The result of display(..., display_id=...)."""

    def __init__(self, display_id=None):
        self.display_id = display_id or os.urandom(16).hex()

    def __repr__(self):
        return f"<DisplayHandle display_id={self.display_id}>"

    def display(self, value, **options):
        display(value, display_id=self.display_id, **options)

    def update(self, value, **options):
        update_display(value, display_id=self.display_id, **options)
