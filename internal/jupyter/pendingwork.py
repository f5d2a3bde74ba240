"""Work in a kernel of Python that its runs have started and that can still print.

The kernel answers a request of our own with its amount. An execution, even a silent one,
would call the functions that programs have registered for executions."""
import array
import asyncio
import atexit
import fcntl
import os
import sys
import termios
import threading
import weakref

POOLS = "_ExecutorManagerThread"  # the class of threads that manage the processes of an executor
HELPERS = (b"multiprocessing.resource_tracker", b"multiprocessing.forkserver", b"loky.backend.resource_tracker")

STREAMS = sys.stdout, sys.stderr

first = {thread.ident for thread in threading.enumerate()}


def pending():
    """Return the unfinished tasks of the kernel's loop, without the current one."""
    try:
        return asyncio.all_tasks() - {asyncio.current_task()}
    except RuntimeError:  # the kernel has another kind of loop
        return set()


own = weakref.WeakSet(pending())  # tasks of the kernel itself


def install(shell):
    kernel = shell.kernel

    def reply(stream, identity, request):
        kernel.session.send(stream, "quire_left_reply", {"status": "ok", "left": left()}, request, identity)

    kernel.shell_handlers["quire_left_request"] = reply
    atexit.register(publish)  # registered before those of programs, so called after them
    sys.unraisablehook = quiet(sys.unraisablehook)


def quiet(hook):
    """Return a hook that ignores the kernel's own sockets, which raise at their end
    where warnings are errors."""

    def say(unraisable, /):
        if getattr(unraisable.object, "__qualname__", "") != "Socket.__del__":
            hook(unraisable)

    return say


def publish():
    """Publish the last output, which the kernel would do a fifth of a second later."""
    for stream in STREAMS:
        stream.flush()


def left():
    """Return the number of tasks, and of threads and processes that the program would wait
    for at its end or that hold the kernel's output."""
    threads = [thread for thread in threading.enumerate() if thread.ident not in first and not thread.daemon]
    workers = {process.pid for process in daemons()}
    for thread in threads:
        workers.update(dict(getattr(thread, "processes", None) or {}))
    return len(pending() - set(own)) + sum(map(is_busy, threads)) + sum(pid not in workers for pid in processes()) + sum(map(has_more, STREAMS))


def is_busy(thread):
    """Return whether a thread is working. Idle workers of executors wait for tasks."""
    if type(thread).__name__ == POOLS:
        return bool(getattr(thread, "pending_work_items", None))
    frame = sys._current_frames().get(thread.ident)
    return frame is not None and not (
        frame.f_code.co_name == "_worker" and frame.f_globals.get("__name__") == "concurrent.futures.thread")


def has_more(stream):
    """Return whether the kernel has output of processes left to read."""
    reader, end = getattr(stream, "watch_fd_thread", None), getattr(stream, "_fid", None)
    if end is None or reader is None or not reader.is_alive():
        return False
    size = array.array("i", [0])
    fcntl.ioctl(end, termios.FIONREAD, size)
    return size[0] > 0


def daemons():
    """Return the processes that multiprocessing ends with the program."""
    module = sys.modules.get("multiprocessing.process")
    return [process for process in module.active_children() if process.daemon] if module else []


def processes():
    """Return the processes of our session that hold our output, where the system can tell."""
    ours, session = {opened("self", 1), opened("self", 2)} - {""}, os.getsid(0)
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc/self/fd") else ():
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            if os.getsid(int(name)) == session and ours & {opened(name, 1), opened(name, 2)} and not is_helper(name):
                found.append(int(name))
        except OSError:
            continue  # it has ended
    return found


def opened(process, number):
    try:
        name = os.readlink(f"/proc/{process}/fd/{number}")
    except OSError:
        return ""
    return name if name.startswith("pipe:") else ""


def is_helper(name):
    with open(f"/proc/{name}/cmdline", "rb") as file:
        command = file.read()
    return any(helper in command for helper in HELPERS)
