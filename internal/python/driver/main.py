"""The driver's start and its loop: one request after another."""
import _signal
import fcntl
import linecache  # noqa: F401  imported here, where the path has no user files
import os
import select  # noqa: F401
import sys
import traceback  # noqa: F401

inboxes, channels, gates = load("inbox"), load("channel"), load("gate")
runners, hooks, asking, leaving = load("runner"), load("hooks"), load("ask"), load("leave")

HIGH = 200  # above descriptors that programs close or reuse by number


def claim(fd):
    """Move a descriptor to a number that the program and its children do not use."""
    try:
        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HIGH)
    except OSError:  # the limit is lower
        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)
    os.set_blocking(high, True)
    if fd > 2:
        os.close(fd)
    return high


def serve(setup):
    requests, messages, interrupts, pipes = claim(3), claim(4), claim(5), claim(6)
    inbox, gate = inboxes.Inbox(requests), gates.Gate(interrupts)
    channel = channels.Channel(claim(1), claim(2), messages, setup["token"].encode(), gate)
    channel.pipes = load("pipes").Pipes(channel, pipes, setup["shared"])
    os.environ.update(PAGER="cat", GIT_PAGER="cat")  # a notebook has no pager
    sys.stdout = sys.__stdout__ = channel.streams[0]
    sys.stderr = sys.__stderr__ = channel.streams[1]
    runner = runners.Runner(channel, gate)
    hooks.install(channel, gate, runner)
    asking.install(inbox, channel, gate, runner.enter)
    _signal.signal(_signal.SIGINT, gate.on_signal)
    channel.emit({
        "kind": "hello",
        "version": "%d.%d.%d" % sys.version_info[:3],
        "executable": sys.executable,
    })
    while True:
        if runner.loop is not None and not inbox.kept:
            runner.loop.idle(inbox.fd)
        frame = inbox.next()
        if frame is None:
            sys.exit()  # the runtime closed its end: run the functions of atexit
        kind, number, body = frame
        if kind in (inboxes.RUN, inboxes.JOINED):
            if kind == inboxes.RUN:
                channel.pipes.renew()
            runner.run(number, body[8:].decode(), int.from_bytes(body[:8], "big"))
        elif kind == inboxes.MESSAGE:
            load("comms").receive(channel, gate, runner, body.decode())
        elif kind == inboxes.DRAIN:
            leaving.linger(inbox)
            if runner.loop is not None:
                runner.loop.settle(inbox.fd)
            channel.emit({"kind": "settled"})
            sys.exit()
        else:
            load("query").reply(channel, gate, runner, number, body.decode())
