"""The event loop of cells that await at their top level.

It runs only while such a cell waits; tasks that a cell left behind go on when a
later cell awaits. It is loaded at the first await, since asyncio is slow to
import, by the driver and so with interrupts held back: see gate.py and, for an
import that the program began and did not finish, rejoin in hooks.py.
"""
import asyncio


class Loop:
    def __init__(self, gate):
        self.gate = gate
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        self.task = None
        self.cancelled = False
        gate.waiting = self.drive.__code__
        gate.cancel = self.cancel

    def wait(self, coroutine):
        if self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        self.cancelled = False
        self.task = self.loop.create_task(coroutine)
        try:
            return self.drive(self.task)
        except asyncio.CancelledError as error:
            if self.cancelled:
                while isinstance(error.__context__, asyncio.CancelledError):
                    error = error.__context__  # up to 3.10 only this knows where
                raise self.gate.interrupt().with_traceback(error.__traceback__) from None
            raise
        finally:
            self.task = None

    def drive(self, task):
        # An interrupt that finds the loop idle cancels the task, which lets its
        # finally clauses run. One that finds the program raises there.
        if self.gate.run and self.gate.wanted == self.gate.run:
            self.gate.wanted = 0
            self.cancel()
        return self.loop.run_until_complete(task)

    def cancel(self):
        """Cancel the task; say yes to raising only when that did not help."""
        task = self.task
        if task is None or self.cancelled:
            return True
        self.cancelled = True
        self.gate.wanted = 0
        self.loop.call_soon_threadsafe(task.cancel)
        return False
