"""Magics that IPython leaves to its host, and that notebooks use."""
import os

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.page import page

display = load("display")


@magics_class
class KernelMagics(Magics):
    @line_magic
    def clear(self, line):
        """Remove the output of the cell."""
        display.clear_output()

    cls = line_magic("cls")(clear)

    @line_magic
    def less(self, line):
        """Show a file."""
        if not line:
            raise UsageError("Missing filename.")
        with open(os.path.expanduser(line.strip()), encoding="utf-8", errors="replace") as file:
            text = file.read()
        page(self.shell.pycolorize(text) if line.strip().endswith(".py") else text)

    more = line_magic("more")(less)

    @line_magic
    def man(self, line):
        """Show the manual of a command."""
        self.shell.system(f"man {line} | col -b")

    @line_magic
    def edit(self, line):
        """Say that there is no editor but the notebook."""
        raise UsageError("%edit opens an editor, which a notebook has not; %load FILE shows a file")

    ed = line_magic("ed")(edit)

    @line_magic
    def connect_info(self, line):
        """Say that there is no kernel to connect to."""
        raise UsageError("%connect_info is for kernels of Jupyter, and this is none")

    @line_magic
    def qtconsole(self, line):
        """Say that there is no kernel to connect to."""
        raise UsageError("%qtconsole is for kernels of Jupyter, and this is none")

    @line_magic
    def autosave(self, line):
        """Accept what notebooks of Jupyter set: every change is saved at once."""
        print("Every change is saved at once.")


def install(shell):
    shell.register_magics(KernelMagics)
