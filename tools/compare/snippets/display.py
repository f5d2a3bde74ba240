# snippet: display of values
display(1)
display('a', [1], None)
# cell
display()

# snippet: every representation
class C:
    def __repr__(self): return 'text'
    def _repr_html_(self): return '<b>html</b>'
    def _repr_markdown_(self): return '*md*'
    def _repr_latex_(self): return '$x$'
    def _repr_json_(self): return {'a': 1}
    def _repr_svg_(self): return '<svg/>'
    def _repr_javascript_(self): return '1'
C()
# cell
display(C())

# snippet: png and jpeg as bytes
class P:
    def _repr_png_(self): return b'\x89PNG\r\n\x1a\n'
    def __repr__(self): return 'P'
P()
# cell
class J:
    def _repr_jpeg_(self): return b'\xff\xd8'
    def __repr__(self): return 'J'
J()

# snippet: metadata of a representation
class M:
    def _repr_html_(self): return '<i>', {'isolated': True}
    def __repr__(self): return 'M'
M()

# snippet: a mimebundle
class B:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {'text/html': '<i>b</i>', 'text/plain': 'b'}
B()
# cell
class B2:
    def _repr_mimebundle_(self, **k):
        return {'text/html': '<i>b</i>'}, {'text/html': {'isolated': True}}
    def __repr__(self): return 'b2'
B2()

# snippet: representations that return None
class C:
    def _repr_html_(self): return None
    def __repr__(self): return 'text'
C()

# snippet: a class with representations
# bare differs: values are shown as Python shows them, without IPython
class C:
    def _repr_html_(self): return 'x'
C

# snippet: _ipython_display_
class C:
    def _ipython_display_(self):
        print('shown by itself')
C()
# cell
display(C())

# snippet: raw displays
display({'text/plain': 'p', 'text/html': '<p>'}, raw=True)
# cell
display({'text/html': '<p>'}, raw=True, metadata={'text/html': {'a': 1}})
# cell
display({'application/json': {'a': 1}}, raw=True)

# snippet: include and exclude
class C:
    def __repr__(self): return 'text'
    def _repr_html_(self): return 'html'
    def _repr_markdown_(self): return 'md'
display(C(), include=['text/html'])
# cell
display(C(), exclude=['text/html'])

# snippet: display ids and updates
h = display('first', display_id='x')
# cell
h.update('second')
# cell
from IPython.display import update_display
update_display('third', display_id='x');
# cell
h.display('again')

# snippet: a handle in one cell
h = display(0, display_id=True)
for i in range(3):
    h.update(i)

# snippet: an id that is used twice
h = display(1, display_id='abc')
h.display_id
# cell
h2 = display(2, display_id='abc')

# snippet: metadata of a display
display('x', metadata={'a': 1})
# cell
display('x', metadata={'text/plain': {'b': 2}})

# snippet: clear_output
from IPython.display import clear_output
print('a')
clear_output()
print('b')
# cell
print('a')
clear_output(wait=True)
print('b')
# cell
print('a')
clear_output(wait=True)
# cell
display(1)
clear_output()
# cell
for i in range(3):
    clear_output(wait=True)
    print(i)

# snippet: display with clear
print('a')
display('b', clear=True)

# snippet: classes of IPython.display
from IPython.display import *
HTML('<b>x</b>')
# cell
Markdown('**x**')
# cell
Latex('$x$')
# cell
Math('x^2')
# cell
SVG('<svg xmlns="http://www.w3.org/2000/svg"></svg>')
# cell
JSON({'a': 1})
# cell
Javascript('1 + 1')
# cell
Pretty('pretty')

# snippet: images
from IPython.display import Image
Image(data=b'\x89PNG\r\n\x1a\n' + b'0' * 40)
# cell
Image(data=b'\xff\xd8\xff' + b'0' * 40, width=10)
# cell
Image(url='http://example.org/a.png')

# snippet: frames and links
from IPython.display import IFrame, FileLink, YouTubeVideo
IFrame('http://example.org', 100, 50)
# cell
YouTubeVideo('abc')

# snippet: display_html and its kin
from IPython.display import display_html, display_markdown, display_json
display_html('<b>', raw=True)
display_markdown('*a*', raw=True)
display_json({'a': 1}, raw=True)

# snippet: publish_display_data
from IPython.display import publish_display_data
publish_display_data({'text/plain': 'a', 'text/html': 'b'})
# cell
publish_display_data({'text/plain': 'a'}, {'m': 1})
# cell
publish_display_data(data={'text/plain': 'a'}, source='bla')

# snippet: formatters for a type
ip = get_ipython()
class D:
    def __repr__(self): return 'd'
ip.display_formatter.formatters['text/html'].for_type(D, lambda c: '<d>');
D()
# cell
ip.display_formatter.formatters['text/plain'].for_type(int, lambda n, p, cycle: p.text('int %d' % n));
5
# cell
display(5)
# cell
[5]

# snippet: formatters by name
ip = get_ipython()
f = ip.display_formatter.formatters['text/plain']
f.for_type_by_name('decimal', 'Decimal', lambda d, p, c: p.text('DEC'))
import decimal
decimal.Decimal(1)

# snippet: _repr_pretty_
# bare differs: values are shown as Python shows them, without IPython
class C:
    def _repr_pretty_(self, p, cycle):
        with p.group(2, 'C(', ')'):
            p.pretty([1, 2])
C()
# cell
[C(), C()]

# snippet: a float precision
%precision 3
# cell
3.14159265
# cell
[1/3]
# cell
%precision
# cell
1/3

# snippet: display of exceptions
display(ValueError('x'))

# snippet: display and print keep their order
print(1)
display(2)
print(3)
4

# snippet: display in a thread that is joined
import threading
t = threading.Thread(target=lambda: display('thread')); t.start(); t.join()

# snippet: the publisher
ip = get_ipython()
ip.display_pub.publish({'text/plain': 'direct'})
# cell
ip.display_pub.clear_output()

# snippet: the formatter
ip = get_ipython()
ip.display_formatter.format(5)
# cell
ip.display_formatter.format([1])

# snippet: capture_output
from IPython.utils.capture import capture_output
with capture_output() as c:
    print('x')
    display(1)
c.stdout, len(c.outputs)
# cell
c.show()

# snippet: redirected streams
import io, contextlib, sys
with contextlib.redirect_stdout(io.StringIO()) as f:
    print('hidden')
f.getvalue()
# cell
with contextlib.redirect_stderr(io.StringIO()) as f:
    print('err', file=sys.stderr)
f.getvalue()

# snippet: sys.displayhook
import sys
old = sys.displayhook
sys.displayhook = lambda v: print('HOOK', v)
5
# cell
None
# cell
sys.displayhook = old
# cell
7
# cell
sys.displayhook(8)

# snippet: a display hook that raises
import sys
old = sys.displayhook
def hook(v): raise ValueError(v)
sys.displayhook = hook
5
# cell
x = 5
# cell
sys.displayhook = old
6

# snippet: matplotlib
import matplotlib.pyplot as plt
fig, ax = plt.subplots()
ax.plot([1, 2]);
# cell
plt.plot([1, 2])
plt.show()
# cell
plt.get_fignums()

# snippet: pandas
import pandas
pandas.DataFrame({'a': [1, 2]})
# cell
pandas.Series([1, 2], name='s')
# cell
pandas.DataFrame()

# snippet: numpy
import numpy
numpy.arange(5)
# cell
numpy.int64(3)
# cell
numpy.zeros((2, 3))
# cell
numpy.arange(2000)
# cell
numpy.float32(0.1)
# cell
with numpy.printoptions(precision=2):
    print(numpy.array([1/3]))
# cell
numpy.set_printoptions(precision=2)
# cell
numpy.array([1/3])
