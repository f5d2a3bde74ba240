"""Execute notebooks with ipykernel, as nbclient does, going on after errors.

A request is a line of JSON, and so is its answer. The modules of nbclient and ipykernel are imported once: each notebook
has a process for its client and one for its kernel, which are forked from here in a fresh state.
"""
import json
import os
import signal
import sys
import traceback

import ipykernel.kernelapp
import IPython.core.completer  # noqa: F401
import IPython.core.magics  # noqa: F401
import IPython.extensions.storemagic  # noqa: F401
import nbformat
from jupyter_client.provisioning import local_provisioner
from nbclient import NotebookClient


class Forked:
    """The process of a kernel, with the interface that the provisioner expects."""

    stdin = stdout = stderr = returncode = None

    def __init__(self, pid):
        self.pid = pid

    def poll(self):
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self):
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode

    def send_signal(self, number):
        os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)

    def terminate(self):
        self.send_signal(signal.SIGTERM)


def kernel(read):
    """Become a kernel when the client sends its arguments."""
    with os.fdopen(read) as orders:
        argv = json.loads(orders.readline())
    devnull = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(devnull, fd)
    sys.argv = ["ipykernel_launcher.py", *argv]
    sys.path[0] = os.getcwd()
    ipykernel.kernelapp.IPKernelApp.launch_instance(argv)


def client(request):
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["dir"])
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(write)
        kernel(read)
        os._exit(0)
    os.close(read)
    os.setpgid(pid, pid)  # signals go to the whole group of the kernel

    def launch_kernel(command, **options):
        at = next(i for i, word in enumerate(command) if word.startswith("ipykernel")) + 1
        with os.fdopen(write, "w") as orders:
            orders.write(json.dumps(command[at:]) + "\n")
        return Forked(pid)

    local_provisioner.launch_kernel = launch_kernel
    book = nbformat.read(request["in"], as_version=4)
    NotebookClient(book, timeout=60, kernel_name="python3", allow_errors=True).execute()
    nbformat.write(book, request["out"])


def answer(request):
    """Return the error, or nothing."""
    pid = os.fork()
    if pid == 0:
        try:
            client(request)
        except BaseException:
            with open(request["out"] + ".error", "w") as file:
                traceback.print_exc(file=file)
            os._exit(1)
        os._exit(0)
    if os.waitpid(pid, 0)[1] == 0:
        return ""
    try:
        with open(request["out"] + ".error") as file:
            return file.read()
    except OSError as error:
        return str(error)


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
