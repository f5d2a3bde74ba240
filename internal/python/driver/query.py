"""Requests of the runtime between two runs: queries and operations.

For the gate a request is like a run, so it can be interrupted; otherwise it is not: it
has no count, no result and no cell. Text that the program prints meanwhile, in a called
method, goes where output between runs goes.
"""
import builtins
import gc
import json.decoder
import sys

_scan = json.decoder.JSONDecoder().scan_once  # in C: see channel.py


def reply(channel, gate, runner, number, body):
    request = _scan(body, 0)[0]
    latest = channel.latest
    if request["do"] == "install":  # its output belongs to it
        channel.begin(number)
        runner.own(number)
    gate.begin(number)
    value = failure = None
    try:
        value = handle(runner, request)
    except BaseException as error:
        failure = {"name": type(error).__name__, "message": message(error)}
    gate.end()
    channel.end({"kind": "reply", "run": number, "value": value, "error": failure})
    channel.latest = latest
    runner.own(latest)


def message(error):
    try:
        return str(error)
    except BaseException:
        return ""


def handle(runner, request):
    kind = request["do"]
    names = vars(runner.main)
    if kind == "complete":
        return load("complete").complete(request["source"], request["cursor"], names, runner.enter, runner.shell)
    if kind == "inspect":
        return load("describe").describe(request["source"], request["cursor"], names, runner.enter)
    if kind == "variables":
        return load("variables").variables(names, runner.enter)
    if kind == "get":
        return load("share").get(names, request["name"], runner.enter)
    if kind == "set":
        return load("share").put(names, request["name"], request["value"])
    if kind == "table":
        return load("frames").get(names, request["name"], runner.enter)
    if kind == "set table":
        return load("frames").put(names, request["name"], request["value"], runner.enter)
    if kind == "install":
        return load("install").install(request["packages"], runner.enter)
    if kind == "reset":
        return reset(runner)
    raise ValueError(f"unknown request {kind}")


KEPT = ("__name__", "__builtins__", "__doc__", "__loader__", "__package__", "__spec__")


def reset(runner):
    """Remove all names that cells have defined. Imported modules stay loaded."""
    runner.history.clear()
    names = vars(runner.main)
    for name in list(names):
        if name not in KEPT:
            runner.enter(names.pop, name, None)
    names.setdefault("__name__", "__main__")
    names.setdefault("__builtins__", builtins)
    vars(builtins).pop("_", None)
    if runner.shell is not None:  # it has names of its own in there
        runner.enter(runner.shell.reset, new_session=True)
    runner.flags = load("runner").TOP_LEVEL_AWAIT
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        vars(sys).pop(name, None)
    if "matplotlib.pyplot" in sys.modules:
        runner.enter(sys.modules["matplotlib.pyplot"].close, "all")
    runner.enter(gc.collect)
