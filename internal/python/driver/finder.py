"""Import hooks for a few modules."""
import os
import sys

display = load("display")

BACKEND = "quire_matplotlib"
INLINE = "matplotlib_inline.backend_inline"


class Finder:
    """Handles the imports of these modules, and ignores all others."""

    def __init__(self, runner):
        self.runner, self.gate = runner, runner.gate
        self.gate.through |= {Finder.find_spec.__code__, Loader.exec_module.__code__}
        self.around = {
            "IPython": self.with_shell,
            "matplotlib": self.with_backend,
            "comm": lambda module, execute: (execute(), load("comms").take_over(module)),
            "ipykernel.comm": lambda module, execute: (execute(), load("comms").take_over_kernel(module)),
            "getpass": lambda module, execute: (execute(), load("ask").take_over(module)),
            "tqdm.notebook": self.with_text,
            INLINE: lambda module, execute: (execute(), load("figures").around_inline(module)),
        }
        for name, around in load("owner").AROUND.items():
            self.around[name] = lambda module, execute, around=around: (execute(), around(module))
        self.made = {  # stand-ins for missing modules
            "IPython": lambda module: load("ipython").ipython_module(module),
            "IPython.display": lambda module: load("ipython").display_module(module),
            "matplotlib_inline": lambda module: None,
            INLINE: lambda module: load("ipython").inline_module(module),
        }

    def find_spec(self, name, path=None, target=None):
        spec = self.find(name, path, target)
        self.gate.leave()
        return spec

    def find(self, name, path, target):
        if name == "asyncio":
            return self.with_loop(rejoin(name, self.find_next(name, path, target)))
        if name == BACKEND:
            return self.make(name, load("figures").backend)
        if name not in self.around and name not in self.made:
            return None
        if name in self.made and self.find_ipython() is None:
            return self.make(name, self.made[name])
        spec = self.find_next(name, path, target)
        if name in self.around and spec is not None and hasattr(spec.loader, "exec_module"):
            self.wrap(spec, self.around[name])
        return spec

    def find_next(self, name, path=None, target=None):
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
        return None

    def with_loop(self, spec):
        """Have the cell that imports asyncio run in its loop. The import is as open to
        interrupts as its caller, which may be the driver."""
        if spec is None or not hasattr(spec.loader, "exec_module"):
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            self.runner.join_loop()
            self.gate.leave()

        self.gate.through.add(exec_module.__code__)
        spec.loader.exec_module = exec_module
        return spec

    def find_ipython(self):
        """Return the spec of the installed IPython, or None."""
        module = sys.modules.get("IPython")
        if module is not None and not getattr(module, "_quire", False):
            return module.__spec__
        return self.find_next("IPython")

    def wrap(self, spec, around):
        execute = spec.loader.exec_module

        def exec_module(module):
            around(module, lambda: self.runner.enter(execute, module))
            self.gate.leave()

        self.gate.through.add(exec_module.__code__)
        spec.loader.exec_module = exec_module

    def make(self, name, fill):
        return type(sys.__spec__)(name, Loader(fill, self.gate), is_package="." not in name)

    def with_shell(self, module, execute):
        """Import IPython, and create its shell."""
        # The parts of an interrupted first import do not fit the second.
        for name in [name for name in sys.modules if name.startswith("IPython.")]:
            del sys.modules[name]
        depth = sys.getrecursionlimit()
        execute()
        sys.setrecursionlimit(depth)  # a library of IPython has raised it
        self.runner.ipython()

    def with_backend(self, module, execute):
        """Import matplotlib with a backend for cells, unless the user chose
        another. The variable is reset, because subprocesses have no cells."""
        if "MPLBACKEND" in os.environ:
            return execute()
        inline = self.find_ipython() and self.find_next("matplotlib_inline")
        os.environ["MPLBACKEND"] = "module://" + (INLINE if inline else BACKEND)
        try:
            return execute()
        finally:
            os.environ.pop("MPLBACKEND", None)

    def with_text(self, module, execute):
        """Have tqdm's notebook bars, which need widgets, as text."""
        execute()
        std = sys.modules["tqdm.std"]
        module.tqdm = module.tqdm_notebook = std.tqdm
        module.trange = module.tnrange = std.trange

    def forget_stand_ins(self):
        """Let an IPython be found that was installed meanwhile."""
        for name in self.made:
            if getattr(sys.modules.get(name), "_quire", False):
                del sys.modules[name]


class Loader:
    """Loads a module that a function fills in."""

    def __init__(self, fill, gate):
        self.fill, self.gate = fill, gate

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module._quire = True
        self.fill(module)
        self.gate.leave()


def rejoin(name, spec):
    """Allow the import of a package whose first import was interrupted.

    Python then drops the package and keeps the finished submodules, which the second
    import does not bind to it again; asyncio needs them bound. Without this the driver,
    which imports asyncio itself, could never await again. The driver does not execute
    the import: an interrupt of an import by the program must still reach it.
    """
    parts = {part[len(name) + 1:]: module for part, module in sys.modules.items() if part.startswith(name + ".")}
    if not parts or spec is None or spec.loader is None:
        return spec

    def create_module(spec):
        module = type(sys)(spec.name)
        vars(module).update(parts)
        return module

    spec.loader.create_module = create_module
    return spec
