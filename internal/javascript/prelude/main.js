// The ends of runs, and what of all this programs see.
const rejections = new Map();
let outcome = null; // of the run: undefined until it has ended

// watch has the end of a run noted. Later ends of a run that was interrupted do not count.
function watch(promise) {
  const mine = (outcome = {});
  apply(promiseThen, promise, [
    (result) => void (mine.ended = true, mine.value = result.value),
    (error) => void (mine.ended = true, mine.failed = true, mine.error = error),
  ]);
  rejections.delete(promise);
}

// track notes promises that were rejected and that nothing handles.
function track(promise, reason, handled) {
  if (handled) rejections.delete(promise);
  else rejections.set(promise, reason);
}

// failure describes what was thrown, as JSON.
function failure(error) {
  if (!(error instanceof Error)) return JSON.stringify({ name: 'Uncaught', message: inspect(error), stack: '' });
  const text = (key) => {
    try {
      return String(error[key]);
    } catch {
      return '';
    }
  };
  const stack = own(error, 'stack');
  const seen = [error];
  const causes = [];
  for (let cause = own(error, 'cause'); cause !== undefined && !seen.includes(cause) && seen.length < 10; cause = own(cause, 'cause')) {
    causes.push(`caused by ${inspect(cause)}`);
    if (!(cause instanceof Error)) break;
    seen.push(cause);
  }
  for (const inner of Array.isArray(own(error, 'errors')) ? own(error, 'errors').slice(0, 10) : []) causes.push(`one of its errors: ${inspect(inner)}`);
  return JSON.stringify({ name: text('name') || 'Error', message: text('message'), class: className(error), stack: typeof stack === 'string' ? stack : '', causes: causes.join('\n') });
}

function hide(name, value) {
  defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
}

hide('console', console);
hide('setTimeout', (callback, delay, ...args) => addTimer(callback, delay, false, args));
hide('setInterval', (callback, delay, ...args) => addTimer(callback, delay, true, args));
hide('setImmediate', (callback, ...args) => addTimer(callback, 0, false, args));
hide('clearTimeout', removeTimer);
hide('clearInterval', removeTimer);
hide('clearImmediate', removeTimer);
if (typeof globalThis.queueMicrotask !== 'function') {
  hide('queueMicrotask', (callback) => void Promise.resolve().then(callback));
}
hide('performance', { now: () => host.now(), timeOrigin: Date.now() - host.now() });
for (const [name, value] of Object.entries({ TextEncoder, TextDecoder, btoa, atob, structuredClone, display, prompt })) hide(name, value);
hide('alert', (text = '') => print('stdout', String(text)));
hide('inspect', inspect);
defineProperty(globalThis, '$declare', { value: declare, writable: false, enumerable: false, configurable: false });
for (const name of getOwnPropertyNames(globalThis)) builtIn.add(name);

return {
  watch,
  track,
  ended: () => (outcome?.ended ? (outcome.failed ? 2 : 1) : 0),
  hasValue: () => outcome.value !== undefined && !handles.has(outcome.value),
  value: () => JSON.stringify(bundle(outcome.value)),
  error: () => failure(outcome.error),
  fail: failure,
  // rejected describes the next promise that nothing has handled, '' for none.
  rejected() {
    for (const [promise, reason] of rejections) {
      rejections.delete(promise);
      return failure(reason);
    }
    return '';
  },
  // probe notes the state of a promise that is the value of a run, and tells whether the value is one.
  probe() {
    const promise = outcome.value;
    if (!(promise instanceof Promise)) return false;
    apply(promiseThen, promise, [
      (value) => void probed.set(promise, (state, level) => format(value, state, level)),
      (reason) => void (outcome.failed = true, outcome.error = reason),
    ]);
    return true;
  },
  timerDue: (id) => timers.get(id)?.due ?? 0,
  timerRun: (id) => timers.get(id)?.run ?? 0,
  nextTimer,
  fireTimer,
  dropTimers(run) {
    for (const [id, timer] of timers) if (timer.run === run) timers.delete(id);
  },
  variables,
  complete,
  describe,
  getJSON,
  setJSON,
};
