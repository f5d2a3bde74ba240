"""A cell as code objects, and which of their values to show."""
import _ast
import __future__

TOP_LEVEL_AWAIT = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
COROUTINE = 0x80  # inspect.CO_COROUTINE
FUTURES = 0
for _name in __future__.all_feature_names:
    FUTURES |= getattr(__future__, _name).compiler_flag


class Compiler:
    """Compiles cells; imports from __future__ hold for later cells."""

    def __init__(self):
        self.flags = TOP_LEVEL_AWAIT

    def parse(self, text, filename):
        return compile(text, filename, "exec", self.flags | _ast.PyCF_ONLY_AST, True)

    def compile(self, tree, text, filename, mode="last_expr"):
        """Return pairs of a code object and whether to show its value. All are compiled
        before the first one runs: some errors of syntax are found only here."""
        codes = []
        for part, shown in parts(tree, text, mode):
            code = compile(part, filename, "eval" if shown else "exec", self.flags, True)
            self.flags |= code.co_flags & FUTURES
            codes.append((code, shown))
        return codes


def parts(tree, text, mode):
    """Split a cell where a value is shown; mode is IPython's ast_node_interactivity."""
    if mode == "last_expr_or_assign" and tree.body:
        name = bound(tree.body[-1])
        if name is not None and not muted(text, tree.body[-1]):
            tree.body.append(_ast.Expr(name, **place(name)))
            return cut(tree, len(tree.body) - 1)
    if mode == "all":
        shown = [i for i, node in enumerate(tree.body) if is_shown(node, text)]
    elif mode == "none":
        shown = []
    else:
        shown = [i for i in [len(tree.body) - 1] if i >= 0 and is_shown(tree.body[i], text)]
    return cut(tree, *shown)


def is_shown(node, text):
    return isinstance(node, _ast.Expr) and not muted(text, node)


def cut(tree, *shown):
    rest, start = [], 0
    for at in sorted({*shown, *late_futures(tree.body)}):
        if at > start:
            rest.append((_ast.Module(tree.body[start:at], []), False))
        start = at
        if at in shown:
            rest.append((_ast.Expression(tree.body[at].value), True))
            start = at + 1
    if start < len(tree.body) or not rest:
        rest.append((_ast.Module(tree.body[start:], tree.type_ignores), False))
    return rest


def late_futures(body):
    """Return where an import from __future__ follows another statement. Python requires it
    to be first, so the cell is compiled in parts that begin with it."""
    return [i for i, node in enumerate(body) if i and isinstance(node, _ast.ImportFrom) and node.module == "__future__"]


def bound(node):
    """Return the name that an assignment binds, as an expression."""
    target = node.targets[0] if isinstance(node, _ast.Assign) else getattr(node, "target", None)
    if isinstance(node, (_ast.Assign, _ast.AugAssign, _ast.AnnAssign)) and isinstance(target, _ast.Name):
        return _ast.Name(target.id, _ast.Load(), **place(target))
    return None


def place(node):
    return {name: getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}


def muted(text, statement):
    """Return whether a semicolon follows the statement."""
    lines = text.encode("utf-8", "surrogatepass").split(b"\n")
    line = lines[statement.end_lineno - 1] if statement.end_lineno <= len(lines) else b""
    return line[statement.end_col_offset:].lstrip().startswith(b";")
