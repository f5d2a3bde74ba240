"""Importable modules, found without importing them."""
import ast
import importlib.machinery
import os
import pkgutil
import re
import sys

NOTHING = object()  # the value of names without a known one
LARGEST = 1 << 20  # bytes of a source that is read for its names
AFTER_IMPORT = re.compile(r"\s*import\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*([\w.]*)\Z")
AFTER_FROM = re.compile(r"\s*from\s+([\w.]*)\Z")
AFTER_BOTH = re.compile(r"\s*from\s+([\w.]+)\s+import\s+\(?(?:\w+(?:\s+as\s+\w+)?\s*,\s*)*\w*\Z")

known = {}  # by folder of the path: its modification time, and the names in it


def imported(line):
    """Return candidates for the end of an import statement, or None elsewhere."""
    both = AFTER_BOTH.match(line)
    if both:
        return names_of(both[1])
    found = AFTER_IMPORT.match(line) or AFTER_FROM.match(line)
    if not found:
        return None
    if found[1].startswith("."):
        return []  # cells are in no package
    package = found[1].rpartition(".")[0]
    return parts(package) if package else top()


def top():
    names = set(sys.builtin_module_names)
    for path in sys.path:
        names.update(within(path or "."))
    return [(name, "module", NOTHING) for name in names]


def within(path):
    try:
        changed = os.stat(path).st_mtime_ns
    except OSError:
        return ()
    if known.get(path, (None,))[0] != changed:
        known[path] = changed, [module.name for module in pkgutil.iter_modules([path])]
    return known[path][1]


def parts(package):
    return [(module.name, "module", NOTHING) for module in pkgutil.iter_modules(places(package))]


def places(package):
    """Return the directories of a package."""
    if package in sys.modules:
        return list(vars(sys.modules[package]).get("__path__", ()))
    spec = find(package)
    return list(spec.submodule_search_locations or ()) if spec is not None else []


def find(name):
    parent = name.rpartition(".")[0]
    return importlib.machinery.PathFinder.find_spec(name, places(parent) if parent else None)


def names_of(module):
    """Return the names that can be imported from a module."""
    if module in sys.modules:
        names = [name for name in vars(sys.modules[module]) if isinstance(name, str)]
        return [(name, "", NOTHING) for name in names] + parts(module)
    try:
        spec = find(module)
        return bound(spec.origin) + parts(module)
    except Exception:
        return []


def bound(path):
    """Return the names that a source binds at its top level."""
    if not path or not path.endswith(".py"):
        return []
    with open(path, "rb") as file:
        tree = ast.parse(file.read(LARGEST))
    found = []
    for statement in tree.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append((statement.name, "function", NOTHING))
        elif isinstance(statement, ast.ClassDef):
            found.append((statement.name, "class", NOTHING))
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            found += [((alias.asname or alias.name).partition(".")[0], "", NOTHING) for alias in statement.names]
        elif isinstance(statement, ast.Assign):
            found += [(target.id, "variable", NOTHING) for target in statement.targets if isinstance(target, ast.Name)]
    return found
