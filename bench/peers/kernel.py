"""The lower bound set by a Jupyter kernel itself: a source executed through pyzmq alone.

Is given how often to execute which source, after how many times that do not count, and the argv of a kernel with {connection_file} in it. Starts it on
Unix sockets, and prints as JSON how many milliseconds the start and each execution took, from the request to both its reply and the news that the kernel
is idle, and how many displays came.
"""
import hashlib, hmac, json, os, shutil, subprocess, sys, tempfile, time, uuid
import zmq

rounds, before, source, argv = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
folder = tempfile.mkdtemp(prefix="quire-bench-kernel-")
key, session = uuid.uuid4().hex, uuid.uuid4().hex
ports = {"shell_port": 1, "iopub_port": 2, "stdin_port": 3, "control_port": 4, "hb_port": 5}
place = os.path.join(folder, "s")
file = os.path.join(folder, "connection.json")
with open(file, "w") as f:
    json.dump({**ports, "transport": "ipc", "ip": place, "key": key, "signature_scheme": "hmac-sha256"}, f)

began = time.perf_counter()
kernel = subprocess.Popen([a.replace("{connection_file}", file) for a in argv], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
context = zmq.Context()
shown = 0
shell, iopub = context.socket(zmq.DEALER), context.socket(zmq.SUB)
shell.connect(f"ipc://{place}-1")
iopub.connect(f"ipc://{place}-2")
iopub.subscribe(b"")
count = 0


def request(kind, content):
    global count
    count += 1
    name = f"{session}_{count}"
    header = {"msg_id": name, "session": session, "username": "bench", "date": "2026-01-01T00:00:00Z", "msg_type": kind, "version": "5.3"}
    frames = [json.dumps(part).encode() for part in (header, {}, {}, content)]
    mac = hmac.new(key.encode(), digestmod=hashlib.sha256)
    for frame in frames:
        mac.update(frame)
    shell.send_multipart([b"<IDS|MSG>", mac.hexdigest().encode(), *frames])
    return name


def receive(socket):
    frames = socket.recv_multipart()
    at = frames.index(b"<IDS|MSG>")
    mac = hmac.new(key.encode(), digestmod=hashlib.sha256)
    for frame in frames[at + 2 : at + 6]:
        mac.update(frame)
    assert hmac.compare_digest(frames[at + 1], mac.hexdigest().encode())
    header, parent, _, content = (json.loads(frame) for frame in frames[at + 2 : at + 6])
    return header["msg_type"], parent.get("msg_id"), content


def until_idle(name):
    global shown
    while True:
        kind, parent, content = receive(iopub)
        shown += kind == "display_data"
        if parent == name and kind == "status" and content["execution_state"] == "idle":
            return


def ready():
    while True:
        name = request("kernel_info_request", {})
        receive(shell)
        if iopub.poll(100):
            return


def execute():
    t = time.perf_counter()
    name = request("execute_request", {"code": source, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False})
    until_idle(name)
    receive(shell)
    return (time.perf_counter() - t) * 1e3


try:
    ready()
    start = (time.perf_counter() - began) * 1e3
    for _ in range(before):
        execute()
    print(json.dumps({"start": start, "times": [execute() for _ in range(rounds)], "shown": shown}))
finally:
    kernel.kill()
    kernel.wait()
    context.destroy(linger=0)
    shutil.rmtree(folder)
