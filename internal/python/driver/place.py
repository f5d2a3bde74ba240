"""The expression at a cursor, found without parsing, because a source that is being
typed seldom parses."""
import re

NAME = r"[^\W\d]\w*"
CHAIN = re.compile(rf"{NAME}(?:\.{NAME}|\[(?:\d+|'[^'\n\\]*'|\"[^\"\n\\]*\")\])*\Z")
STEP = re.compile(rf"\.?({NAME})|\[(?:(\d+)|'([^']*)'|\"([^\"]*)\")\]")
LONGEST = 400  # bound of a chain, in characters
TOKEN = re.compile(r"#[^\n]*|\"\"\"|'''|[\"'()\[\]{}]")
ENDS = {
    "'": re.compile(r"(?:\\.|[^\\\n'])*(?:'|(?=\n))", re.DOTALL),
    '"': re.compile(r'(?:\\.|[^\\\n"])*(?:"|(?=\n))', re.DOTALL),
    "'''": re.compile(r"(?:\\.|[^\\])*?'''", re.DOTALL),
    '"""': re.compile(r'(?:\\.|[^\\])*?"""', re.DOTALL),
}


def points(source, units):
    """Convert UTF-16 units from the start to characters."""
    return len(source.encode("utf-16-le", "surrogatepass")[:2 * max(units, 0)].decode("utf-16-le", "ignore"))


def units(source, characters):
    """Convert characters from the start to UTF-16 units."""
    return len(source[:characters].encode("utf-16-le", "surrogatepass")) // 2


class State:
    """The lexical state at the end of a text: in a string, a comment, or brackets."""

    def __init__(self, text):
        self.quote = ""  # quote of the open string
        self.start = 0  # start of that string's content
        self.comment = False
        self.brackets = []  # offsets of the open brackets
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
    """Return the dotted name, with constant subscripts, at the end of a text, or
    nothing if it is part of an expression that would have to be evaluated."""
    tail = text[-LONGEST:]
    found = CHAIN.search(tail)
    if found is None or tail[:found.start()].rstrip(" \t").endswith((".", ")", "]", "'", '"')):
        return ""
    return found[0]


def call(text, brackets):
    """Return the name of the function whose arguments are open at the end of the text."""
    for at in reversed(brackets):
        if text[at] == "(":
            return chain(text[:at].rstrip(" \t"))
    return ""


class Unknown(Exception):
    """The name is undefined, or its value cannot be looked up."""


OPEN_TO_KEYS = ("pandas", "numpy", "polars", "builtins")  # packages whose [...] has no side effects


def resolve(expression, names, enter):
    """Return the value of a chain. Of the program's code, only that of attributes
    runs."""
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
