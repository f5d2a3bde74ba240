"""Figures of matplotlib: shown by show(), or at the end of the cell."""
import io
import sys

display = load("display")


def png(figure):
    data = io.BytesIO()
    display.enter(figure.savefig, data, format="png", bbox_inches="tight")
    return data.getvalue()


def show_all(*args, **options):
    """Show every open figure, once: it is closed after that."""
    pyplot = sys.modules["matplotlib.pyplot"]
    try:
        for number in pyplot.get_fignums():
            display.display(pyplot.figure(number))
    finally:
        pyplot.close("all")


def backend(module):
    """Fill in the module that matplotlib takes for its backend."""
    from matplotlib.backends import backend_agg

    module.FigureCanvas = backend_agg.FigureCanvasAgg
    module.new_figure_manager = backend_agg.new_figure_manager
    module.new_figure_manager_given_figure = backend_agg.new_figure_manager_given_figure
    module.show = show_all
