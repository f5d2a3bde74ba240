"""Places in a source: what stands at a cursor, told without parsing, because a
source that is being typed seldom parses."""
import re

NAME = r"[^\W\d]\w*"
CHAIN = re.compile(rf"{NAME}(?:\.{NAME}|\[(?:\d+|'[^'\n\\]*'|\"[^\"\n\\]*\")\])*\Z")
STEP = re.compile(rf"\.?({NAME})|\[(?:(\d+)|'([^']*)'|\"([^\"]*)\")\]")
LONGEST = 400  # characters of a chain that we look at
TOKEN = re.compile(r"#[^\n]*|\"\"\"|'''|[\"'()\[\]{}]")
ENDS = {
    "'": re.compile(r"(?:\\.|[^\\\n'])*(?:'|(?=\n))", re.DOTALL),
    '"': re.compile(r'(?:\\.|[^\\\n"])*(?:"|(?=\n))', re.DOTALL),
    "'''": re.compile(r"(?:\\.|[^\\])*?'''", re.DOTALL),
    '"""': re.compile(r'(?:\\.|[^\\])*?"""', re.DOTALL),
}


def points(source, units):
    """Turn UTF-16 units from the start into characters."""
    return len(source.encode("utf-16-le", "surrogatepass")[:2 * max(units, 0)].decode("utf-16-le", "ignore"))


def units(source, characters):
    """Turn characters from the start into UTF-16 units."""
    return len(source[:characters].encode("utf-16-le", "surrogatepass")) // 2


class State:
    """Where the end of a text is: in a string, in a comment, in which brackets."""

    def __init__(self, text):
        self.quote = ""  # of the string it is in
        self.start = 0  # of what is in that string
        self.comment = False
        self.brackets = []  # places of those that are open
        at = 0
        while True:
            token = TOKEN.search(text, at)
            if token is None:
                return
            at = token.end()
            self.read(text, token)
            if token[0] in ENDS:
                end = ENDS[token[0]].match(text, at)
                if end is None:
                    self.quote, self.start = token[0], at
                    return
                at = end.end()

    def read(self, text, token):
        if token[0][0] == "#":
            self.comment = token.end() == len(text)
        elif token[0] in "([{":
            self.brackets.append(token.start())
        elif token[0] in ")]}" and self.brackets:
            self.brackets.pop()


def chain(text):
    """Return the dotted name, with constant subscripts, that a text ends with, or
    nothing when it is a part of an expression that would have to be evaluated."""
    tail = text[-LONGEST:]
    found = CHAIN.search(tail)
    if found is None or tail[:found.start()].rstrip(" \t").endswith((".", ")", "]", "'", '"')):
        return ""
    return found[0]


def call(text, brackets):
    """Return the name of the function whose arguments the text ends in."""
    for at in reversed(brackets):
        if text[at] == "(":
            return chain(text[:at].rstrip(" \t"))
    return ""


class Unknown(Exception):
    """The name says nothing, or what it stands for would not say."""


OPEN_TO_KEYS = ("pandas", "numpy", "polars", "builtins")  # packages whose [...] is only a look


def resolve(expression, names, enter):
    """Return what a chain stands for, with no code of the program run but that of
    its attributes."""
    import builtins
    value, first = None, True
    for step in STEP.finditer(expression):
        name, index, *keys = step.groups()
        try:
            if first:
                value = names[name] if name in names else vars(builtins)[name]
            elif name is not None:
                value = enter(getattr, value, name)
            elif type(value).__module__.partition(".")[0] in OPEN_TO_KEYS:
                key = int(index) if index is not None else keys[0] if keys[0] is not None else keys[1]
                value = enter(lambda: value[key])
            else:
                raise Unknown
        except Exception as error:
            raise Unknown from error
        first = False
    if first:
        raise Unknown
    return value
