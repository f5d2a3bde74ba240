# snippet: f-strings
x = 3.14159
f'{x:.2f} {x!r:>10} {x=}'

# snippet: unpacking
a, *b = range(4)
a, b
# cell
{**{'a': 1}, 'b': 2}
# cell
[*'ab', *[1]]

# snippet: decorators and closures
def deco(f):
    def w(*a):
        print('before')
        return f(*a)
    return w
@deco
def g(x): return x
g(3)

# snippet: generators over cells
def g():
    x = yield 1
    print('got', x)
    yield 2
it = g()
next(it)
# cell
it.send('hello')

# snippet: context managers
from contextlib import contextmanager
@contextmanager
def c():
    print('in')
    try:
        yield 1
    finally:
        print('out')
with c() as v:
    print(v)

# snippet: classes over cells
class A:
    def hi(self): return 'old'
a = A()
# cell
class A:
    def hi(self): return 'new'
a.hi(), A().hi()
# cell
A.hi = lambda self: 'patched'
A().hi()

# snippet: inheritance and super
class A:
    def f(self): return ['A']
class B(A):
    def f(self): return super().f() + ['B']
B().f()

# snippet: an abstract class
import abc
class A(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
A()

# snippet: operators
class V:
    def __init__(self, x): self.x = x
    def __add__(self, o): return V(self.x + o.x)
    def __eq__(self, o): return self.x == o.x
    def __repr__(self): return f'V({self.x})'
V(1) + V(2)
# cell
V(1) == V(1)

# snippet: slots and attributes
class S:
    __slots__ = ('a',)
s = S()
s.b = 1

# snippet: descriptors
class D:
    def __get__(self, o, t): return 'got'
class C:
    d = D()
C().d, C.d

# snippet: comprehension scopes
x = 'outer'
[x for x in range(3)]
# cell
x
# cell
{k: v for k, v in zip('ab', [1, 2])}
# cell
{i % 2 for i in range(5)}

# snippet: class bodies see cell names
n = 2
class C:
    xs = [i * n for i in range(3)]
C.xs

# snippet: lambda defaults
fs = [lambda i=i: i for i in range(3)]
[f() for f in fs]

# snippet: global and nonlocal
def f():
    n = 0
    def g():
        nonlocal n
        n += 1
        return n
    g()
    return g()
f()

# snippet: star arguments
def f(*a, k=1, **kw): return a, k, kw
f(1, 2, k=3, z=4)
# cell
f(k=1, k=2)

# snippet: positional only arguments
def f(a, /, b): return a + b
f(a=1, b=2)

# snippet: while, else and break
i = 0
while i < 3:
    i += 1
else:
    print('else')
i

# snippet: try, else and finally
try:
    x = 1
except Exception:
    print('no')
else:
    print('else')
finally:
    print('finally')

# snippet: slices
x = list(range(10))
x[2:8:2], x[::-1][:3]
# cell
x[1:3] = []
x

# snippet: integers
7 // 2, -7 // 2, 7 % -3, divmod(7, 2)
# cell
0xff, 0b11, 0o7
# cell
(5).bit_length(), 2 ** -1

# snippet: floats
0.1 + 0.2, 1e16, float('nan')
# cell
round(2.5), round(2.675, 2)

# snippet: bytes and texts
'é'.encode(), b'\xc3\xa9'.decode()
# cell
b'\xff'.decode()
# cell
'abc'.encode('utf-16')[:2]

# snippet: format and percent
'%s %d %.1f' % ('a', 1, 2.0), '{:>5}|{:<5}'.format(1, 2)

# snippet: sorting
sorted('bca', reverse=True), sorted([(1, 'b'), (0, 'z')], key=lambda t: t[1])

# snippet: itertools
import itertools
list(itertools.islice(itertools.count(), 3))
# cell
list(itertools.product('ab', [1]))

# snippet: json
import json
json.dumps({'a': [1, None, True]})
# cell
json.loads('{')

# snippet: regular expressions
import re
re.findall(r'\d+', 'a1b22'), re.sub('a', 'b', 'aa')
# cell
re.compile('(')

# snippet: csv and io
import csv, io
list(csv.reader(io.StringIO('a,b\n1,"2,3"\n')))

# snippet: pathlib
from pathlib import Path
Path('x.txt').write_text('hello')
# cell
Path('x.txt').read_text(), Path('x.txt').exists()
# cell
sorted(p.name for p in Path('.').glob('*.txt'))

# snippet: os and shutil
import os, shutil
os.makedirs('a/b'); open('a/b/c', 'w').close()
[(d, fs) for d, _, fs in os.walk('a')]
# cell
shutil.rmtree('a'); os.path.exists('a')

# snippet: zip and hash
import zlib, hashlib
zlib.crc32(b'a'), hashlib.md5(b'a').hexdigest()[:6]

# snippet: heap and bisect
import heapq, bisect
heapq.nsmallest(2, [3, 1, 2]), bisect.bisect([1, 3], 2)

# snippet: statistics
import statistics
statistics.mean([1, 2, 3]), statistics.median([1, 4])

# snippet: datetime arithmetic
import datetime as dt
dt.date(2024, 3, 1) - dt.date(2024, 2, 1)
# cell
dt.datetime(2024, 1, 1).isoformat()

# snippet: textwrap
import textwrap
print(textwrap.fill('word ' * 20, 40))

# snippet: struct
import struct
struct.pack('<I', 1), struct.unpack('<I', b'\x01\0\0\0')

# snippet: copy
import copy
a = [[1]]
b, c = copy.copy(a), copy.deepcopy(a)
a[0].append(2)
b, c

# snippet: typing classes
import typing
class P(typing.NamedTuple):
    x: int
    y: str = 'y'
P(1)
# cell
class T(typing.TypedDict):
    a: int
T(a=1)

# snippet: annotations of names
# bare differs: values are shown as Python shows them, without IPython
x: int = 1
__annotations__
# cell
y: 'str'
# cell
y

# snippet: a docstring in a cell
# bare differs: __main__ has no words of its own
# native differs: __main__ has no words of its own
'a text first'
# cell
__doc__
# cell
def f():
    'doc'
f.__doc__

# snippet: assert with a message
x = 1
assert x == 2, f'x is {x}'

# snippet: del in a function
def f():
    x = 1
    del x
    return x
f()

# snippet: an unbound local
def f():
    print(x)
    x = 1
f()

# snippet: an attribute of None and a suggestion
import collections
collections.namedtoplo

# snippet: a wrong number of arguments
def f(a): pass
f()
# cell
f(1, 2)
# cell
f(b=1)

# snippet: a circular import
open('ca.py', 'w').write('import cb\nx = cb.y\n'); open('cb.py', 'w').write('import ca\ny = ca.x\n');
import ca

# snippet: a package
import os
os.mkdir('pk'); open('pk/__init__.py', 'w').write('from .m import v\n'); open('pk/m.py', 'w').write('v = 4\n');
import pk
pk.v, pk.__name__

# snippet: a relative import
from . import x

# snippet: __import__ and importlib
__import__('math').pi
# cell
import importlib
importlib.import_module('json.decoder').__name__

# snippet: sys.modules
import sys
'math' in sys.modules or __import__('math') is sys.modules['math']

# snippet: timeit and time
import timeit
timeit.timeit('1', number=10) >= 0

# snippet: threads and locks
import threading
lock, n = threading.Lock(), 0
def add():
    global n
    for _ in range(1000):
        with lock: n += 1
ts = [threading.Thread(target=add) for _ in range(4)]
[t.start() for t in ts]; [t.join() for t in ts]
n

# snippet: a queue of threads
import queue, threading
q = queue.Queue()
threading.Thread(target=lambda: q.put(5)).start()
q.get(timeout=5)

# snippet: thread locals
import threading
loc = threading.local()
loc.x = 1
# cell
loc.x

# snippet: frozen dataclass
import dataclasses
@dataclasses.dataclass(frozen=True)
class P:
    x: int
p = P(1)
p.x = 2

# snippet: dictionary views
d = {'a': 1}
d.keys()
# cell
d.items()
# cell
d.values()

# snippet: zip strict
list(zip([1], [1, 2], strict=True))

# snippet: match with classes
import dataclasses
@dataclasses.dataclass
class P:
    x: int
match P(3):
    case P(x=3): print('three')
    case _: print('other')

# snippet: exceptions as values
e = ValueError('a')
e.__traceback__ is None, repr(e), str(e), e.args

# snippet: ellipsis, pass and comments

# only a comment
# cell
pass
# cell
...
# cell
"""text"""  # comment

# snippet: a long line and continuation
x = 1 + \
    2
x
# cell
(1
 +
 2)

# snippet: statements with semicolons
a = 1; b = 2; a + b
# cell
a; b
# cell
a; b;

# snippet: names in other scripts
größe = 5; 数 = 6
größe + 数

# snippet: print in an expression
[print(i) for i in range(2)]
# cell
_ = [print(i) for i in range(2)]
