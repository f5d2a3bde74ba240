# snippet: %time and %%time
%time 1 + 1
# cell
%%time
x = 5
x
# cell
%time y = 3
y
# cell
r = %time 4
r

# snippet: %time of an error
%time 1 / 0
# cell
'next'

# snippet: %%time of an error
%%time
1 / 0
# cell
'next'

# snippet: %timeit
%timeit -n 2 -r 2 pass
# cell
r = %timeit -n 1 -r 1 -o -q pass
type(r).__name__, len(r.all_runs)
# cell
%%timeit -n 1 -r 1 x = 5
x + 1

# snippet: %timeit of an error
%timeit 1 / 0

# snippet: %%capture
%%capture c
print('out')
import sys
print('err', file=sys.stderr)
display(5)
6
# cell
c.stdout, c.stderr, len(c.outputs)
# cell
c.show()
# cell
%%capture --no-stderr
import sys
print('hidden')
print('seen', file=sys.stderr)
# cell
%%capture
1 / 0
# cell
'next'

# snippet: %who and its kin
a, b = 1, 'x'
def f(): pass
# cell
%who
# cell
%who int
# cell
%who_ls
# cell
%whos
# cell
%whos int

# snippet: %xdel
# kernel differs: a magic that fails is an error; and something was executed before, of which it looks at the result
# native differs: a magic that fails is an error
c = 1
%xdel c
# cell
'c' in dir()
# cell
%xdel nothing

# snippet: %xdel of a shown value
c = [1]
c
# cell
%xdel c
# cell
Out

# snippet: %reset and %reset_selective
a = 1
b = 2
%reset_selective -f a
# cell
'a' in globals(), 'b' in globals()
# cell
%reset -f
# cell
'b' in globals()
# cell
1 + 1

# snippet: %store
v = [1, 2]
%store v
# cell
del v
# cell
%store -r v
v
# cell
%store nope_q
# cell
%store -d v
# cell
%store

# snippet: %store into a file
v = 'text'
%store v > f.txt
# cell
open('f.txt').read()

# snippet: %env
%env GREETING=hello
# cell
%env GREETING
# cell
import os
os.environ['GREETING']
# cell
%env NOTHING_Q
# cell
%set_env A b
# cell
%env NAME={1 + 1}

# snippet: %cd and %pwd
import os
os.mkdir('d')
%cd d
# cell
%cd -
# cell
%cd -q d
# cell
os.path.basename(%pwd)
# cell
%dhist
# cell
_dh

# snippet: %cd and its bookmark
%bookmark here
# cell
%bookmark -l
# cell
%cd -b here

# snippet: %pushd, %popd, %dirs
import os; os.mkdir('d')
%pushd d
# cell
%dirs
# cell
%popd

# snippet: %%writefile
%%writefile w.py
x = 1
# cell
%%writefile -a w.py
y = 2
# cell
%%writefile w.py
x = 3
# cell
open('w.py').read()
# cell
%%file w.txt
text

# snippet: %run
open('r.py', 'w').write('import sys\nmade = 7\nprint(sys.argv[1:], __name__)\n');
%run r.py a "b c"
# cell
made
# cell
%run -n r.py
# cell
%run -i r.py
# cell
%run r
# cell
%run -t r.py

# snippet: %run of an error
open('r.py', 'w').write('before = 1\n1 / 0\n');
%run r.py
# cell
before
# cell
'next'

# snippet: %run of a notebook
import json
json.dump({'nbformat': 4, 'nbformat_minor': 4, 'metadata': {}, 'cells': [{'cell_type': 'code', 'source': 'nbv = 3\nprint("nb")', 'metadata': {}, 'outputs': [], 'execution_count': None}]}, open('n.ipynb', 'w'))
%run n.ipynb
# cell
nbv

# snippet: %run uses the names of the cells with -i
v = 5
open('r.py', 'w').write('print(v)\nv += 1\n');
%run -i r.py
# cell
v

# snippet: %load
open('l.py', 'w').write('loaded = 1\n');
%load l.py

# snippet: %recall
1 + 1
# cell
%recall 1

# snippet: %rerun
x = 1
x = x + 1
# cell
%rerun 1
# cell
x

# snippet: %macro
print('in macro')
# cell
%macro m 1
# cell
m
# cell
m()

# snippet: %alias
%alias hello echo hello %s
# cell
%hello world
# cell
hello you
# cell
%unalias hello

# snippet: %automagic
%automagic
# cell
%automagic 1
# cell
pwd = 3
pwd

# snippet: words that are magics
# bare differs: there are the magics that most notebooks use
import os
ls = 5
ls
# cell
del ls
# cell
who

# snippet: %pdef, %pdoc, %psource, %pfile
# kernel differs: what a pager would show is shown, where nbclient drops a payload
# native differs: what a pager would show is printed
def f(x, y=1):
    'the words'
    return x
%pdef f
# cell
%pdoc f
# cell
%psource f

# snippet: %psearch
# kernel differs: what a pager would show is shown, where nbclient drops a payload
# native differs: what a pager would show is printed
abcq = 1
abcr = 2
%psearch abc*

# snippet: %lsmagic
x = %lsmagic
m = {name for names in x.magics_manager.magics.values() for name in names}
[n for n in ('cd', 'edit', 'less', 'more', 'man', 'clear', 'connect_info', 'qtconsole', 'autosave', 'store', 'pip', 'conda', 'matplotlib', 'bash', 'html', 'js', 'latex', 'svg', 'perl', 'ruby', 'ed', 'page', 'history', 'notebook', 'debug', 'pdb', 'prun') if n not in m]

# snippet: %%html and its kin
%%html
<b>x</b>
# cell
%%markdown
*a*
# cell
%%latex
$x$
# cell
%%svg
<svg xmlns="http://www.w3.org/2000/svg"></svg>
# cell
%%javascript
1 + 1
# cell
%%js
2

# snippet: %%bash
%%bash
echo out
echo err >&2
# cell
%%bash
for i in {1..3}; do echo $i; done
[[ 1 == 1 ]] && echo yes
# cell
%%bash --out o
echo kept
# cell
o

# snippet: %%sh and %%script
%%sh
echo sh
# cell
%%script python3
print(1 + 1)
# cell
%%script bash --bg --out bg
echo later
# cell
%%python3
print('p')
# cell
%%perl
print "perl\n";

# snippet: %%bash that fails
%%bash
echo before
exit 3
# cell
'next'
# cell
%%bash --no-raise-error
exit 3

# snippet: an unknown magic
%nothing_q
# cell
%%nothing_q
x
# cell
nothing_q word

# snippet: a cell magic used as a line and the other way
%bash
# cell
%%cd
x

# snippet: magics with bad arguments
%timeit -z pass
# cell
%cd -b nowhere
# cell
%alias
# cell
%run

# snippet: magics in blocks
for i in range(2):
    %time i
# cell
if True:
    x = %pwd
type(x).__name__
# cell
def f():
    y = !echo in function
    return y
f()

# snippet: own magics
from IPython.core.magic import register_line_magic, register_cell_magic, register_line_cell_magic, needs_local_scope
@register_line_magic
def lm(line): return 'line ' + line
@register_cell_magic
def cm(line, cell): return line, cell
@register_line_cell_magic
def lcm(line, cell=None): return line, cell
# cell
%lm a b
# cell
%%cm a
body
# cell
%lcm x
# cell
%%lcm x
y

# snippet: variables in magics
n = 'w.txt'
%%writefile {n}
# cell
name = 'q'
%env VAR=$name
# cell
%env VAR={name}x

# snippet: a class of magics
from IPython.core.magic import Magics, magics_class, line_magic, cell_magic
@magics_class
class M(Magics):
    @line_magic
    def hello(self, line): print('hello', line)
    @cell_magic
    def shout(self, line, cell): print(cell.upper())
get_ipython().register_magics(M)
# cell
%hello you
# cell
%%shout
quiet

# snippet: get_ipython().run_line_magic
ip = get_ipython()
ip.run_line_magic('pwd', '') == __import__('os').getcwd()
# cell
ip.run_cell_magic('capture', 'c', 'print(1)')
c.stdout
# cell
ip.magic('who')
# cell
ip.run_line_magic('nothing_q', '')

# snippet: %config
# native differs: figures of matplotlib can be set up before the first one
%config InlineBackend.figure_format
# cell
%config IPCompleter.use_jedi = False
# cell
%config Nothing.here = 1
# cell
%config ZMQInteractiveShell.ast_node_interactivity = 'all'
# cell
1
2

# snippet: %config InteractiveShell
%config InteractiveShell.ast_node_interactivity = 'last_expr_or_assign'
# cell
x = 5
# cell
y = 6;
# cell
z: int = 7

# snippet: %pprint
%pprint
# cell
[['a' * 30] * 3] * 2
# cell
%pprint

# snippet: %xmode
%xmode Plain
# cell
1 / 0
# cell
%xmode Context

# snippet: %prun and %%prun
%prun -q 1 + 1
# cell
r = %prun -r -q sum([1])
type(r).__name__

# snippet: %load_ext and %reload_ext
open('extq.py', 'w').write('def load_ipython_extension(ip):\n    print("loaded")\ndef unload_ipython_extension(ip):\n    print("unloaded")\n');
%load_ext extq
# cell
%load_ext extq
# cell
%reload_ext extq
# cell
%unload_ext extq
# cell
%load_ext nothing_q

# snippet: %autoreload
%load_ext autoreload
%autoreload 2
# cell
open('arq.py', 'w').write('def f(): return 1\n');
import arq
arq.f()
# cell
import os, time
open('arq.py', 'w').write('def f(): return 22\n')
os.utime('arq.py', (time.time() + 5,) * 2)
# cell
arq.f()

# snippet: %sx and %system
%sx echo a; echo b
# cell
%system echo c
# cell
%%sx
echo d
# cell
%%!
echo e
# cell
%%system
echo f

# snippet: %sc
%sc -l x = echo a
x

# snippet: %debug and %pdb without an error
%pdb off
# cell
%tb
# cell
1 / 0
# cell
%tb

# snippet: %colors and %page
%page [1, 2]
# cell
%colors NoColor

# snippet: %pycat, %less, %more, %cat, %man
# kernel differs: what a pager would show is shown, where nbclient drops a payload
# native differs: what a pager would show is printed
open('c.py', 'w').write('x = 1\n');
%cat c.py
# cell
%more c.py
# cell
%less c.py
# cell
%pycat c.py

# snippet: %ls and its kin
# native differs: errors of commands are on stderr
open('one.txt', 'w').close()
%ls
# cell
ls
# cell
%mkdir made
# cell
%cp one.txt made
%ls made
# cell
%rm one.txt
# cell
%mv made moved
%ls
# cell
%rmdir nothing

# snippet: %save and %pastebin
x = 1
# cell
%save -f s 1
# cell
open('s.py').read()

# snippet: %notebook
x = 1
# cell
%notebook n.ipynb

# snippet: %logstart
%logstart -o log.py over
# cell
5
# cell
%logstate
# cell
%logstop

# snippet: %edit
# native differs: there is no editor to open
%edit -x nothing_q.py

# snippet: %clear, %connect_info and %qtconsole exist
ip = get_ipython()
[ip.find_line_magic(n) is not None for n in ('clear', 'connect_info', 'qtconsole', 'autosave', 'less', 'more', 'man', 'edit', 'ed')]

# snippet: %quickref and %magic
# kernel differs: what a pager would show is shown, where nbclient drops a payload
# native differs: a pager's text is printed, where ipykernel sends it as a payload
%quickref
# cell
'after'

# snippet: %gui and %pylab
# kernel differs: a magic that fails is an error
# native differs: figures are shown in the notebook, whatever loop is asked for
%gui
# cell
%gui nothing

# snippet: %subshell and %dhist of nothing
%subshell

# snippet: %matplotlib
%matplotlib inline
# cell
%matplotlib --list
# cell
%matplotlib nothing

# snippet: two magics and code
x = 1
%time x += 1
print(x)
%time x += 1
x

# snippet: nested cell magics
%%capture c
%%time
print('deep')
# cell
c.stdout.splitlines()[0]
# cell
%%time
%%capture d
print('x')
# cell
d.stdout

# snippet: a cell magic that is not first
x = 1
%%time
y = 2

# snippet: a comment before a cell magic
# a comment
%%time
1

# snippet: an empty line before a cell magic

%%capture q
print(1)
# cell
q.stdout
