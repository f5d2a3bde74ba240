"""Pipes for the output of a run's processes.

A process may outlive the run that has started it. It then keeps the pipes of its run,
and the next run gets new ones: the read ends go to the runtime over a socket, with a
message, in order with the text, that describes them. An earlier run that starts a
process, in a thread, gives it pipes of its own.
"""
import os
import sys

owners = load("owner")

# Processes that Python and its libraries keep for their own work, which end with Python.
HELPERS = (b"multiprocessing.resource_tracker", b"multiprocessing.forkserver", b"loky.backend.resource_tracker")
PAST = 64  # bound of the remembered pipes of earlier runs
OUT, ERR = 9, 11  # indices of fork_exec's arguments for descriptors 1 and 2


class Pipes:
    def __init__(self, channel, fd, shared):
        self.channel, self.fd = channel, fd
        self.socket = None
        self.used = shared  # a started process may hold the run's pipes
        self.shared = shared  # the processes that started us hold them, until our end
        self.past = []  # remembered pipes of earlier runs

    def send(self, reads, writes, **message):
        """Send the read ends to the runtime, and return whether that succeeded. If not, all
        are closed."""
        try:
            import _socket

            if self.socket is None:
                self.socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, fileno=self.fd)
            data = b"".join(end.to_bytes(4, sys.byteorder) for end in reads)
            self.socket.sendmsg([b"p"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, data)])
        except (ImportError, OSError):
            self.started(writes)
            return False
        finally:
            self.started(reads)
        self.channel.emit({"kind": "pipes", **message}, b"e")
        return True

    def make(self):
        """Return the read ends of two new pipes, and the write ends."""
        ends = []
        try:
            for _ in range(2):
                ends += os.pipe()
        except OSError:
            for end in ends:
                os.close(end)
            raise
        return ends[::2], ends[1::2]

    def renew(self):
        """Leave the pipes to the processes that hold them, before a new run."""
        if self.used and not self.channel.forked:
            try:
                reads, writes = self.make()
            except OSError:
                return  # no more descriptors: the run keeps the pipes
            streams = self.channel.streams
            ours = [same(stream.number, stream.fd) for stream in streams]
            past = [os.fstat(stream.fd)[1:3] for stream in streams]
            if not self.send(reads, writes, of=self.channel.latest, main=True, helper=self.shared):
                return
            self.used = self.shared = False
            self.past = (self.past + past)[-PAST:]
            for stream, end, own in zip(streams, writes, ours):
                os.dup2(end, stream.fd, inheritable=False)
                if own:
                    os.dup2(end, stream.number)
                os.close(end)
        elif self.past:
            for stream in self.channel.streams:  # the program may have restored one
                if known(stream.number, self.past):
                    os.dup2(stream.fd, stream.number)

    def before_start(self, helper=False):
        """Record that a process is about to start. Return pipes for it if an earlier run starts
        it, or if its end is not waited for, else None."""
        run = owners.now() if helper else owners.foreign()
        if run is None or self.channel.forked:
            self.used = True
            return None
        try:
            reads, writes = self.make()
        except OSError:
            self.used = True
            return None
        if self.send(reads, writes, of=run, helper=helper):
            return writes
        self.used = True
        return None

    def started(self, ends):
        """Close ends that only the child process needs."""
        for end in ends or ():
            os.close(end)

    def take(self, ends):
        """Have a forked process write to its own pipes."""
        for stream, end in zip(self.channel.streams, ends or ()):
            os.dup2(end, stream.number)
            os.dup2(end, stream.fd, inheritable=False)


def is_helper(command):
    """Return whether a command, a sequence of strings or bytes, is that of a helper."""
    words = [os.fsencode(word) for word in command if isinstance(word, (str, bytes))]
    return any(name in word for word in words for name in HELPERS)


def same(one, other):
    try:
        return os.fstat(one)[1:3] == os.fstat(other)[1:3]
    except OSError:
        return False


def known(fd, past):
    try:
        return os.fstat(fd)[1:3] in past
    except OSError:
        return False


def for_exec(args, ends):
    """Return the arguments of fork_exec with pipes as descriptors 1 and 2."""
    args = list(args)
    own = {-1: None, 1: ends[0], 2: ends[1]}
    for at, end in ((OUT, ends[0]), (ERR, ends[1])):
        if args[at] in own:
            args[at] = own[args[at]] or end
    return args


def for_spawn(options, ends):
    """Return the options of posix_spawn with pipes as descriptors 1 and 2."""
    actions = [(os.POSIX_SPAWN_DUP2, end, number + 1) for number, end in enumerate(ends)]
    return {**options, "file_actions": [*actions, *(options.get("file_actions") or ())]}
