# snippet: an error and what follows
1 / 0
# cell
'goes on'

# snippet: errors of every kind
undefined
# cell
[][1]
# cell
{}['k']
# cell
int('x')
# cell
'a' + 1
# cell
None.x
# cell
import nothing_there
# cell
from math import nothing
# cell
open('/nothing')
# cell
assert False, 'said'
# cell
assert False
# cell
raise ValueError
# cell
raise ValueError('')
# cell
raise ValueError('a', 'b')
# cell
raise ValueError('line\nline')

# snippet: syntax errors
# bare differs: the words are those of Python itself, which say more
# native differs: the words are those of Python itself, which say more
x = = 1
# cell
if True
# cell
(1, 2
# cell
'unterminated
# cell
  x = 1
 y = 2
# cell
def f():
return 1
# cell
1 +
# cell
return 5
# cell
break
# cell
yield 5
# cell
f(a=1, a=2)
# cell
x: int = 
# cell
print 'old'
# cell
'''open

# snippet: nothing runs of a cell with a syntax error
print('not printed')
x = = 1

# snippet: an error of the compiler in the middle of a cell
# bare differs: nothing of a cell runs whose syntax is wrong
# native differs: nothing of a cell runs whose syntax is wrong
print('first')
break
# cell
print('first')
nonlocal x

# snippet: tabs and spaces
if True:
	x = 1
        y = 2

# snippet: chained errors
try:
    1 / 0
except ZeroDivisionError as e:
    raise ValueError('second') from e
# cell
try:
    1 / 0
except ZeroDivisionError:
    undefined
# cell
try:
    1 / 0
except ZeroDivisionError:
    raise ValueError('alone') from None

# snippet: groups
raise ExceptionGroup('many', [ValueError(1), TypeError('t')])
# cell
try:
    raise ExceptionGroup('many', [ValueError(1), TypeError('t')])
except* ValueError as e:
    print('caught', e.exceptions)

# snippet: notes
e = ValueError('noted')
e.add_note('a note')
raise e

# snippet: recursion
def f(): f()
f()
# cell
'alive'

# snippet: classes of errors
class Mine(Exception):
    def __str__(self): return 'my words'
raise Mine
# cell
class Bad(Exception):
    def __str__(self): raise ValueError('no words')
try:
    raise Bad
except Bad as b:
    print('caught')
# cell
raise BaseException('base')
# cell
class In:
    class Er(Exception): pass
raise In.Er('inner')

# snippet: KeyboardInterrupt of the program
raise KeyboardInterrupt
# cell
'alive'

# snippet: GeneratorExit and StopIteration
raise StopIteration(5)
# cell
next(iter([]))
# cell
raise GeneratorExit

# snippet: errors in other files
open('modq.py', 'w').write('def g():\n    return 1 / 0\n');
# cell
import modq
modq.g()
# cell
open('synq.py', 'w').write('x = = 1\n');
# cell
import synq
# cell
exec('1 / 0')
# cell
eval('1 +')
# cell
exec(compile('raise ValueError(3)', 'made.py', 'exec'))

# snippet: sys.last_*
# bare differs: values are shown as Python shows them, without IPython
import sys
hasattr(sys, 'last_value')
# cell
1 / 0
# cell
sys.last_type, sys.last_value, sys.last_traceback is not None
# cell
int('x')
# cell
sys.last_value

# snippet: sys.exc_info after a cell
1 / 0
# cell
import sys
sys.exc_info()

# snippet: the excepthook of the program is not called
import sys
sys.excepthook = lambda *a: print('hook', a[0])
# cell
1 / 0

# snippet: an error in a thread
import threading, sys
def hook(args): print('in thread', args.exc_type.__name__)
threading.excepthook = hook
t = threading.Thread(target=lambda: 1 / 0); t.start(); t.join()

# snippet: an unraisable error
import sys
sys.unraisablehook = lambda u: print('unraisable', u.exc_type.__name__)
class C:
    def __del__(self): 1 / 0
c = C()
del c

# snippet: traceback of a raised error that was kept
try:
    1 / 0
except Exception as e:
    kept = e
raise kept

# snippet: finally and context managers
try:
    1 / 0
finally:
    print('finally')
# cell
class M:
    def __enter__(self): return self
    def __exit__(self, *a):
        print('exit', a[0])
        return True
with M():
    1 / 0
print('swallowed')

# snippet: contextlib.suppress
import contextlib
with contextlib.suppress(ZeroDivisionError):
    1 / 0
'fine'

# snippet: an error in a decorator and in a property
def d(f): raise TypeError('decorator')
@d
def f(): pass
# cell
class C:
    @property
    def p(self): return self.q
C().p

# snippet: an error in a comprehension and a lambda
[1 / i for i in (1, 0)]
# cell
(lambda: 1 / 0)()
# cell
sorted([1, 'a'])

# snippet: an error in a generator
def g():
    yield 1
    raise ValueError('in generator')
list(g())

# snippet: an error of del and of import *
del nothing
# cell
from os import *
# cell
def f():
    from os import *

# snippet: unicode in errors
raise ValueError('é😀')
# cell
naïve = 1
naïve + größe

# snippet: an error with a long message
raise ValueError('x' * 3000)

# snippet: a MemoryError and an OverflowError
2.0 ** 10000
# cell
raise MemoryError('full')

# snippet: code after a suppressed error
try:
    undefined
except NameError as e:
    print(e)

# snippet: exit handlers of context
# kernel differs: what a program prints at its end is shown
# bare differs: what a program prints at its end is shown, under the cell that asked for it
# native differs: what a program prints at its end is shown, under the cell that asked for it
import atexit
atexit.register(print, 'bye').__name__

# snippet: doctest
import doctest
def f(x):
    """
    >>> f(2)
    4
    """
    return x * 2
doctest.run_docstring_examples(f, globals())
# cell
def g(x):
    """
    >>> g(2)
    5
    """
    return x * 2
doctest.testmod()
# cell
import sys
sys.modules['__main__'].g(3)

# snippet: unittest
import unittest, sys
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(1, 1)
r = unittest.main(argv=['x'], exit=False, verbosity=0)
r.result.testsRun

# snippet: a name error has a suggestion
number = 5
nubmer

# snippet: the frame of an error can be looked at
def f(secret):
    return 1 / 0
f(7)
# cell
import sys
tb = sys.last_traceback
while tb.tb_next: tb = tb.tb_next
tb.tb_frame.f_locals

# snippet: format_exc within a cell
import traceback
try:
    1 / 0
except Exception:
    s = traceback.format_exc()
s.splitlines()[-1], 'line 3' in s

# snippet: warnings become errors with pytest-like filters
import warnings
with warnings.catch_warnings():
    warnings.simplefilter('error')
    warnings.warn('x')
