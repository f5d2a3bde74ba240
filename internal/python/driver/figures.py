"""Figures of matplotlib: shown once, by show() or at the end of the cell.

With IPython its inline backend draws them, otherwise our own; this module has the
parts that both need.
"""
import functools
import io
import sys

display = load("display")

formats = {"names": ["png"], "options": {}}  # of our own backend
shown = []  # figures shown in this run

MIMES = {"png": "image/png", "retina": "image/png", "svg": "image/svg+xml", "jpeg": "image/jpeg",
         "pdf": "application/pdf"}
NAMES = {"jpg": "jpeg", "png2x": "retina"}


def note(figure):
    """Record that a figure has been shown in its present state."""
    figure.stale = False
    shown.append(figure)


def close_shown():
    """Close the shown figures that have not changed since."""
    pyplot = sys.modules["matplotlib.pyplot"]
    inline = sys.modules.get("matplotlib_inline.config")
    if inline is not None and not inline.InlineBackend.instance().close_figures:
        return
    for manager in pyplot._pylab_helpers.Gcf.get_all_fig_managers():
        figure = manager.canvas.figure
        if not figure.stale and any(figure is one for one in shown):
            pyplot.close(figure)


def finish():
    """Show the remaining figures at the end of a cell, as IPython does."""
    try:
        if is_ours():
            show_all()
    finally:
        shown.clear()


def is_ours():
    return sys.modules["matplotlib"].get_backend() == "module://" + load("finder").BACKEND


def show_all(*args, **options):
    """Show every open figure, and close it."""
    pyplot = sys.modules["matplotlib.pyplot"]
    try:
        close_shown()
        for number in pyplot.get_fignums():
            display.display(pyplot.figure(number))
    finally:
        if pyplot.get_fignums():
            pyplot.close("all")


def representations(figure):
    """Return data and metadata in the configured formats."""
    data, metadata = {}, {}
    if figure.axes or figure.lines:  # an empty one would be a large white area
        for name in formats["names"]:
            mime = MIMES[name]
            data[mime] = draw(figure, name)
            if name == "retina":
                size = data[mime][16:24]  # in the header of a PNG
                metadata[mime] = {"width": int.from_bytes(size[:4], "big") // 2,
                                  "height": int.from_bytes(size[4:], "big") // 2}
    note(figure)
    return data, metadata


def draw(figure, name):
    """Draw a figure as the inline backend of IPython does."""
    file = io.BytesIO()
    options = {"format": name, "dpi": figure.dpi, "bbox_inches": "tight",
               "facecolor": figure.get_facecolor(), "edgecolor": figure.get_edgecolor(), **formats["options"]}
    if name == "retina":
        options.update(format="png", dpi=2 * figure.dpi)
    display.enter(figure.canvas.print_figure, file, **options)
    return file.getvalue()


def set_formats(*names, **options):
    """Choose the formats of figures: png, retina, svg, jpeg, pdf."""
    names = [NAMES.get(name, name) for name in names]
    unknown = [name for name in names if name not in MIMES]
    if unknown or not names:
        raise ValueError(f"figures can be {', '.join(MIMES)}, not {', '.join(map(str, unknown)) or 'nothing'}")
    formats.update(names=names, options=options)


def backend(module):
    """Fill in the module that is matplotlib's backend."""
    from matplotlib.backends import backend_agg

    module.FigureCanvas = backend_agg.FigureCanvasAgg
    module.new_figure_manager = backend_agg.new_figure_manager
    module.new_figure_manager_given_figure = backend_agg.new_figure_manager_given_figure
    module.show = show_all


def around_inline(module):
    """Make the show() of the inline backend show each figure once."""
    show = module.show

    @functools.wraps(show)  # keeps its attributes, which are the module's state
    def show_others(*args, **options):
        close_shown()
        return display.enter(show, *args, **options)

    vars(show).clear()  # they belong to show_others now
    module.show = show_others
