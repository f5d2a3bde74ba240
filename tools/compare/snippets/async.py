# snippet: a task made in a cell without await
import asyncio
async def work():
    return 7
task = asyncio.create_task(work())
# cell
await task

# snippet: a future of the loop
import asyncio
loop = asyncio.get_event_loop()
ready = loop.create_future()
loop.call_later(0.1, ready.set_result, 5);
# cell
await ready

# snippet: a task before the first await
# bare differs: what a task prints is with the cell that started it
# native differs: what a task prints is with the cell that started it
import asyncio
async def work():
    print('working')
    return 7
task = asyncio.ensure_future(work())
# cell
await asyncio.sleep(0.2)
print(task.done())
# cell
await task

# snippet: a task goes on while a cell sleeps in asyncio
import asyncio
async def bg():
    await asyncio.sleep(.05)
    return 7
t = asyncio.create_task(bg())
# cell
await t, t.done()

# snippet: tasks go on between cells
import asyncio, time
seen = []
async def count():
    for i in range(3):
        seen.append(i)
        await asyncio.sleep(0)
t = asyncio.get_event_loop().create_task(count())
# cell
import time
# cell
time.sleep(.1)
# cell
seen, t.done()

# snippet: the running loop is that of the policy
import asyncio
loop = asyncio.get_running_loop()
loop is asyncio.get_event_loop()
# cell
loop is asyncio.get_running_loop(), loop.is_running()
# cell
await asyncio.sleep(0)
loop is asyncio.get_running_loop()

# snippet: asyncio.run in a cell
import asyncio
async def f():
    return 1
asyncio.run(f())
# cell
2

# snippet: run_until_complete in a cell
import asyncio
async def f():
    return 1
asyncio.get_event_loop().run_until_complete(f())

# snippet: a loop of its own
import asyncio
async def f():
    return 1
loop = asyncio.new_event_loop()
loop.run_until_complete(f())

# snippet: gather
import asyncio
async def f(i):
    await asyncio.sleep(.01 * (3 - i))
    print(i)
    return i
await asyncio.gather(*[f(i) for i in range(3)])

# snippet: async for, with and comprehension
import asyncio, contextlib
async def g():
    for i in range(3):
        await asyncio.sleep(0)
        yield i
@contextlib.asynccontextmanager
async def c():
    print('in')
    yield 5
    print('out')
async for i in g():
    print(i)
async with c() as v:
    print(v)
[x async for x in g()]

# snippet: async with in the middle and a value at the end
import asyncio
await asyncio.sleep(0)
x = 1
x + 1

# snippet: await inside an expression
import asyncio
async def f(): return 20
(await f()) + (await f()) + 2
# cell
_

# snippet: an exception after an await
import asyncio
await asyncio.sleep(0)
1 / 0
# cell
'next'

# snippet: an exception in a task that is awaited later
import asyncio
async def bad():
    raise ValueError('task')
t = asyncio.create_task(bad())
# cell
await asyncio.sleep(0.01)
t.exception()
# cell
await t

# snippet: a cancelled task
import asyncio
t = asyncio.create_task(asyncio.sleep(10))
# cell
t.cancel()
# cell
try:
    await t
except asyncio.CancelledError:
    print('cancelled')
t.cancelled()

# snippet: wait_for with a timeout
import asyncio
try:
    await asyncio.wait_for(asyncio.sleep(5), .01)
except asyncio.TimeoutError as e:
    print(type(e).__name__)

# snippet: a queue between tasks over cells
import asyncio
q = asyncio.Queue()
async def eat():
    while (x := await q.get()) is not None:
        got.append(x)
got = []
t = asyncio.create_task(eat())
# cell
for i in range(3):
    await q.put(i)
await q.put(None)
await t
got

# snippet: a lock and an event over cells
import asyncio
lock, event = asyncio.Lock(), asyncio.Event()
# cell
async with lock:
    print(lock.locked())
event.set()
await event.wait()

# snippet: call_soon between cells
import asyncio
done = []
asyncio.get_running_loop().call_soon(done.append, 1);
# cell
done

# snippet: to_thread and run_in_executor
import asyncio
print(await asyncio.to_thread(sum, [1, 2]))
await asyncio.get_running_loop().run_in_executor(None, max, 3, 4)

# snippet: a subprocess of asyncio
import asyncio
p = await asyncio.create_subprocess_exec('echo', 'hello', stdout=asyncio.subprocess.PIPE)
out, _err = await p.communicate()
out, p.returncode

# snippet: a server and a client
import asyncio
async def serve(r, w):
    w.write((await r.readline()).upper())
    await w.drain()
    w.close()
server = await asyncio.start_server(serve, '127.0.0.1', 0)
port = server.sockets[0].getsockname()[1]
# cell
r, w = await asyncio.open_connection('127.0.0.1', port)
w.write(b'hello\n')
await r.readline()
# cell
server.close()

# snippet: contextvars over cells
import contextvars
v = contextvars.ContextVar('v', default='no')
v.set('yes');
# cell
v.get()
# cell
import asyncio
await asyncio.sleep(0)
v.get()
# cell
v.get()

# snippet: a context variable set in a cell that awaits
# bare differs: what a cell sets stays set, whether it awaits or not
# native differs: what a cell sets stays set, whether it awaits or not
import contextvars, asyncio
v = contextvars.ContextVar('v', default='no')
await asyncio.sleep(0)
v.set('yes');
# cell
v.get()
# cell
await asyncio.sleep(0)
v.get()

# snippet: decimal contexts over cells that await
# kernel differs: the history is in memory, so that nothing has made a context before; a cell that awaits has one of its own
import decimal, asyncio
await asyncio.sleep(0)
decimal.getcontext().prec = 5
decimal.Decimal(1) / 3
# cell
decimal.Decimal(1) / 3
# cell
await asyncio.sleep(0)
decimal.Decimal(1) / 7

# snippet: a coroutine that nobody awaits is shown
async def f(): return 1
c = f()
c
# cell
c.close()

# snippet: get_event_loop in a thread
import asyncio, threading
def t():
    try:
        asyncio.get_event_loop()
    except RuntimeError as e:
        print(e)
x = threading.Thread(target=t, name='T'); x.start(); x.join()

# snippet: run_coroutine_threadsafe from a thread
import asyncio, threading
loop = asyncio.get_running_loop()
async def f(): return 'from the loop'
res = []
def t():
    res.append(asyncio.run_coroutine_threadsafe(f(), loop).result(5))
x = threading.Thread(target=t); x.start()
# cell
await asyncio.sleep(.2)
res

# snippet: asyncio.run in a thread
import asyncio, threading
async def f(): return 3
out = []
x = threading.Thread(target=lambda: out.append(asyncio.run(f()))); x.start(); x.join()
out

# snippet: a loop that the program sets
import asyncio
mine = asyncio.new_event_loop()
asyncio.set_event_loop(mine)
asyncio.get_event_loop() is mine
# cell
await asyncio.sleep(0)
1

# snippet: current_task and names
# bare differs: a cell without await is in the running loop, but is no task of it
# native differs: a cell without await is in the running loop, but is no task of it
import asyncio
asyncio.current_task() is not None
# cell
await asyncio.sleep(0)
asyncio.current_task() is not None

# snippet: nested functions that are async
import asyncio
def outer():
    async def inner():
        await asyncio.sleep(0)
        return 'inner'
    return inner()
await outer()

# snippet: an await in a lambda is no syntax
f = lambda: await x

# snippet: an await in a function that is not async
def f():
    await x

# snippet: async generators over cells
async def g():
    yield 1
    yield 2
a = g()
# cell
await a.__anext__()
# cell
await a.__anext__()
# cell
await a.__anext__()

# snippet: a task group
import asyncio
async def f(i): return i
async with asyncio.TaskGroup() as tg:
    ts = [tg.create_task(f(i)) for i in range(3)]
[t.result() for t in ts]

# snippet: a task group that fails
import asyncio
async def f(i): raise ValueError(i)
async with asyncio.TaskGroup() as tg:
    tg.create_task(f(1))

# snippet: %time with await
import asyncio
%time await asyncio.sleep(0, 3)

# snippet: %autoawait off
# native differs: cells can always await
%autoawait
# cell
%autoawait False
# cell
import asyncio
await asyncio.sleep(0)
