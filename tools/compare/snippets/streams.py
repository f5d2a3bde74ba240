# snippet: print
print('a', 1, [2], sep='-', end='!\n')
print()
print('no end', end='')
# cell
print('x' * 100)

# snippet: stderr
import sys
print('err', file=sys.stderr)
sys.stderr.write('more\n');

# snippet: write returns the length
import sys
sys.stdout.write('abc\n')
# cell
sys.stderr.write('abc\n')

# snippet: writelines, flush and attributes
# bare differs: names and encoding are those of Python's own streams
# native differs: names and encoding are those of Python's own streams
import sys
sys.stdout.writelines(['a\n', 'b\n'])
sys.stdout.flush()
# cell
sys.stdout.isatty(), sys.stdout.writable(), sys.stdout.readable(), sys.stdout.closed
# cell
sys.stdout.encoding
# cell
sys.stdout.name, sys.stderr.name

# snippet: write of no text
# bare differs: the words are those of Python's own streams
# native differs: the words are those of Python's own streams
import sys
sys.stdout.write(5)
# cell
print(b'a')

# snippet: unicode
print('héllo 😀 \u200b 漢字')
# cell
print('\x1b[31mred\x1b[0m')

# snippet: stdout in a file and back
import sys
old = sys.stdout
sys.stdout = open('out.txt', 'w')
print('in the file')
sys.stdout.close(); sys.stdout = old
print(open('out.txt').read())

# snippet: stdout replaced over cells
import sys, io
old, sys.stdout = sys.stdout, io.StringIO()
# cell
print('hidden')
5
# cell
text = sys.stdout.getvalue(); sys.stdout = old
text

# snippet: a stream of the program's own
# kernel differs: all of it is shown, where nbclient does not wait for text that was not flushed
# bare differs: all of it is shown, where ipykernel is too late with text that was not flushed
# native differs: all of it is shown, where ipykernel is too late with text that was not flushed
import sys
class Up:
    def write(self, s): old.write(s.upper())
    def flush(self): pass
old = sys.stdout
sys.stdout = Up()
print('loud')
# cell
sys.stdout = old
print('quiet')

# snippet: subprocess
import subprocess
subprocess.run(['echo', 'hi'], capture_output=True, text=True).stdout
# cell
subprocess.run('exit 3', shell=True).returncode
# cell
subprocess.check_output('echo a; echo b', shell=True)
# cell
subprocess.check_call(['false'])

# snippet: logging
import logging
logging.warning('careful')
logging.info('not shown')
# cell
logging.basicConfig(level=logging.INFO, force=True)
logging.info('shown')

# snippet: logging to stdout
import logging, sys
log = logging.getLogger('x')
h = logging.StreamHandler(sys.stdout)
h.setFormatter(logging.Formatter('%(levelname)s %(name)s %(message)s'))
log.addHandler(h); log.propagate = False
log.warning('to stdout')

# snippet: warnings
import warnings
warnings.warn('careful')
# cell
warnings.warn('old', DeprecationWarning)
# cell
def f():
    warnings.warn('from f', UserWarning)
f()
# cell
warnings.simplefilter('error')
warnings.warn('now an error')

# snippet: a pending deprecation
import warnings
warnings.warn('pending', PendingDeprecationWarning)

# snippet: a syntax warning
# bare differs: it is said once
# native differs: it is said once
x = 1
x is 1

# snippet: print in threads that are joined
import threading
def f(i): print('thread', i)
for i in range(3):
    t = threading.Thread(target=f, args=(i,)); t.start(); t.join()

# snippet: a file that fails
print('a', flush=True)
class Bad:
    def write(self, s): raise OSError('disk')
print('x', file=Bad())

# snippet: pprint
import pprint
pprint.pprint({'a': list(range(30)), 'b': {'c': 1}})

# snippet: stdin is no terminal
import sys
sys.stdin.isatty()

# snippet: many lines
for i in range(200): print(i)

# snippet: print as a name
print = lambda *a: None
print('nothing')
# cell
del print
print('again')

# snippet: names that the program overwrites
import builtins, sys
json = asyncio = os = None
open = repr = str = len = None
# cell
5
# cell
del open, repr, str, len
str(6)
