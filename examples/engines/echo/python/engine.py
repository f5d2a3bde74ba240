"""An engine of the language echo: a program is a text, which is printed."""

import json
import sys


def send(**message):
    print(json.dumps(message), flush=True)


send(type="hello", protocol=1, language="echo", version="1", interrupt="none", can=[], extension=".txt", mime="text/plain")
for line in sys.stdin.buffer:
    request = json.loads(line)
    if request["type"] == "run":
        send(type="text", stream="stdout", text=request["source"] + "\n")
        send(type="done", run=request["run"])
