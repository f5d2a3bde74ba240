"""Comms: channels between objects of the program and the views of them.

The package comm lets its host create comms, and older widgets create theirs with
ipykernel. Both get the ones in this module when the program imports them; a program that
does not has no cost.

A message to the program is handled on the main thread between two runs, like a run, but
without a count and a cell. Its output goes where output between runs goes.
"""
import base64
import json.decoder
import os

display, owners = load("display"), load("owner")

WIDGET = "jupyter.widget"

_scan = json.decoder.JSONDecoder().scan_once  # in C: see channel.py


class Comm:
    """One end of a channel. Creating it opens the channel, as the primary end."""

    def __init__(self, target_name="comm", data=None, metadata=None, buffers=None, comm_id=None,
                 primary=True, target_module=None, **options):
        self.comm_id = comm_id or os.urandom(16).hex()
        self.target_name, self.target_module, self.primary = target_name, target_module, primary
        self.on_message = self.on_end = None
        self.closed = True
        self.run = owners.now()  # the run that the effects of its messages belong to
        self.kernel = manager  # older widgets check whether there is one
        if primary:
            self.open(data, metadata, buffers)
        else:
            self.closed = False

    def open(self, data=None, metadata=None, buffers=None):
        manager.register_comm(self)
        try:
            publish(self, "open", data, metadata, buffers)
            self.closed = False
        finally:
            if self.closed:
                manager.comms.pop(self.comm_id, None)
        display.gate.check()

    def send(self, data=None, metadata=None, buffers=None):
        publish(self, "data", data, metadata, buffers)
        display.gate.check()

    def close(self, data=None, metadata=None, buffers=None, deleting=False):
        if not self.closed:
            self.closed = True
            manager.comms.pop(self.comm_id, None)
            publish(self, "close", data, metadata, buffers)
            display.gate.check()

    def on_msg(self, callback):
        """Set the function to call with each message, or none."""
        self.on_message = callback

    def on_close(self, callback):
        self.on_end = callback

    def handle_msg(self, msg):
        if self.on_message is not None:
            self.on_message(msg)

    def handle_close(self, msg):
        if self.on_end is not None:
            self.on_end(msg)


class Manager:
    """The comms of the program, by their ids."""

    def __init__(self):
        self.comms, self.targets = {}, {}

    def register_target(self, target_name, f):
        """Accept a handler for comms opened by the other end, which never happens here."""
        self.targets[target_name] = f

    def unregister_target(self, target_name, f):
        return self.targets.pop(target_name)

    def register_comm(self, comm):
        self.comms[comm.comm_id] = comm
        return comm.comm_id

    def unregister_comm(self, comm):
        del self.comms[comm.comm_id]

    def get_comm(self, comm_id):
        return self.comms.get(comm_id)


manager = Manager()
for function in (Comm.open, Comm.send, Comm.close):
    display.gate.open.add(function.__code__)


def take_over(module):
    """Have the package comm create our comms."""
    module.create_comm = Comm
    module.get_comm_manager = lambda: manager


def take_over_kernel(module):
    """Have ipykernel create our comms, for widgets that use no other package."""
    module.Comm = Comm
    module.CommManager = lambda *args, **options: manager


def publish(comm, do, data, metadata, buffers):
    echo.settle(comm, data)
    emit(comm, do, {} if data is None else data, metadata or {}, buffers or ())


def emit(comm, do, data, metadata=(), buffers=()):
    display.channel.emit({
        "kind": "comm", "do": do, "id": comm.comm_id, "target": comm.target_name, "value": data,
        "metadata": dict(metadata), "buffers": [base64.b64encode(bytes(buffer)).decode() for buffer in buffers],
    })


class Echo:
    """Sends a state update back before all its effects, unless the widget does so itself,
    as newer ones do."""

    def __init__(self):
        self.comm = self.data = None
        self.buffers = ()

    def expect(self, comm, data, buffers):
        if comm.target_name == WIDGET and isinstance(data, dict) and data.get("method") == "update":
            self.comm, self.data, self.buffers = comm, data, buffers

    def settle(self, comm=None, data=None):
        waiting, self.comm = self.comm, None
        if waiting is None or comm is waiting and isinstance(data, dict) and data.get("method") == "echo_update":
            return
        emit(waiting, "data", {**self.data, "method": "echo_update"}, buffers=self.buffers)


echo = Echo()


def receive(channel, gate, runner, body):
    """Handle a message, if its comm still exists."""
    message = _scan(body, 0)[0]
    comm = manager.get_comm(message["comm"])
    gate.serve()
    runner.enter_loop()
    try:
        if comm is not None:
            runner.own(comm.run)
            handle(runner, comm, message)
    except BaseException as error:
        display.report(error)
    runner.leave_loop()
    runner.own(channel.latest)
    if channel.forked:  # the handler forked, and its child has returned
        os._exit(0)
    gate.end()
    channel.emit({"kind": "heard"}, b"e")


def handle(runner, comm, message):
    data = message.get("data")
    buffers = [memoryview(base64.b64decode(buffer)) for buffer in message.get("buffers") or ()]
    echo.expect(comm, data, buffers)
    try:
        runner.enter(comm.handle_msg, {
            "header": {"msg_type": "comm_msg"}, "parent_header": {}, "metadata": {},
            "content": {"comm_id": comm.comm_id, "data": data}, "buffers": buffers,
        })
    finally:
        echo.settle()
