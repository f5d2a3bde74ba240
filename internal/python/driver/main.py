"""The driver's start and its loop: one request after the other."""
import _signal
import fcntl
import linecache  # noqa: F401  imported here, where the path has no user files
import os
import sys
import traceback  # noqa: F401

channels, gates, runners, hooks = load("channel"), load("gate"), load("runner"), load("hooks")

HIGH = 200  # above what programs close or reuse by number
_read = os.read


def claim(fd):
    """Move a descriptor where neither the program nor its children meet it."""
    try:
        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HIGH)
    except OSError:  # the limit is lower
        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)
    os.set_blocking(high, True)
    if fd > 2:
        os.close(fd)
    return high


def read(fd, size):
    data = bytearray()
    while len(data) < size:
        chunk = _read(fd, min(size - len(data), 1 << 20))
        if not chunk:
            return None
        data += chunk
    return bytes(data)


def serve(setup):
    requests, messages, interrupts = claim(3), claim(4), claim(5)
    gate = gates.Gate(interrupts)
    channel = channels.Channel(claim(1), claim(2), messages, bytes.fromhex(setup["token"]), gate)
    sys.stdout = sys.__stdout__ = channel.streams[0]
    sys.stderr = sys.__stderr__ = channel.streams[1]
    runner = runners.Runner(channel, gate)
    hooks.install(channel, gate, runner)
    _signal.signal(_signal.SIGINT, gate.on_signal)
    channel.emit({
        "kind": "hello",
        "version": "%d.%d.%d" % sys.version_info[:3],
        "executable": sys.executable,
    })
    while True:
        head = read(requests, 12)
        source = head and read(requests, int.from_bytes(head[:4], "big"))
        if source is None:
            sys.exit()  # the runtime closed its end: run what atexit has
        runner.run(int.from_bytes(head[4:], "big"), source.decode())
