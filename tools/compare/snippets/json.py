# snippet: NaN and infinities in JSON
display({'application/json': {'mean': float('nan'), 'i': float('inf'), 'j': -float('inf')}}, raw=True)
# cell
'next'

# snippet: a date in JSON
import datetime
display({'application/json': {'day': datetime.datetime(2024, 1, 2)}}, raw=True)

# snippet: a date with a zone in JSON
import datetime
display({'application/json': {'day': datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))}}, raw=True)

# snippet: scalars of numpy in JSON
import numpy
display({'application/json': {'n': numpy.int64(3), 'f': numpy.float32(1.5)}}, raw=True)

# snippet: arrays of numpy in JSON
import numpy
display({'application/json': {'a': numpy.arange(3)}}, raw=True)

# snippet: bytes in JSON
display({'application/json': {'b': b'abc'}}, raw=True)

# snippet: sets and tuples in JSON
display({'application/json': {'s': {1}, 't': (1, 2)}}, raw=True)

# snippet: generators in JSON
display({'application/json': {'g': (i for i in range(3))}}, raw=True)

# snippet: keys that are no text in JSON
display({'application/json': {1: 'a', None: 'b', True: 'c', 2.5: 'd'}}, raw=True)

# snippet: fractions and enums in JSON
import fractions, enum
class E(enum.IntEnum):
    A = 1
display({'application/json': {'f': fractions.Fraction(1, 2), 'e': E.A}}, raw=True)

# snippet: subclasses in JSON
class S(str): pass
class D(dict): pass
display({'application/json': {'s': S('x'), 'd': D(a=1)}}, raw=True)

# snippet: metadata with infinity
display('x', metadata={'score': float('inf')})

# snippet: metadata with a date and bytes
import datetime
display('x', metadata={'day': datetime.datetime(2024, 1, 2), 'b': b'x', 't': (1,)})

# snippet: an update with a date
import datetime
h = display({'application/json': {}}, raw=True, display_id='j')
# cell
h = display({'application/json': {'d': datetime.datetime(2024, 1, 2)}}, raw=True, display_id='j', update=True)

# snippet: the JSON class
from IPython.display import JSON
JSON({'a': float('nan')})
# cell
JSON([1, {'b': None}])

# snippet: _repr_json_ with a date
import datetime
class C:
    def _repr_json_(self): return {'d': datetime.datetime(2024, 1, 2)}
    def __repr__(self): return 'C'
C()

# snippet: large numbers in JSON
display({'application/json': {'n': 2 ** 40, 'f': 1e300}}, raw=True)

# snippet: texts in JSON
display({'application/json': {'a': 'é😀\u2028', '': [], 'n': None, 'b': [True, False]}}, raw=True)
