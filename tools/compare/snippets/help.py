# snippet: help of a function is no error
# kernel differs: what a pager would show is shown, where nbclient drops a payload
# native differs: what a pager would show is printed, where nbclient drops a payload
def f(x):
    'words'
f?
# cell
1

# snippet: help of nothing
nothing_q?

# snippet: pinfo with source
# kernel differs: what a pager would show is shown, where nbclient drops a payload
# native differs: what a pager would show is printed, where nbclient drops a payload
def f(x):
    return x
f??

# snippet: help()
def f(x):
    'words'
help(f)
# cell
help(len)

# snippet: a search for names
# kernel differs: what a pager would show is shown, where nbclient drops a payload
# native differs: what a pager would show is printed, where nbclient drops a payload
abcq = 1
abc*?

# snippet: inspect
import inspect
def f(a, *, b=1):
    return a
inspect.getsource(f)
# cell
inspect.signature(f)
# cell
class C:
    def m(self):
        return 1
inspect.getsource(C)
# cell
inspect.getsource(C.m)
# cell
inspect.getsourcelines(f)[1]
# cell
inspect.getmodule(f)
# cell
inspect.currentframe().f_code.co_name

# snippet: dir and vars
x = 1
'x' in dir(), 'x' in vars(), 'x' in globals(), 'x' in locals()
# cell
globals() is locals()
# cell
[n for n in dir() if not n.startswith('_') and n not in ('In', 'Out', 'exit', 'quit', 'get_ipython', 'open')]

# snippet: linecache knows the cell
import linecache
def f(): return 5
linecache.getline(f.__code__.co_filename, 2)
# cell
import dis
dis.dis(f)
