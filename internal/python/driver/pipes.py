"""Pipes for what the processes of a run print.

A process may outlive the run that has started it. It has the pipes of its run then, and
the next run gets new ones: the ends that are read go to the runtime over a socket, and a
message, in its place among the text, says what they are for. An earlier run that starts
a process, in a thread, gives it pipes of its own.
"""
import os
import sys

owners = load("owner")

# Processes that Python and its libraries keep for their own work, which end with it.
HELPERS = (b"multiprocessing.resource_tracker", b"multiprocessing.forkserver", b"loky.backend.resource_tracker")
PAST = 64  # pipes of earlier runs that are known again
OUT, ERR = 9, 11  # what fork_exec is given for the descriptors 1 and 2


class Pipes:
    def __init__(self, channel, fd, shared):
        self.channel, self.fd = channel, fd
        self.socket = None
        self.used = shared  # a process that was started may have those of the run
        self.shared = shared  # and those that started us have, up to our end
        self.past = []  # what is known of the pipes of earlier runs

    def send(self, reads, writes, **message):
        """Give the ends that are read to the runtime, and say whether that went well. If
        not, all are closed."""
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
        self.channel.emit({"kind": "pipes", **message}, b"E")
        return True

    def make(self):
        """Return the ends to read of two new pipes, and those to write."""
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
        """Leave the pipes to the processes that have them, before a new run."""
        if self.used and not self.channel.forked:
            try:
                reads, writes = self.make()
            except OSError:
                return  # there are no more descriptors: they stay together
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
            for stream in self.channel.streams:  # the program may have brought one back
                if known(stream.number, self.past):
                    os.dup2(stream.fd, stream.number)

    def before_start(self, helper=False):
        """Note that a process is about to start. Return pipes for it if the run that goes
        on is not the one that starts it, or if nobody waits for its end, else None."""
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
        """Close ends that only another process needs."""
        for end in ends or ():
            os.close(end)

    def take(self, ends):
        """Have a forked process write to the pipes that it got."""
        for stream, end in zip(self.channel.streams, ends or ()):
            os.dup2(end, stream.number)
            os.dup2(end, stream.fd, inheritable=False)


def is_helper(command):
    """Say whether a command, a sequence of strings or bytes, is that of a helper."""
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
    """Return the arguments of fork_exec with pipes in the place of descriptors 1 and 2."""
    args = list(args)
    own = {-1: None, 1: ends[0], 2: ends[1]}
    for at, end in ((OUT, ends[0]), (ERR, ends[1])):
        if args[at] in own:
            args[at] = own[args[at]] or end
    return args


def for_spawn(options, ends):
    """Return the options of posix_spawn likewise."""
    actions = [(os.POSIX_SPAWN_DUP2, end, number + 1) for number, end in enumerate(ends)]
    return {**options, "file_actions": [*actions, *(options.get("file_actions") or ())]}
