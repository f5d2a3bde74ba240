// What browsers and Node both have besides the language, as far as it reaches nothing outside.
const timers = new Map();
let lastTimer = 0;
const mostTimers = 10_000;

function addTimer(callback, delay, repeat, args) {
  if (typeof callback !== 'function') throw new TypeError('The "callback" argument must be of type function');
  if (timers.size >= mostTimers) throw new RangeError(`more than ${mostTimers} timers wait`);
  delay = Math.min(Math.max(Number(delay) || 0, 1), 2 ** 31 - 1);
  timers.set(++lastTimer, { due: host.now() + delay, delay, repeat, callback, args, run: host.run() });
  return lastTimer;
}

// nextTimer returns the id of the timer that is due next, those of a run or all, 0 for none.
function nextTimer(run, repeating) {
  let next = 0;
  for (const [id, timer] of timers) {
    if ((run === 0 || timer.run === run) && (repeating || !timer.repeat) && (next === 0 || timer.due < timers.get(next).due)) next = id;
  }
  return next;
}

// fireTimer calls what a timer waits with.
function fireTimer(id) {
  const timer = timers.get(id);
  if (timer === undefined) return;
  if (timer.repeat) timer.due = Math.max(timer.due + timer.delay, host.now());
  else timers.delete(id);
  apply(timer.callback, globalThis, timer.args);
}

const removeTimer = (id) => void timers.delete(Number(id));

class TextEncoder {
  get encoding() { return 'utf-8'; }
  encode(text = '') {
    const bytes = [];
    for (const c of String(text)) {
      let code = c.codePointAt(0);
      if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
      if (code < 0x80) bytes.push(code);
      else if (code < 0x800) bytes.push(0xc0 | code >> 6, 0x80 | code & 63);
      else if (code < 0x10000) bytes.push(0xe0 | code >> 12, 0x80 | code >> 6 & 63, 0x80 | code & 63);
      else bytes.push(0xf0 | code >> 18, 0x80 | code >> 12 & 63, 0x80 | code >> 6 & 63, 0x80 | code & 63);
    }
    return new Uint8Array(bytes);
  }
}

class TextDecoder {
  constructor(label = 'utf-8') {
    if (!/^utf-?8$/i.test(label)) throw new RangeError(`The "${label}" encoding is not supported: only utf-8 is`);
  }
  get encoding() { return 'utf-8'; }
  decode(input) {
    if (input === undefined) return '';
    return host.decode(base64(bytesOf(input)));
  }
}

function bytesOf(input) {
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  throw new TypeError('the input must be an ArrayBuffer or a view of one');
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function base64(bytes) {
  const parts = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const three = bytes[i] << 16 | (bytes[i + 1] ?? 0) << 8 | (bytes[i + 2] ?? 0);
    parts.push(digits[three >> 18], digits[three >> 12 & 63], i + 1 < bytes.length ? digits[three >> 6 & 63] : '=', i + 2 < bytes.length ? digits[three & 63] : '=');
  }
  return parts.join('');
}

function btoa(text) {
  const bytes = Array.from(String(text), (c) => c.codePointAt(0));
  if (bytes.some((code) => code > 255)) throw new RangeError('btoa takes characters up to U+00FF: encode the text as UTF-8 first');
  return base64(bytes);
}

function atob(text) {
  const clean = String(text).replace(/[\t\n\f\r ]/g, '').replace(/={1,2}$/, '');
  if (/[^A-Za-z0-9+/]/.test(clean) || clean.length % 4 === 1) throw new SyntaxError('the text is no base64');
  let out = '';
  let bits = 0;
  let held = 0;
  for (const c of clean) {
    bits = bits << 6 | digits.indexOf(c);
    held += 6;
    if (held >= 8) out += String.fromCharCode(bits >> (held -= 8) & 255);
    bits &= (1 << held) - 1;
  }
  return out;
}

function structuredClone(value) {
  const copies = new Map();
  const copy = (v) => {
    if (typeof v === 'function' || typeof v === 'symbol') throw new TypeError(`${inspect(v)} cannot be cloned`);
    if (v === null || typeof v !== 'object') return v;
    if (copies.has(v)) return copies.get(v);
    const keep = (made) => (copies.set(v, made), made);
    if (Array.isArray(v)) {
      const made = keep(new Array(v.length));
      for (const key of Object.keys(v)) made[key] = copy(v[key]);
      return made;
    }
    if (is(v, mapSize)) {
      const made = keep(new Map());
      for (const [key, item] of v) made.set(copy(key), copy(item));
      return made;
    }
    if (is(v, setSize)) {
      const made = keep(new Set());
      for (const item of v) made.add(copy(item));
      return made;
    }
    if (is(v, getTime)) return keep(new Date(apply(getTime, v, [])));
    if (v instanceof RegExp) return keep(new RegExp(v.source, v.flags));
    if (is(v, bufferSize)) return keep(v.slice(0));
    if (ArrayBuffer.isView(v)) return keep(v.slice ? v.slice() : new DataView(copy(v.buffer), v.byteOffset, v.byteLength));
    if (v instanceof Error) {
      const made = keep(Object.create(getPrototypeOf(v)));
      for (const key of ['name', 'message', 'stack', 'cause']) if (Object.hasOwn(v, key)) defineProperty(made, key, { value: copy(v[key]), writable: true, configurable: true });
      return made;
    }
    if (v instanceof Promise || v instanceof WeakMap || v instanceof WeakSet) throw new TypeError(`${inspect(v)} cannot be cloned`);
    const made = keep({});
    for (const key of Object.keys(v)) made[key] = copy(v[key]);
    return made;
  };
  return copy(value);
}
