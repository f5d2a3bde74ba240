"""The output of the process: two pipes for text, one for messages, in one order.

Text that Python prints goes into the same pipes that are descriptors 1 and 2,
so it is in order with text of C code and subprocesses. A message (a display, the
end of a run) has its own pipe, which nothing else can write to. To keep the three
in one order the driver puts a numbered mark, which starts with a secret token, into
both text pipes before a message of the same number; the reader synchronises the
three there. A mark without a message does the same when Python switches between
stdout and stderr, and before its first text after a message or after the start of a
run or of another process: text that any process has written to either descriptor
meanwhile then comes before that text.

Printing is cheap because text is buffered, up to LIMIT characters or DELAY
seconds, whichever comes first; stderr only up to the end of the line, as in
Python. It is flushed before any operation that could write to the descriptors
directly or end the process.
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
ATOMIC = 4096  # PIPE_BUF: a write up to this size is atomic
LARGEST = 64 << 20  # bytes in one message

OWNED = {"display", "update", "result", "error", "clear", "comm"}  # messages that belong to a run
KEPT = 4  # buffers of earlier runs, to which a thread may still be about to add

_write = os.write
_start = _thread.start_new_thread


def refuse(value):
    raise TypeError(f"{type(value).__name__} cannot be shown as JSON")


# The encoder in C, called like in the library, but without its Python code, which depends on
# builtins that a program may have overwritten.
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
        self.items = []  # of str; append is atomic, only a flush removes
        self.size = 0  # estimate of the items
        self.buffer = Buffer(self)
        self.owner = owners.current.get

    def write(self, text):
        # Hot path; every statement may be interrupted: see gate.py.
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        channel = self.channel
        items = self.items  # the buffer of this text's run, unless it is set aside
        if self.owner() is not channel.run and owners.foreign() is not None:
            return channel.set_aside(self, text)
        if channel.last is not self:
            channel.turn(self)
        items.append(text)
        if channel.last is not self:  # another thread switched streams just before
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
        self.flush()  # later cells print too

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
        """Accept the options of a real stream, without effect."""

    def take(self):
        items = self.items[:]
        del self.items[:len(items)]
        self.size = 0
        return encode("".join(items)) if items else b""


class Buffer(io.RawIOBase):
    """sys.stdout.buffer: bytes, after the text printed before them."""

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
        self.run = None  # the current run
        self.latest = None  # the current run, or else the last
        self.aside = []  # run, stream and text of earlier runs; append is atomic
        self.aside_size = 0
        self.earlier = []  # run, stream and buffers of the latest runs
        self.rests = {}  # bytes of an incomplete character, by run and stream
        self.pipes = None  # transfers pipes: see pipes.py
        # Reentrant, because a finalizer that prints may run in any flush.
        self.lock = _thread.RLock()
        self.busy = False
        self.deferred = []  # messages of such finalizers
        self.armed = False
        self.wake = _queue.SimpleQueue()
        self.flusher = False
        self.ended = _thread.allocate_lock()

    # The flusher: a thread that exists only while there is text to flush later, so a program that
    # forks gets no warning about threads.

    def arm(self):
        with self.lock:
            self.armed = True
            if not self.flusher:
                try:
                    _start(self.flush_later, ())
                except RuntimeError:  # no more threads: flush at once
                    self.armed = False
                    return self.flush()
                self.flusher = True
                self.ended.acquire()
            self.wake.put(True)

    def flush_later(self):
        # Signals are for the main thread, which may be blocked; and one that came here at the end
        # of a timeout would make get() block forever.
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
        """Flush without the thread from now on: there are no threads at the end."""
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
        """Set the current run, or none. A thread of the last run that is about to print adds
        to the buffer that it has taken, which stays that run's."""
        with self.lock:
            self.flush()
            before, self.run = self.latest, run
            self.latest = before if run is None else run
            for stream in self.streams:
                if before is not None:
                    self.earlier.append((before, stream, stream.items))
                    stream.items = []
            del self.earlier[:-2 * KEPT]
            self.last = None  # text from between the runs comes first

    def end(self, message):
        """End the current run with a message, after its text."""
        with self.lock:
            self.begin(None)
            self.emit(message, b"e")

    def set_aside(self, stream, text):
        """Buffer text of an earlier run."""
        self.aside.append((owners.now(), stream, text))
        self.aside_size += len(text)
        if self.aside_size > LIMIT:
            self.flush()
        elif not self.armed:
            self.arm()
        return len(text)

    def turn(self, stream):
        """Put all text so far before the text of this stream."""
        with self.lock:
            if not self.busy and not self.forked:
                self.busy = True
                try:
                    self.put_mark(b"t")
                finally:
                    self.busy = False
            self.last = stream

    def give_way(self):
        """Flush before others write to the descriptors: earlier text comes before
        theirs, and later text after it."""
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

    def emit(self, message, kind=b"m"):
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
        """Send the text of earlier runs, in order for each of them."""
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
            self.put_message(b"m", "".join(_chunks(message, 0)).encode())

    def put_mark(self, kind):
        self.last = None  # before the buffer is emptied: other threads add to it
        self.mark += 1
        mark = self.token + kind + b"%016x" % self.mark
        for stream in self.streams:
            data = stream.take()
            if len(data) + len(mark) <= ATOMIC:
                write_all(stream.fd, data + mark)
            else:
                write_all(stream.fd, data)
                write_all(stream.fd, mark)
        self.last = None  # again: a finalizer may have printed in between

    # A forked child shares the pipes. It writes text at once and without marks, because its order
    # is its own; only the parent sends messages.

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
    """Replace Stream.write in a forked child."""
    if not isinstance(text, str):
        raise TypeError(f"write() argument must be str, not {type(text).__name__}")
    self.items.append(text)
    if "\n" in text:
        self.channel.flush()
    return len(text)
