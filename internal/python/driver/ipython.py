"""A stand-in for `from IPython.display import ...` where IPython is missing."""
import json
import os

display = load("display")


def ipython_module(module):
    module.version_info = (0, 0, 0)
    module.__version__ = "0.0.0"
    module.get_ipython = lambda: None
    module.display = display.display


def display_module(module):
    for name in ("display", "update_display", "publish_display_data", "clear_output", "DisplayHandle"):
        setattr(module, name, getattr(display, name))
    for kind in (HTML, Markdown, Latex, Math, SVG, JSON, Javascript, Image, Pretty):
        setattr(module, kind.__name__, kind)
    inline_module(module)


def inline_module(module):
    """The used functions of matplotlib_inline.backend_inline, once of IPython.display."""
    module.set_matplotlib_formats = lambda *formats, **options: load("figures").set_formats(*formats, **options)


class Shown:
    """A value with one MIME type, given as data or read from a file."""

    mime = "text/plain"
    binary = False

    def __init__(self, data=None, url=None, filename=None, metadata=None, **options):
        if data is not None and not self.binary and not isinstance(data, (str, bytes)):
            raise TypeError(f"{type(self).__name__} expects text, not {type(data).__name__}")
        if url is not None and data is None and filename is None:
            raise ValueError("showing a URL needs IPython; pass data or filename")
        if filename is not None:
            with open(os.fspath(filename), "rb") as file:
                data = file.read()
            data = data if self.binary else data.decode()
        self.data, self.metadata = data, metadata or {}

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self.mime: self.data}, {self.mime: self.metadata} if self.metadata else {}


class HTML(Shown):
    mime = "text/html"

    def _repr_html_(self):
        return self.data


class Markdown(Shown):
    mime = "text/markdown"


class Latex(Shown):
    mime = "text/latex"


class Math(Latex):
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self.mime: "$\\displaystyle " + self.data.strip("$") + "$"}


class SVG(Shown):
    mime = "image/svg+xml"


class Javascript(Shown):
    mime = "application/javascript"


class JSON(Shown):
    mime = "application/json"
    binary = True  # any JSON value

    def __init__(self, data=None, url=None, filename=None, **options):
        super().__init__(data, url, filename)
        if isinstance(self.data, (str, bytes)):
            self.data = json.loads(self.data)


class Pretty(Shown):
    mime = "text/plain"


class Image(Shown):
    """A PNG, JPEG, GIF or WebP, recognised by its first bytes."""

    binary = True

    def __init__(self, data=None, url=None, filename=None, format=None, width=None, height=None, **options):
        if isinstance(data, (str, os.PathLike)):
            filename, data = data, None
        size = {name: value for name, value in (("width", width), ("height", height)) if value is not None}
        super().__init__(data, url, filename, size)
        self.mime = "image/" + (format.replace("jpg", "jpeg") if format else kind(self.data))


def kind(data):
    for start, name in ((b"\xff\xd8", "jpeg"), (b"GIF8", "gif"), (b"RIFF", "webp")):
        if data.startswith(start):
            return name
    return "png"
