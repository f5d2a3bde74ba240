"""The way out of the process: two pipes for text, one for messages, one order.

Text that Python prints goes into the very pipes that are descriptors 1 and 2,
so it is in order with what C code and subprocesses write there. A message
(a display, the end of a run) travels on its own pipe, which nothing else can
write to. To keep the three in one order the driver puts a numbered mark, which
starts with a secret token, into both text pipes before a message of the same
number; the reader brings the three together there. A mark alone does the same
when Python turns from stdout to stderr or back, and before its first text after
a message, the start of a run or of another process: what was meanwhile written to
either descriptor, by whomever, then comes before that text.

Printing is cheap because text is gathered, up to LIMIT characters or DELAY
seconds, whichever comes first; stderr only up to the end of the line, as Python
has it. It is flushed before anything that could write to the descriptors behind
our back or end the process.
"""
import _queue
import _signal
import _thread
import io
import json.encoder
import os

import _codecs

owners = load("owner")

DELAY = 0.02
LIMIT = 1 << 15
ATOMIC = 4096  # PIPE_BUF: a write up to this size is never torn apart
LARGEST = 64 << 20  # bytes in one message

OWNED = {"display", "update", "result", "error", "clear", "comm"}  # messages that are of a run
KEPT = 4  # lists of text of earlier runs, which a thread may still be about to add to

_write = os.write
_start = _thread.start_new_thread


def refuse(value):
    raise TypeError(f"{type(value).__name__} cannot be shown as JSON")


# The encoder in C, called as the library does, but without the Python around it,
# which depends on builtins that a program may have overwritten.
_chunks = json.encoder.c_make_encoder(
    None, refuse, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, False)


def write_all(fd, data):
    view = memoryview(data)
    while view:
        try:
            view = view[_write(fd, view):]
        except BlockingIOError:
            # A program made descriptor 1 or 2 non-blocking, and so ours.
            os.set_blocking(fd, True)


def encode(text):
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr."""

    encoding = "utf-8"
    errors = "backslashreplace"
    newlines = None
    line_buffering = False
    write_through = False
    mode = "w"

    def __init__(self, channel, name, number, fd):
        self.channel, self.name, self.number, self.fd = channel, name, number, fd
        self.items = []  # str; append is atomic, only a flush removes
        self.size = 0  # of the items, roughly
        self.buffer = Buffer(self)
        self.owner = owners.current.get

    def write(self, text):
        # Hot, and every statement of it may be interrupted: see gate.py.
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        channel = self.channel
        items = self.items  # those of the run that this text is of, or it is set aside
        if self.owner() is not channel.run and owners.foreign() is not None:
            return channel.set_aside(self, text)
        if channel.last is not self:
            channel.turn(self)
        items.append(text)
        if channel.last is not self:  # another thread turned just before it
            channel.last = None
        self.size += len(text)
        if self.size > LIMIT or self.number == 2 and "\n" in text:
            channel.flush()
        elif not channel.armed:
            channel.arm()
        if channel.gate.wanted:
            channel.gate.check()
        return len(text)

    def flush(self):
        self.channel.flush()
        if self.channel.gate.wanted:
            self.channel.gate.check()

    def close(self):
        self.flush()  # a notebook has further cells that print

    def fileno(self):
        return self.number

    def isatty(self):
        return False

    def readable(self):
        return False

    def writable(self):
        return True

    def seekable(self):
        return False

    def reconfigure(self, **options):
        """Accept what programs ask of a real stream; nothing has to change."""

    def take(self):
        items = self.items[:]
        del self.items[:len(items)]
        self.size = 0
        return encode("".join(items)) if items else b""


class Buffer(io.RawIOBase):
    """sys.stdout.buffer: bytes, after the text that was printed before them."""

    def __init__(self, stream):
        self.stream = stream

    def writable(self):
        return True

    def fileno(self):
        return self.stream.number

    def write(self, data):
        self.stream.channel.raw(self.stream, data)
        if self.stream.channel.gate.wanted:
            self.stream.channel.gate.check()
        return memoryview(data).nbytes

    def flush(self):
        self.stream.flush()

    def close(self):
        self.flush()


class Channel:
    def __init__(self, out, err, messages, token, gate):
        self.messages, self.token, self.gate = messages, token, gate
        self.streams = (Stream(self, "<stdout>", 1, out), Stream(self, "<stderr>", 2, err))
        self.last = None  # the one stream whose text needs no mark before it
        self.mark = 0
        self.forked = False
        self.run = None  # the one that goes on
        self.latest = None  # that one, or else the last
        self.aside = []  # run, stream and text of earlier runs; append is atomic
        self.aside_size = 0
        self.earlier = []  # run, stream and items of those that went on last
        self.rests = {}  # bytes of a character that is not whole, by run and stream
        self.pipes = None  # hands on pipes: see pipes.py
        # Reentrant, because a finalizer that prints may run in any flush.
        self.lock = _thread.RLock()
        self.busy = False
        self.deferred = []  # messages of such finalizers
        self.armed = False
        self.wake = _queue.SimpleQueue()
        self.flusher = False
        self.ended = _thread.allocate_lock()

    # The flusher: a thread that exists only while there is something to flush
    # later, so that a program that forks is not told it has threads.

    def arm(self):
        with self.lock:
            self.armed = True
            if not self.flusher:
                try:
                    _start(self.flush_later, ())
                except RuntimeError:  # no more threads: print at once
                    self.armed = False
                    return self.flush()
                self.flusher = True
                self.ended.acquire()
            self.wake.put(True)

    def flush_later(self):
        # Signals are the main thread's, which may wait; and one that came here at
        # the end of a timeout would make get() wait for ever.
        _signal.pthread_sigmask(_signal.SIG_BLOCK, _signal.valid_signals())
        while self.wake.get():
            try:
                if not self.wake.get(timeout=DELAY):
                    break
            except _queue.Empty:
                pass
            self.armed = False
            self.flush()
        self.ended.release()

    def stop_flusher(self):
        if self.flusher and not self.lock._is_owned():
            self.wake.put(False)
            with self.ended:
                self.flusher = self.armed = False

    def flush_at_once(self):
        """Flush without the thread from here on: at the end there is none any more."""
        self.stop_flusher()
        self.arm = self.flush
        self.flush()

    # Everything below holds the lock for the length of a write.

    def flush(self):
        with self.lock:
            if not self.busy:
                self.busy = True
                try:
                    self.flush_streams()
                    self.emit_aside()
                    self.emit_deferred()
                finally:
                    self.busy = False

    def begin(self, run):
        """Have a run go on, or none. A thread of the last one that is about to print adds
        to the items that it has taken, which stay that run's."""
        with self.lock:
            self.flush()
            before, self.run = self.latest, run
            self.latest = before if run is None else run
            for stream in self.streams:
                if before is not None:
                    self.earlier.append((before, stream, stream.items))
                    stream.items = []
            del self.earlier[:-2 * KEPT]
            self.last = None  # what was written between the runs comes first

    def end(self, message):
        """Have no run go on any more, and say so: its text is before that."""
        with self.lock:
            self.begin(None)
            self.emit(message, b"E")

    def set_aside(self, stream, text):
        """Take text of an earlier run."""
        self.aside.append((owners.now(), stream, text))
        self.aside_size += len(text)
        if self.aside_size > LIMIT:
            self.flush()
        elif not self.armed:
            self.arm()
        return len(text)

    def turn(self, stream):
        """Make all that was written so far come before the text of this stream."""
        with self.lock:
            if not self.busy and not self.forked:
                self.busy = True
                try:
                    self.put_mark(b"T")
                finally:
                    self.busy = False
            self.last = stream

    def give_way(self):
        """Flush before others write to the descriptors: what was printed comes
        before that, and what is printed next comes after."""
        with self.lock:
            if self.last is not None:
                self.turn(None)
            self.flush()

    def raw(self, stream, data):
        if owners.foreign() is not None:
            self.set_aside(stream, bytes(data))
            return
        if self.last is not stream:
            self.turn(stream)
        with self.lock:
            self.flush()
            write_all(stream.fd, data)

    def emit(self, message, kind=b"M"):
        run = owners.foreign()
        if run is not None and message["kind"] in OWNED:
            message = {**message, "of": run}
        try:
            body = "".join(_chunks(message, 0)).encode()
        except (TypeError, ValueError, RecursionError):
            body = "".join(_chunks(load("jsonvalues").clean(message), 0)).encode()
        if len(body) > LARGEST:
            raise ValueError(f"an output of {len(body)} bytes is over the limit of {LARGEST}")
        if self.forked:
            return
        with self.lock:
            self.deferred.append((kind, body))
            self.flush()

    def emit_deferred(self):
        while self.deferred:
            self.put_message(*self.deferred.pop(0))

    def put_message(self, kind, body):
        self.put_mark(kind)
        head = len(body).to_bytes(4, "big") + self.mark.to_bytes(8, "big")
        if len(body) <= ATOMIC:
            write_all(self.messages, head + body)
        else:
            write_all(self.messages, head)
            write_all(self.messages, body)

    def flush_streams(self):
        for stream in self.streams:
            if stream.items:
                write_all(stream.fd, stream.take())

    def emit_aside(self):
        """Say what earlier runs have printed: in its order, for each of them."""
        aside, runs = [], {}
        for run, stream, items in self.earlier:
            if items:
                some = items[:]
                del items[:len(some)]
                aside += [(run, stream, text) for text in some]
        some = self.aside[:]
        del self.aside[:len(some)]
        self.aside_size = 0
        aside += some
        if not aside or self.forked:
            return
        for run, stream, text in aside:
            pieces = runs.setdefault(run, [])
            if not pieces or pieces[-1][0] is not stream:
                pieces.append((stream, []))
            pieces[-1][1].append(text if isinstance(text, bytes) else encode(text))
        for run, pieces in runs.items():
            for stream, texts in pieces:
                self.emit_text(run, stream, b"".join(texts))

    def emit_text(self, run, stream, data):
        data = self.rests.pop((run, stream.number), b"") + data
        text, size = _codecs.utf_8_decode(data, "replace", False)
        if size < len(data):
            self.rests[run, stream.number] = data[size:]
        if text:
            message = {"kind": "text", "of": run, "name": stream.name[1:-1], "text": text}
            self.put_message(b"M", "".join(_chunks(message, 0)).encode())

    def put_mark(self, kind):
        self.last = None  # before the text is taken: other threads add to it
        self.mark += 1
        mark = self.token + kind + self.mark.to_bytes(8, "big")
        for stream in self.streams:
            data = stream.take()
            if len(data) + len(mark) <= ATOMIC:
                write_all(stream.fd, data + mark)
            else:
                write_all(stream.fd, data)
                write_all(stream.fd, mark)
        self.last = None  # again: a finalizer may have printed in between

    # A forked child shares the pipes. It may write text, at once and without
    # marks, because its order is its own; messages stay the parent's.

    def before_fork(self):
        self.stop_flusher()
        self.lock.acquire()
        self.give_way()
        self.for_child = self.pipes.before_start()

    def after_fork_in_parent(self):
        self.pipes.started(self.for_child)
        self.lock.release()

    def after_fork_in_child(self):
        self.forked = True
        self.pipes.take(self.for_child)
        self.lock = _thread.RLock()
        os.close(self.messages)
        Stream.write = write_line


def write_line(self, text):
    """Take the place of Stream.write in a forked child."""
    if not isinstance(text, str):
        raise TypeError(f"write() argument must be str, not {type(text).__name__}")
    self.items.append(text)
    if "\n" in text:
        self.channel.flush()
    return len(text)
