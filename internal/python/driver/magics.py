"""The magics that work without IPython. With it, IPython's own are used."""
import io
import os
import re
import runpy
import shlex
import sys

commands, display, timing, helping = load("commands"), load("display"), load("timing"), load("helping")

FIELD = re.compile(r"\{\{|\}\}|\{([^{}]+)\}|\$\$|\$([A-Za-z_][\w.]*)(?=(?:[^']*'[^']*')*[^']*\Z)")


class UsageError(Exception):
    """An unknown magic, or one with wrong arguments."""

    __module__ = "builtins"


class Call:
    """One use of a magic: its line, its body if it is a cell magic, its place."""

    def __init__(self, runner, name, line, body, first):
        self.runner, self.name, self.line, self.body, self.first = runner, name, line, body, first
        frame = sys._getframe(2)
        self.names = {**frame.f_globals, **frame.f_locals}
        self.number = frame.f_lineno

    def expanded(self):
        """Return the line with {expressions} and $names replaced. If one cannot be
        evaluated it is for the shell: awk '{print $1}'."""
        return expand(self.line, self.names, self.runner.enter)

    def words(self):
        return shlex.split(self.expanded())

    def evaluate(self):
        """Execute the body as a part of the cell."""
        return self.runner.evaluate(self.body, self.runner.filename, first=self.first)

    def value(self, source):
        """Execute a statement in the line of the magic; return its value."""
        runner = self.runner
        tree = runner.compiler.parse("\n" * (self.number - 1) + source.strip(), runner.filename)
        value = None
        for code, _ in runner.compiler.compile(tree, "", runner.filename, "all"):
            value = runner.execute(code)
        return value


def expand(line, names, enter):
    def value(match):
        text = match[0]
        if text in ("{{", "}}", "$$"):
            return text[0]
        if match[2] and match[2].partition(".")[0] not in names:
            return text
        return str(eval(match[1] or match[2], names))

    try:
        return enter(FIELD.sub, value, line)
    except Exception:
        return line


def install(runner):
    def __magic__(name, line, body=None, first=0):
        call = Call(runner, name, line, body, first)
        try:
            magic = CELLS.get(name) if body is not None else LINES.get(name)
            if magic is None:
                raise UsageError(missing(name, call.number))
            return runner.enter(magic, call)
        finally:
            runner.gate.check()

    runner.gate.open.add(__magic__.__code__)
    return __magic__


def missing(name, line):
    other = LINES.get(name[1:]) or CELLS.get("%" + name)
    hint = "; it works for a line alone" if other and name.startswith("%%") else "; it works for a whole cell" if other else ""
    return f"line {line}: there is no {name} here{hint}; `%pip install ipython` gives all magics of IPython"


def command(call):
    call.runner.history.names["_exit_code"] = commands.run(call.expanded(), call.runner.enter)


def command_lines(call):
    return commands.lines_of(call.expanded(), call.runner.enter)


def script(call):
    status = commands.run(call.body, call.runner.enter, {"%%bash": "bash"}.get(call.name, "/bin/sh"))
    if status:
        raise RuntimeError(f"{call.name} ended with status {status}")


def pip(call):
    commands.pip(call.expanded(), call.runner.enter)


def cd(call):
    words = call.words() or ["~"]
    target = os.environ.get("OLDPWD", ".") if words[0] == "-" else words[0]
    before = os.getcwd()
    os.chdir(os.path.expanduser(target))
    os.environ["OLDPWD"] = before
    print(os.getcwd())


def env(call):
    """Show the environment or one variable of it, or set one: name=value or name value."""
    name, *rest = re.split(r"\s*=\s*|\s+", call.expanded().strip(), maxsplit=1)
    if not name:
        return dict(os.environ)
    if not rest:
        if name not in os.environ:
            raise UsageError(f"line {call.number}: there is no environment variable {name}")
        return os.environ[name]
    os.environ[name] = rest[0]
    print(f"env: {name}={rest[0]}")


def who(call):
    hidden = {"In", "Out"}
    names = call.runner.history.names
    found = sorted(name for name, value in list(names.items())
                   if name[:1] != "_" and name not in hidden and type(value) is not type(sys))
    print("\t".join(found) if found else "There are no variables.")


def run(call):
    """Execute a file as a program, and import its variables."""
    words = call.words()
    if not words or words[0].startswith("-"):
        raise UsageError(f"line {call.number}: %run needs a file, and takes no options here")
    path = os.path.expanduser(words[0])
    argv, main = sys.argv, sys.modules["__main__"]
    sys.argv = [path, *words[1:]]
    try:
        made = runpy.run_path(path, run_name="__main__")
    finally:
        sys.argv, sys.modules["__main__"] = argv, main
    call.runner.history.names.update((name, value) for name, value in made.items() if name[:2] != "__")


def write_file(call):
    words = call.words()
    append = words[:1] == ["-a"]
    if len(words) != 1 + append:
        raise UsageError(f"line {call.number}: %%writefile needs one file: %%writefile [-a] name")
    path = os.path.expanduser(words[-1])
    print(("Appending to " if append else "Overwriting " if os.path.exists(path) else "Writing ") + path)
    with open(path, "a" if append else "w", encoding="utf-8") as file:
        file.write(call.body)


def capture(call):
    """Capture the output of the body, under a name if there is one."""
    words = call.line.split()
    names = [word for word in words if word[:2] != "--"]
    kept = Captured()
    before, streams = display.captured, (sys.stdout, sys.stderr)
    if "--no-display" not in words:
        display.captured = kept.outputs
    sys.stdout = sys.stdout if "--no-stdout" in words else kept.out
    sys.stderr = sys.stderr if "--no-stderr" in words else kept.err
    try:
        call.evaluate()
    finally:
        display.captured, (sys.stdout, sys.stderr) = before, streams
        if names:
            call.runner.history.names[names[0]] = kept


class Captured:
    """The output captured by %%capture."""

    def __init__(self):
        self.out, self.err, self.outputs = io.StringIO(), io.StringIO(), []

    @property
    def stdout(self):
        return self.out.getvalue()

    @property
    def stderr(self):
        return self.err.getvalue()

    def show(self):
        sys.stdout.write(self.stdout)
        sys.stderr.write(self.stderr)
        for kind, data, metadata, display_id in self.outputs:
            display.publish("display" if kind == "result" else kind, data, metadata, display_id)

    __call__ = show

    def __str__(self):
        return self.stdout


def matplotlib(call):
    if call.line.strip() not in ("", "inline"):
        raise UsageError(f"line {call.number}: figures are shown inline here: %matplotlib inline")


def config(call):
    found = re.fullmatch(r"\s*InlineBackend\.figure_formats?\s*=\s*(.+)", call.line)
    if found is None:
        raise UsageError(f"line {call.number}: only InlineBackend.figure_formats can be set here; "
                         "`%pip install ipython` gives the others")
    names = eval(found[1], call.names)
    load("figures").set_formats(*([names] if isinstance(names, str) else names))


LINES = {
    "!": command, "!!": command_lines, "?": helping.brief, "??": helping.full,
    "%pip": pip, "%time": timing.time_line, "%timeit": timing.timeit_line, "%matplotlib": matplotlib,
    "%config": config, "%cd": cd, "%pwd": lambda call: os.getcwd(), "%env": env, "%set_env": env,
    "%run": run, "%who": who, "%sx": command_lines, "%system": command_lines,
}
CELLS = {
    "%%bash": script, "%%sh": script, "%%time": timing.time_cell, "%%timeit": timing.timeit_cell,
    "%%capture": capture, "%%writefile": write_file, "%%file": write_file,
}
