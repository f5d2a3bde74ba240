"""The event loop of the program: one for all cells, as in a kernel of Jupyter.

It is created when the program imports asyncio, or at the first await. In a cell without
await it appears to be the running loop, so the cell can create tasks, although they run
only when the cell ends or waits; between the runs it really runs. A cell that awaits is
a task of it.

It is loaded only then, since asyncio is slow to import, and by the driver, so interrupts
stay pending meanwhile: see gate.py and, for an unfinished import by the program, rejoin
in finder.py.
"""
import _thread
import asyncio
import sys
from asyncio import events

import _contextvars

MISSING = object()
TURNS = 8  # minimum of loop iterations between two runs


class Kept:
    """A task with the context of the cells: variables that it sets stay set.

    Where a task cannot have that context, because it is entered already or Python is
    older than 3.11, the variables are copied at its end."""

    def __init__(self, runner, coroutine):
        self.context, self.coroutine, self.final = runner.context, coroutine, None
        self.nested = runner.inside.get(False)

    def start(self, loop):
        if self.nested:
            return loop.create_task(self.keep())
        if sys.version_info >= (3, 11):
            return loop.create_task(self.coroutine, context=self.context)
        return self.context.run(loop.create_task, self.keep())

    async def keep(self):
        try:
            return await self.coroutine
        finally:
            self.final = _contextvars.copy_context()

    def adopt(self):
        if self.final is not None:
            if self.nested:
                self.copy()
            else:
                self.context.run(self.copy)

    def copy(self):
        for variable, value in self.final.items():
            if variable.get(MISSING) is not value:
                variable.set(value)


class Loop:
    def __init__(self, runner):
        self.runner, self.gate = runner, runner.gate
        self.task = None
        self.cancelled = False
        self.entered = False  # the loop appears to run
        self.gate.waiting = self.drive.__code__
        self.gate.cancel = self.cancel
        self.make()

    def make(self):
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)

    # A loop that appears to run has the state that asyncio checks: the running loop of the thread,
    # and in the loop its thread.

    def enter(self):
        if self.loop.is_closed():
            self.make()
        if not self.entered:
            self.entered = True
            events._set_running_loop(self.loop)
            self.run_in(_thread.get_ident())

    def leave(self):
        if self.entered:
            self.entered = False
            self.run_in(None)
            events._set_running_loop(None)

    def run_in(self, thread):
        try:
            self.loop._thread_id = thread
        except AttributeError:
            pass  # a loop in C, without a settable attribute

    def wait(self, coroutine):
        """Run the loop until a coroutine of the cell is done, and return its value."""
        if not self.entered and events._get_running_loop() is not None:
            coroutine.close()
            raise RuntimeError("This event loop is already running")
        before, entered = self.task, self.entered
        self.leave()
        if self.loop.is_closed():
            self.make()
        self.cancelled = False
        kept = Kept(self.runner, coroutine)
        try:
            self.task = kept.start(self.loop)
            return self.drive(self.task)
        except asyncio.CancelledError as error:
            if self.cancelled:
                while isinstance(error.__context__, asyncio.CancelledError):
                    error = error.__context__  # up to 3.10 only this has the place
                raise self.gate.interrupt().with_traceback(error.__traceback__) from None
            raise
        finally:
            self.task = before
            kept.adopt()
            if entered:
                self.enter()

    def drive(self, task):
        # An interrupt of an idle loop cancels the task, which runs its finally clauses. An
        # interrupt of the program's code raises there.
        if self.gate.run and self.gate.wanted == self.gate.run:
            self.gate.wanted = 0
            self.cancel()
        return self.loop.run_until_complete(task)

    def cancel(self):
        """Cancel the task; return True, for raising, only if that had no effect."""
        task = self.task
        if task is None or self.cancelled:
            return True
        self.cancelled = True
        self.gate.wanted = 0
        self.loop.call_soon_threadsafe(task.cancel)
        return False

    def idle(self, fd):
        """Run the loop until there is input. Code of the program there is interrupted with
        the run that waits for it."""
        if self.loop.is_closed() or events._get_running_loop() is not None:
            return
        self.gate.serve()
        try:
            self.loop.add_reader(fd, self.finish, fd, TURNS)
            try:
                self.loop.run_forever()
            finally:
                self.loop.remove_reader(fd)
        except BaseException as error:
            load("display").report(error)
        self.gate.end()

    def settle(self, fd):
        """Run the loop until all tasks of the program are done, or there is input."""
        waiting = set()

        def look(done=None):
            waiting.discard(done)
            for task in asyncio.all_tasks(self.loop) - waiting:
                waiting.add(task)
                task.add_done_callback(look)
            if not waiting:
                self.loop.stop()

        def leave():
            waiting.clear()
            self.loop.stop()

        if self.loop.is_closed() or events._get_running_loop() is not None:
            return
        self.gate.serve()
        self.loop.add_reader(fd, leave)
        look()
        while waiting and not self.loop.is_closed():
            try:
                self.loop.run_forever()
            except BaseException as error:  # of a task; nothing else ends by it
                load("display").report(error)
        self.loop.remove_reader(fd)
        self.gate.end()

    def finish(self, fd, turns):
        """Stop the loop after a few iterations."""
        self.loop.remove_reader(fd)
        if turns:
            self.loop.call_soon(self.finish, fd, turns - 1)
        else:
            self.loop.stop()
