# snippet: the path
import sys, os
sys.path[0] == os.getcwd()
# cell
'' in sys.path

# snippet: an import after a change of directory
open('helpq.py', 'w').write('Z=1\n');
import os
os.makedirs('dq', exist_ok=True); os.chdir('dq')
import helpq
helpq.Z

# snippet: names of the module
# bare differs: values are shown as Python shows them, without IPython
__name__
# cell
import sys
sys.modules['__main__'].__dict__ is globals()
# cell
'__file__' in globals()
# cell
__builtins__.__class__

# snippet: sys.modules['__main__'] is shown
import sys
sys.modules['__main__']

# snippet: pickle of a class of a cell
import pickle
class C:
    def __init__(self): self.x = 1
pickle.loads(pickle.dumps(C())).x
# cell
def f(): return 2
pickle.loads(pickle.dumps(f))()

# snippet: multiprocessing
import multiprocessing as mp
def f(x): return x * 2
with mp.get_context('fork').Pool(2) as p:
    print(p.map(f, [1, 2]))

# snippet: fork
import os
pid = os.fork()
if pid == 0:
    os._exit(3)
os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

# snippet: a thread pool
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as e:
    print(list(e.map(lambda x: x + 1, [1, 2])))

# snippet: signals
import signal
def on(s, f): print('alarm')
old = signal.signal(signal.SIGALRM, on)
signal.setitimer(signal.ITIMER_REAL, .01)
signal.pause()

# snippet: weakref and gc
import weakref, gc
class C: pass
c = C()
r = weakref.ref(c, lambda r: print('gone'))
del c
r() is None

# snippet: an object is freed after an error
import weakref
class C: pass
def f():
    c = C()
    return weakref.ref(c)
r = f()
r()

# snippet: tempfile
import tempfile, os
with tempfile.TemporaryDirectory() as d:
    open(os.path.join(d, 'x'), 'w').close()
    print(os.listdir(d))

# snippet: recursion limit
# bare differs: it is Python's own; a library of IPython raises it in a kernel
# native differs: it is Python's own; a library of IPython raises it in a kernel
import sys
sys.getrecursionlimit()

# snippet: sys.flags and its kin
# bare differs: sys.ps1 is for consoles; sys.__stdout__ is where output goes too
# native differs: sys.ps1 is for consoles; sys.__stdout__ is where output goes too
import sys
sys.flags.interactive, sys.flags.isolated, sys.flags.dont_write_bytecode
# cell
hasattr(sys, 'ps1')
# cell
sys.stdout is sys.__stdout__
# cell
sys.excepthook.__name__ != ''

# snippet: environment of pagers
import os
os.environ.get('PAGER'), os.environ.get('GIT_PAGER')

# snippet: exec and eval in the names of the cells
exec('made = 5')
made
# cell
eval('made + 1')
# cell
exec('print(__name__)')
# cell
ns = {}
exec('a = 1', ns)
ns['a']

# snippet: globals in functions
x = 1
def f():
    global x
    x += 1
f()
x
# cell
globals()['y'] = 5
y

# snippet: deleting and builtins
int = 5
# cell
int
# cell
del int
int('3')

# snippet: dataclasses and slots
import dataclasses
@dataclasses.dataclass(slots=True)
class P:
    x: int
P(1)
# cell
P(1) == P(1)

# snippet: match
match [1, 2]:
    case [a, b]:
        print(a, b)

# snippet: a class with a metaclass
class M(type):
    def __repr__(cls): return 'M-class'
class C(metaclass=M): pass
C

# snippet: functools
import functools
@functools.lru_cache
def f(x):
    print('computed')
    return x
f(1), f(1)
# cell
f.cache_info()

# snippet: exec of a file
open('s.py', 'w').write('val = 3\n');
exec(open('s.py').read())
val

# snippet: runpy
open('s.py', 'w').write('v = __name__\n');
import runpy
runpy.run_path('s.py')['v']

# snippet: sqlite
import sqlite3
c = sqlite3.connect(':memory:')
c.execute('select 1 + 1').fetchall()

# snippet: ast transformers
import ast
class T(ast.NodeTransformer):
    def visit_Constant(self, node):
        return ast.copy_location(ast.Constant(node.value + 1), node) if isinstance(node.value, int) else node
get_ipython().ast_transformers.append(T())
# cell
5
# cell
get_ipython().ast_transformers.clear()
5

# snippet: input transformers
def upper(lines): return [l.replace('LOUD', 'print("loud")') for l in lines]
get_ipython().input_transformers_post.append(upper)
# cell
LOUD
# cell
get_ipython().input_transformers_cleanup.append(lambda lines: [l.replace('QUIET', '7') for l in lines])
# cell
QUIET

# snippet: events
ip = get_ipython()
log = []
ip.events.register('pre_run_cell', lambda info: log.append(('pre', info.raw_cell)))
ip.events.register('post_run_cell', lambda r: log.append(('post', r.success, r.result)))
# cell
5
# cell
1/0
# cell
x = = 1
# cell
log

# snippet: events of executions
ip = get_ipython()
ip.events.register('pre_execute', lambda: print('pre'))
ip.events.register('post_execute', lambda: print('post'))
# cell
4

# snippet: an event that raises
ip = get_ipython()
ip.events.register('pre_run_cell', lambda info: 1 / 0)
# cell
5

# snippet: the last result
ip = get_ipython()
5
# cell
ip.last_execution_result.result, ip.last_execution_succeeded
# cell
1 / 0
# cell
ip.last_execution_succeeded, type(ip.last_execution_result.error_in_exec).__name__

# snippet: run_cell
r = get_ipython().run_cell('1 + 1')
r.result, r.success
# cell
r = get_ipython().run_cell('print(5)', store_history=False)

# snippet: ex, ev and push
ip = get_ipython()
ip.ex('pushed = 4')
ip.ev('pushed + 1')
# cell
ip.push({'p': 5}); p
# cell
ip.user_ns['p'], ip.user_ns is globals()

# snippet: custom handlers of errors
# kernel differs: a cell that failed says so, whatever a handler shows
# native differs: a cell that failed says so, whatever a handler shows
def h(self, etype, value, tb, tb_offset=None):
    print('handled', etype.__name__)
get_ipython().set_custom_exc((ValueError,), h)
# cell
raise ValueError('x')
# cell
1 / 0

# snippet: showtraceback of the program
# kernel differs: a cell that failed says so, whatever a handler shows
# native differs: a cell that failed says so, whatever a handler shows
def st(*a, **k): print('MY TB')
get_ipython().showtraceback = st
# cell
1/0
# cell
print(1)

# snippet: autocall
# native differs: the call is shown once
get_ipython().run_line_magic('autocall', '1')
# cell
def f(x): return x * 2
# cell
f 4
# cell
,print a b
# cell
;print a b
# cell
/f 5

# snippet: prompts are taken off
>>> 1 + 1
# cell
>>> for i in range(2):
...     print(i)
...
# cell
In [1]: 5

# snippet: an indented cell
    x = 1
    x + 1

# snippet: an encoding line and a byte order mark
# -*- coding: utf-8 -*-
'é'

# snippet: a form feed and Windows' line ends
x = 1
x

# snippet: get_ipython and its names
type(get_ipython()).__name__
# cell
get_ipython().__module__.split('.')[0] != ''
# cell
get_ipython() is __builtins__.get_ipython()

# snippet: input without anybody
# kernel differs: the kernel is told that no user can be asked, and the error says what to do
# bare differs: input raises what Python raises at the end of stdin, and says what to do
# native differs: input raises what Python raises at the end of stdin, and says what to do
input('name? ')
# cell
'next'

# snippet: display comes as a builtin
display.__name__
# cell
import builtins
builtins.display is display

# snippet: a subclass of BaseException in a cell that awaits
import asyncio
await asyncio.sleep(0)
raise KeyboardInterrupt

# snippet: comms
# bare differs: the package comm is missing
# native differs: comms work without a front end that shows them
from comm import create_comm
c = create_comm(target_name='t', data={'a': 1})
c.send({'b': 2})
c.close()

# snippet: time and sleep
import time
t = time.perf_counter(); time.sleep(.01); time.perf_counter() - t >= .01

# snippet: random with a seed
import random
random.seed(1)
random.randint(0, 100)

# snippet: atexit
import atexit
atexit.register(lambda: None) is not None

# snippet: a breakpoint hook
import sys
sys.breakpointhook = lambda *a: print('here')
breakpoint()

# snippet: typing.get_type_hints of the cells
# bare differs: values are shown as Python shows them, without IPython
import typing
class C:
    x: 'int'
    y: 'C'
typing.get_type_hints(C)

# snippet: inspect of classes over cells
import inspect
class A:
    def f(self): return 1
# cell
inspect.getsource(A)

# snippet: importlib.reload
open('relq.py', 'w').write('V = 1\n');
import relq
# cell
import importlib, os
open('relq.py', 'w').write('V = 22\n'); os.utime('relq.py', (2e9, 2e9))
importlib.reload(relq).V
