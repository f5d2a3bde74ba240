"""An engine of a calculator: a line is an expression or name = expression, and the last value is the result."""

import ast
import json
import operator
import sys

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
names = {}


def send(**message):
    print(json.dumps(message), flush=True)


def value(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](value(node.left), value(node.right))
    raise SyntaxError("a calculator has numbers, names, + - * / and brackets")


def run(request):
    """Executes a program, and returns its error."""
    last = None
    for number, line in enumerate(request["source"].split("\n"), 1):
        name, assigns, text = line.rpartition("=")
        try:
            last = value(ast.parse(text.strip(), mode="eval").body) if text.strip() else last
        except (ArithmeticError, KeyError, SyntaxError) as e:
            return {"name": type(e).__name__, "message": str(e), "line": number}
        if assigns:
            names[name.strip()], last = last, None
    if last is not None:
        send(type="result", data={"text/plain": str(last)})


send(type="hello", protocol=1, language="calculator", version="1", interrupt="none", can=["variables"], extension=".calc", mime="text/plain")
for line in sys.stdin.buffer:
    request = json.loads(line)
    if request["type"] == "run":
        send(type="done", run=request["run"], error=run(request))
    elif request["type"] == "call":
        send(type="reply", id=request["id"], value=[{"name": n, "type": "number", "preview": str(v)} for n, v in names.items()])
