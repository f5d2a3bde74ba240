"""The sources and values of cells: In, Out, _, __, ___, _3, _i and _i3."""
import builtins

KEPT = 1000  # values, as many as IPython keeps
UNDERSCORES = ("_", "__", "___")


class History:
    def __init__(self, names):
        self.names = names  # the namespace of the program
        self.inputs, self.raw = [""], [""]  # by number; IPython has its own as well
        self.outputs, self.texts = {}, {}
        self.last = ["", "", ""]  # values of the underscore names
        self.number = 0

    def begin(self, number, source):
        """Record the source of a cell."""
        if number < len(self.inputs):
            self.clear()
        source = source.rstrip("\n")
        for inputs in (self.inputs, self.raw):
            inputs.extend([""] * (number - len(inputs)))
            inputs.append(source)
        self.number = number
        last = [self.raw[max(number - back, 0)] for back in (1, 2, 3)]
        self.names.update({"In": self.inputs, "_ih": self.inputs, "Out": self.outputs, "_oh": self.outputs,
                           "_i": last[0], "_ii": last[1], "_iii": last[2], f"_i{number}": source})

    def translated(self, text):
        """Record the translation of the cell to Python."""
        self.inputs[-1] = text.rstrip("\n")

    def clear(self):
        self.inputs[:], self.raw[:], self.last = [""], [""], ["", "", ""]
        self.outputs.clear()
        self.texts.clear()

    def add(self, value, text):
        """Record the value of the cell and its text, unless it is the history itself."""
        self.texts[self.number] = text
        if value is self.outputs:
            return
        while len(self.outputs) >= KEPT:
            oldest = next(iter(self.outputs))
            del self.outputs[oldest]
            self.texts.pop(oldest, None)
            self.names.pop(f"_{oldest}", None)
        self.outputs[self.number] = self.names[f"_{self.number}"] = value
        ours = all(self.names.get(name, kept) is kept for name, kept in zip(UNDERSCORES, self.last))
        self.last = [value, *self.last[:2]]
        # A name that the program bound is kept, such as _ of gettext.
        if ours and "_" not in vars(builtins):
            self.names.update(zip(UNDERSCORES, self.last))
