"""%time and %timeit."""
import gc
import math
import os
import time
import timeit

UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def time_line(call):
    return measure(lambda: call.value(call.line))


def time_cell(call):
    measure(call.evaluate)


def measure(function):
    """Call once, print the processor time and the wall time, return the value."""
    wall, before = time.perf_counter(), os.times()
    try:
        return function()
    finally:
        wall, after = time.perf_counter() - wall, os.times()
        user, system = after.user - before.user, after.system - before.system
        print(f"CPU times: user {span(user)}, sys: {span(system)}, total: {span(user + system)}")
        print(f"Wall time: {span(wall)}")


def span(seconds):
    if seconds >= 60:
        minutes, seconds = divmod(round(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}h {minutes}min {seconds}s" if hours else f"{minutes}min {seconds}s"
    for size, unit in UNITS:
        if seconds >= size:
            break
    return f"{seconds / size:.3g} {unit}"


def timeit_line(call):
    options, statement = options_of(call.line)
    return repeat(call, statement, "pass", options)


def timeit_cell(call):
    options, setup = options_of(call.line)
    return repeat(call, call.body, setup or "pass", options)


def options_of(line):
    """Parse -n and -r at the start of a line."""
    options = {"n": 0, "r": 7}
    while line[:2] in ("-n", "-r"):
        name, rest = line[1], line[2:].lstrip()
        number, _, line = rest.partition(" ")
        options[name], line = int(number), line.lstrip()
    return options, line


def repeat(call, statement, setup, options):
    timer = timeit.Timer(statement, setup, globals=vars(call.runner.main))
    loops = options["n"] or autorange(timer)
    gc_was = gc.isenabled()
    try:
        times = [t / loops for t in timer.repeat(options["r"], loops)]
    finally:
        gc.enable() if gc_was else gc.disable()
    mean = sum(times) / len(times)
    deviation = math.sqrt(sum((t - mean) ** 2 for t in times) / len(times))
    print(f"{span(mean)} ± {span(deviation)} per loop (mean ± std. dev. of {len(times)} run"
          f"{'s' * (len(times) != 1)}, {loops:,} loop{'s' * (loops != 1)} each)")


def autorange(timer):
    loops = 1
    while timer.timeit(loops) < 0.2:
        loops *= 10
    return loops
