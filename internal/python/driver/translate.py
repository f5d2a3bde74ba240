"""The language of notebooks as Python, where IPython is missing: each %magic and
!command becomes a call in its place, so lines keep their numbers."""
import re

places = load("place")

NAME = "__magic__"  # among the builtins
CELL = re.compile(r"(\s*\n)*%%(\w+)[ \t]*([^\n]*)\n?", re.A)
LINE = re.compile(r"([ \t]*)(?:(?P<name>[\w.]+(?:[ \t]*,[ \t]*[\w.]+)*)[ \t]*=[ \t]*)?(?:%(?P<magic>\w+)|(?P<command>!!?))(?!=)(?P<rest>.*)\Z", re.S)
HELP = re.compile(r"([ \t]*)(?:(\?\??)[ \t]*([%\w.]+)|(%{0,2}[\w.]+)[ \t]*(\?\??))[ \t]*;?\Z")
PROMPT = re.compile(r"\s*(?:>>>|In \[\d+\]:) ?")
INDENT = re.compile(r"[ \t]*")


def translate(source, first=0):
    """Return a source in Python; it starts after `first` lines of its cell."""
    source = without_prompts(source)
    cell = CELL.match(source)
    if cell:
        before = source.count("\n", 0, cell.start(2))
        return "\n" * before + call("%%" + cell[2], cell[3], source[cell.end():], first + before + 1)
    lines, translated, at = source.split("\n"), [], 0
    indent = INDENT.match(next((line for line in lines if line.strip()), ""))[0]
    while at < len(lines):
        took, text = logical(lines, at, indent)
        translated += [text, *[""] * (took - 1 - text.count("\n"))]
        at += took
    return "\n".join(translated)


def straighten(source):
    """Join the lines of a magic into one, followed by empty lines: IPython would omit
    those and shift all later lines."""
    if "\\\n" not in source or CELL.match(source):
        return source
    lines, straight, at = source.split("\n"), [], 0
    while at < len(lines):
        took, _ = logical(lines, at, "")
        text = "\n".join(lines[at:at + took])
        if LINE.match(text):
            text = text.replace("\\\n", " ") + "\n" * text.count("\\\n")
        straight.append(text)
        at += took
    return "\n".join(straight)


def without_prompts(source):
    """Remove the prompts and the output of a pasted session."""
    if not PROMPT.match(source):
        return source
    kept = []
    for line in source.split("\n"):
        prompt = PROMPT.match(line)
        if prompt:
            kept.append(line[prompt.end():])
        elif line.lstrip().startswith("..."):
            kept.append(line.lstrip()[3:].lstrip(":")[1:])
        else:
            kept.append("")
    return "\n".join(kept)


def logical(lines, at, indent):
    """Return the statement that starts in a line, as Python, and its length."""
    text, count = lines[at][len(indent):] if lines[at].startswith(indent) else lines[at], 1
    special = LINE.match(text) or HELP.match(text)
    while at + count < len(lines) and goes_on(text, special):
        # The lines of a multi-line string are kept, with their indent.
        text, count = text + "\n" + lines[at + count], count + 1
    if not special:
        return count, text
    found = LINE.match(text.replace("\\\n", " "))
    return count, magic(found) if found else help_call(HELP.match(text))


def goes_on(text, special):
    if special:
        return text.endswith("\\")
    state = places.State(text)
    return len(state.quote) == 3 or bool(state.brackets) or text.endswith("\\") and not state.comment


def magic(found):
    name, rest = found["magic"], found["rest"].strip()
    assigned = f"{found['name']} = " if found["name"] else ""
    if name is None:
        name = "!!" if assigned or found["command"] == "!!" else "!"
    else:
        name = "%" + name
    return found[1] + assigned + call(name, rest)


def help_call(found):
    return found[1] + call(found[2] or found[5], found[3] or found[4])


def call(name, line, body=None, first=0):
    more = "" if body is None else f", {body!r}, {first}"
    return f"{NAME}({name!r}, {line!r}{more})"
