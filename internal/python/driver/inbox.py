"""The input: frames of the runtime, each a length, a kind, a number and a body.

Runs, requests and messages over comms are for the loop on the main thread; an answer is for the
thread that asked. Only one thread reads at a time, and it keeps frames for the others:
a thread that asks as its run ends may read the next run here.
"""
import _thread
import os

RUN, REQUEST, ANSWER, MESSAGE = b"R", b"Q", b"A", b"M"
JOINED = b"J"  # a run that keeps the pipes of the one before
DRAIN = b"D"  # the end, see leave.py
HEAD = 13

_read = os.read


class Inbox:
    def __init__(self, fd):
        self.fd = fd
        self.lock = _thread.RLock()  # of the reading thread
        self.kept = []

    def next(self):
        """Return kind, number and body of the next frame, or None at the end."""
        with self.lock:
            while True:
                frame = self.kept.pop(0) if self.kept else self.read()
                if frame is None or frame[0] != ANSWER:  # an answer without a waiting thread is dropped
                    return frame

    def answer(self, number):
        """Read one frame and return its body if it is the answer to a question,
        else None. The caller holds the lock."""
        frame = self.read()
        if frame is None:
            raise EOFError("the runtime is gone")
        if frame[0] != ANSWER:
            self.kept.append(frame)
        return frame[2] if frame[:2] == (ANSWER, number) else None

    def read(self):
        head = self.exactly(HEAD)
        body = head and self.exactly(int.from_bytes(head[:4], "big"))
        if body is None:
            return None
        return head[4:5], int.from_bytes(head[5:], "big"), body

    def exactly(self, size):
        data = bytearray()
        while len(data) < size:
            chunk = _read(self.fd, min(size - len(data), 1 << 20))
            if not chunk:
                return None
            data += chunk
        return bytes(data)
