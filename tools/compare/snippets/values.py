# snippet: the last value and semicolons
1 + 1
# cell
1 + 1;
# cell
x = 5; x
# cell
None
# cell
(1,
 2)
# cell
'a;b'
# cell
5 # ;
# cell
5 ; # comment

# snippet: scalars
1_000_000
# cell
1e300 * 10
# cell
0.1 + 0.2
# cell
1j * 1j
# cell
True
# cell
...
# cell
NotImplemented

# snippet: texts
'single'
# cell
"it's"
# cell
'a\nb\t\x00é\u200b😀'
# cell
b'bytes\xff'
# cell
r'\d'
# cell
'x' * 300

# snippet: containers
[1, [2, [3]]]
# cell
{'a': 1, 'b': [1, 2]}
# cell
{3, 1, 2}
# cell
frozenset([1])
# cell
(1,)
# cell
[]
# cell
{}
# cell
set()
# cell
range(3)

# snippet: long lists
# bare differs: values are shown as Python shows them, without IPython
list(range(100))
# cell
list(range(2000))
# cell
['word' * 5] * 10
# cell
{i: 'value %d' % i for i in range(20)}
# cell
[[i] * 10 for i in range(10)]

# snippet: nested and recursive
a = [1]; a.append(a); a
# cell
d = {}; d['d'] = d; d
# cell
[{'k': ({1}, [b''])}]

# snippet: functions and classes
# bare differs: values are shown as Python shows them, without IPython
def f(a, b=1): pass
f
# cell
class C: pass
C
# cell
len
# cell
str
# cell
lambda x: x
# cell
int.__add__
# cell
[].append
# cell
import math
math

# snippet: collections
# bare differs: values are shown as Python shows them, without IPython
import collections
collections.Counter('hello')
# cell
collections.OrderedDict(a=1)
# cell
collections.defaultdict(list, a=[1])
# cell
collections.deque([1, 2], 5)
# cell
collections.namedtuple('P', 'x y')(1, 2)
# cell
collections.ChainMap({'a': 1})
# cell
collections.UserDict(a=1)

# snippet: dates, paths, fractions
# bare differs: values are shown as Python shows them, without IPython
import datetime
datetime.date(2024, 1, 2)
# cell
datetime.timedelta(1)
# cell
import pathlib
pathlib.Path('/a/b')
# cell
import fractions
fractions.Fraction(1, 3)
# cell
import decimal
decimal.Decimal('1.10')
# cell
import re
re.compile('a+')
# cell
re.match('a', 'ab')
# cell
import uuid
uuid.UUID(int=1)

# snippet: dataclasses
import dataclasses
@dataclasses.dataclass
class P:
    x: int
    y: list = dataclasses.field(default_factory=list)
P(1)
# cell
P(1, ['long' * 10] * 8)

# snippet: enums
import enum
class E(enum.Enum):
    A = 1
class F(enum.IntFlag):
    X = 1
    Y = 2
E.A
# cell
F.X | F.Y
# cell
E

# snippet: a repr that raises
class C:
    def __repr__(self): raise ValueError('no repr')
C()
# cell
1
# cell
display(C()); print('goes on')
# cell
print(C())

# snippet: a repr that returns no text
class C:
    def __repr__(self): return 5
C()
# cell
[C()]

# snippet: a repr of several lines
# bare differs: values are shown as Python shows them, without IPython
class C:
    def __repr__(self): return 'a\nb'
C()
# cell
[C(), C()]

# snippet: a repr that prints
class C:
    def __repr__(self):
        print('printing')
        return 'C'
C()

# snippet: str differs from repr
class C:
    def __str__(self): return 'str'
    def __repr__(self): return 'repr'
print(C())
C()
# cell
f'{C()} {C()!r}'

# snippet: subclasses of builtins
class L(list): pass
L([1, 2])
# cell
class D(dict): pass
D(a=1)
# cell
class S(str): pass
S('a')
# cell
class I(int):
    def __repr__(self): return 'I!'
I(3)
# cell
[I(3)]

# snippet: the last value of each kind of statement
if True:
    5
# cell
for i in range(2):
    i
# cell
x = 3
# cell
def f(): 1
# cell
with open('f', 'w') as f:
    f.write('a')
# cell
try:
    7
finally:
    pass
# cell
del x

# snippet: very long ints
10 ** 5000

# snippet: walrus, conditional and lambda
(y := 5)
# cell
y if y > 3 else 0
# cell
(lambda: 3)()

# snippet: type hints
import typing
typing.List[int]
# cell
list[int] | None

# snippet: an object that answers to every name
class A:
    def __getattr__(self, name): return lambda *a, **k: 'any'
    def __repr__(self): return 'A!'
A()

# snippet: an object whose attributes raise
class A:
    def __getattr__(self, name): raise RuntimeError('attr ' + name)
    def __repr__(self): return 'A!'
A()

# snippet: properties and methods
# bare differs: values are shown as Python shows them, without IPython
class C:
    @property
    def p(self): return 1
    @staticmethod
    def s(): pass
C().p
# cell
C.s
# cell
C.__module__, C.__qualname__

# snippet: the future
from __future__ import annotations
def f(x: undefined): pass
f.__annotations__
# cell
import os
from __future__ import division
1/2
# cell
'doc'
from __future__ import generator_stop
3
# cell
from __future__ import nothing_q
