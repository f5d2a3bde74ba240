// Values as text for users, in the form that Node prints them. Nothing here calls a getter of a user's object.
const {
  getPrototypeOf, getOwnPropertyDescriptor, getOwnPropertyNames, getOwnPropertySymbols, defineProperty, prototype: objectPrototype,
} = Object;
const { ownKeys, apply } = Reflect;
const lineLength = 80;
const mostItems = 100;
const mostChars = 10_000;
const identifier = /^[A-Za-z_$][\w$]*$/;
const typedArrayTag = getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;

// own returns the value of an own data property, and undefined for a getter.
function own(object, key) {
  const descriptor = getOwnPropertyDescriptor(object, key);
  return descriptor && 'value' in descriptor ? descriptor.value : undefined;
}

// className returns the name of the constructor that made an object, null without a prototype.
function className(object) {
  for (let at = object; at !== null; at = getPrototypeOf(at)) {
    const made = own(at, 'constructor');
    if (typeof made === 'function') {
      const name = own(made, 'name');
      if (typeof name === 'string' && name !== '') return name;
    }
  }
  return null;
}

// is tells whether a method of a built-in class takes an object, which no user's class can pretend.
function is(object, method, ...args) {
  try {
    apply(method, object, args);
    return true;
  } catch {
    return false;
  }
}
const mapSize = getOwnPropertyDescriptor(Map.prototype, 'size').get;
const setSize = getOwnPropertyDescriptor(Set.prototype, 'size').get;
const bufferSize = getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get;
const { has: weakMapHas } = WeakMap.prototype;
const { has: weakSetHas } = WeakSet.prototype;
const { getTime } = Date.prototype;
const regExpSource = RegExp.prototype.toString;
const { then: promiseThen } = Promise.prototype;
const probed = new WeakMap(); // promises whose values are known, with what formats those

const escapes = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\b': '\\b', '\f': '\\f', '\v': '\\v', '\\': '\\\\' };

function quoted(text) {
  const quote = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes('`') && !text.includes('${') ? '`' : "'";
  const body = text.replace(/[\x00-\x1f\x7f\\'"`\ud800-\udfff]/gu, (c) => {
    if (c === quote) return '\\' + c;
    if (c in escapes) return escapes[c];
    if (c === "'" || c === '"' || c === '`') return c;
    const code = c.codePointAt(0);
    return code < 0x100 ? '\\x' + code.toString(16).toUpperCase().padStart(2, '0') : '\\u' + code.toString(16).toUpperCase();
  });
  return quote + body + quote;
}

function primitive(value) {
  switch (typeof value) {
    case 'string':
      if (value.length > mostChars) {
        return quoted(value.slice(0, mostChars)) + `... ${value.length - mostChars} more characters`;
      }
      return quoted(value);
    case 'number': return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint': return `${value}n`;
    case 'symbol': return Symbol.prototype.toString.call(value);
    default: return String(value);
  }
}

function functionName(f) {
  const name = own(f, 'name');
  const source = Function.prototype.toString.call(f);
  const kind = className(f) ?? 'Function';
  if (/^class\b/.test(source)) {
    const parent = getPrototypeOf(f);
    const extended = typeof parent === 'function' && own(parent, 'name') ? ` extends ${own(parent, 'name')}` : '';
    return `[class ${name || '(anonymous)'}${extended}]`;
  }
  return `[${kind}${name ? `: ${String(name)}` : ' (anonymous)'}]`;
}

// errorText returns an error with its stack, in which frames of ours are left out.
function errorText(error) {
  let name = 'Error';
  let message = '';
  try {
    name = String(error.name);
    message = String(error.message);
  } catch {} // of a user's getter
  const head = message === '' ? name : `${name}: ${message}`;
  const stack = own(error, 'stack');
  const frames = typeof stack === 'string' ? host.frames(stack) : '';
  return frames === '' ? `[${head}]` : `${head}\n${frames}`;
}

function inspect(value, options) {
  const depth = options?.depth === null ? Infinity : options?.depth ?? 2;
  return format(value, { depth, seen: [], circular: new Map(), current: 0 }, 0);
}

function format(value, state, level) {
  if (value === null || typeof value !== 'object' && typeof value !== 'function') return primitive(value);
  if (state.seen.includes(value)) {
    if (!state.circular.has(value)) state.circular.set(value, state.circular.size + 1);
    return `[Circular *${state.circular.get(value)}]`;
  }
  const text = object(value, state, level);
  return state.circular.has(value) ? `<ref *${state.circular.get(value)}> ${text}` : text;
}

// object formats an object: what comes before its braces, and its entries.
function object(value, state, level) {
  const name = className(value);
  const isArray = Array.isArray(value);
  const prefix = (plain, size = '') => {
    const tag = own(value, Symbol.toStringTag) ?? (name === null ? undefined : own(getPrototypeOf(value) ?? {}, Symbol.toStringTag));
    const tagged = typeof tag === 'string' && tag !== '' && tag !== name ? `[${tag}] ` : '';
    if (name === null) return `[${plain}${size}: null prototype] ${tagged}`;
    return name === plain && tagged === '' && (plain === 'Object' || plain === 'Array') ? '' : `${name}${size} ${tagged}`;
  };
  let start = '';
  let braces = ['{', '}'];
  let entries = null; // of what is not a property
  let bare = ''; // in place of empty braces
  let keys = ownKeys(value).filter((key) => getOwnPropertyDescriptor(value, key)?.enumerable);
  if (isArray) {
    start = name === 'Array' ? '' : prefix('Array', `(${value.length})`);
    braces = ['[', ']'];
    entries = () => items(value, state, level);
    keys = keys.filter((key) => typeof key === 'symbol' || !/^(0|[1-9]\d*)$/.test(key));
  } else if (typeof value === 'function') {
    bare = functionName(value);
  } else if (is(value, mapSize)) {
    start = prefix('Map', `(${apply(mapSize, value, [])})`);
    entries = () => limited([...Map.prototype.entries.call(value)], (e) => `${format(e[0], state, level + 1)} => ${format(e[1], state, level + 1)}`);
  } else if (is(value, setSize)) {
    start = prefix('Set', `(${apply(setSize, value, [])})`);
    entries = () => limited([...Set.prototype.values.call(value)], (e) => format(e, state, level + 1));
  } else if (apply(typedArrayTag, value, []) !== undefined) {
    start = prefix(name, `(${value.length})`);
    braces = ['[', ']'];
    entries = () => limited(value, primitive);
    keys = keys.filter((key) => typeof key === 'symbol' || !/^(0|[1-9]\d*)$/.test(key));
  } else if (is(value, bufferSize)) {
    start = prefix('ArrayBuffer');
    const bytes = new Uint8Array(value);
    entries = () => [
      `[Uint8Contents]: <${[...bytes.slice(0, 50)].map((b) => b.toString(16).padStart(2, '0')).join(' ')}${bytes.length > 50 ? ` ... ${bytes.length - 50} more bytes` : ''}>`,
      `byteLength: ${bytes.length}`,
    ];
  } else if (value instanceof Error) {
    bare = errorText(value);
    keys = keys.filter((key) => key !== 'stack' && key !== 'message' && key !== 'name');
    if (getOwnPropertyDescriptor(value, 'cause')) keys.push('cause');
    if (Array.isArray(own(value, 'errors'))) keys.push('errors');
    keys = [...new Set(keys)];
  } else if (is(value, getTime)) {
    const time = apply(getTime, value, []);
    bare = Number.isNaN(time) ? 'Invalid Date' : Date.prototype.toISOString.call(value);
  } else if (value instanceof RegExp) {
    bare = is(value, regExpSource) ? apply(regExpSource, value, []) : 'RegExp';
  } else if (value instanceof Promise) {
    start = prefix('Promise');
    entries = () => [probed.has(value) ? probed.get(value)(state, level + 1) : `<${host.promiseState(value)}>`];
  } else if (is(value, weakMapHas, {}) || is(value, weakSetHas, {})) {
    start = `${name} `;
    entries = () => ['<items unknown>'];
  } else if (is(value, Number.prototype.valueOf)) {
    bare = `[Number: ${primitive(Number.prototype.valueOf.call(value))}]`;
  } else if (is(value, String.prototype.valueOf)) {
    bare = `[String: ${quoted(String.prototype.valueOf.call(value))}]`;
    keys = keys.filter((key) => typeof key === 'symbol' || !/^\d+$/.test(key));
  } else if (is(value, Boolean.prototype.valueOf)) {
    bare = `[Boolean: ${Boolean.prototype.valueOf.call(value)}]`;
  } else {
    start = prefix('Object');
  }
  if (bare !== '' && keys.length === 0) return bare;
  if (keys.length === 0 && (isArray ? value.length === 0 : entries === null)) return `${start}${braces[0]}${braces[1]}`;
  if (level > state.depth) return `[${name === null ? 'Object: null prototype' : isArray ? 'Array' : name}]`;
  state.seen.push(value);
  state.current = level;
  const parts = entries === null ? [] : entries();
  for (const key of keys) parts.push(property(value, key, state, level));
  state.seen.pop();
  if (parts.length === 0) return `${start}${braces[0]}${braces[1]}`;
  const open = bare === '' ? start + braces[0] : `${bare} ${braces[0]}`;
  const grouped = braces[0] === '[' && parts.length > 6 ? columns(parts, value) : parts;
  return joined(open, grouped, braces[1], level, grouped.length === parts.length && state.current - level < 3);
}

function property(value, key, state, level) {
  const descriptor = getOwnPropertyDescriptor(value, key) ?? {};
  const name = typeof key === 'symbol' ? `[${Symbol.prototype.toString.call(key)}]`
    : !descriptor.enumerable && value instanceof Error ? `[${key}]` : identifier.test(key) ? key : quoted(key);
  if (descriptor.get) return `${name}: [Getter${descriptor.set ? '/Setter' : ''}]`;
  if (descriptor.set) return `${name}: [Setter]`;
  return `${name}: ${format(descriptor.value, state, level + 1)}`;
}

// limited formats the first of many entries.
function limited(list, show) {
  const parts = [];
  for (let i = 0; i < list.length && i < mostItems; i++) parts.push(show(list[i]));
  if (list.length > mostItems) parts.push(`... ${list.length - mostItems} more item${list.length - mostItems > 1 ? 's' : ''}`);
  return parts;
}

// items formats the elements of an array, with its holes.
function items(array, state, level) {
  const parts = [];
  let at = 0;
  while (at < array.length && parts.length < mostItems) {
    if (getOwnPropertyDescriptor(array, at)) {
      const descriptor = getOwnPropertyDescriptor(array, at++);
      parts.push(descriptor.get || descriptor.set ? '[Getter/Setter]' : format(descriptor.value, state, level + 1));
      continue;
    }
    const from = at;
    while (at < array.length && at - from < 100_000 && !getOwnPropertyDescriptor(array, at)) at++;
    if (at - from === 100_000) at = array.length;
    parts.push(`<${at - from} empty item${at - from > 1 ? 's' : ''}>`);
  }
  if (at < array.length) parts.push(`... ${array.length - at} more item${array.length - at > 1 ? 's' : ''}`);
  return parts;
}

// columns puts many short entries into lines of columns, numbers to the right. The number of columns makes the block
// about two and a half times as wide as it is high, as characters are.
function columns(parts, array) {
  const more = array.length > mostItems ? 1 : 0;
  const cells = more === 1 ? parts.slice(0, mostItems) : parts;
  const widest = Math.max(...cells.map((part) => part.length)) + 2;
  const total = cells.reduce((sum, part) => sum + part.length + 2, 0);
  if (widest * 3 >= lineLength || !(total / widest > 5 || widest <= 8)) return parts;
  const bias = Math.max(widest - 3 - Math.sqrt(widest - total / parts.length), 1);
  const count = Math.min(Math.round(Math.sqrt(2.5 * bias * cells.length) / bias), Math.floor(lineLength / widest), 12);
  if (count <= 1) return parts;
  const widths = Array.from({ length: count }, (_, column) => 2 + cells.reduce((most, part, i) => (i % count === column ? Math.max(most, part.length) : most), 0));
  const right = cells.every((_, i) => ['number', 'bigint'].includes(typeof own(array, i)));
  const lines = [];
  for (let at = 0; at < cells.length; at += count) {
    const row = cells.slice(at, at + count);
    lines.push(row.map((part, i) => {
      const last = i === row.length - 1;
      if (right) return last ? part.padStart(widths[i] - 2) : `${part}, `.padStart(widths[i]);
      return last ? part : `${part}, `.padEnd(widths[i]);
    }).join(''));
  }
  return [...lines, ...parts.slice(cells.length)];
}

// joined puts the entries of an object into one line if they are few, short and shallow, and else into a line each.
function joined(open, parts, close, level, shallow) {
  const length = parts.reduce((sum, part) => sum + part.length, 0) + 2 * parts.length + open.length + 2 * level + 10;
  const line = parts.join(', ');
  if (shallow && length <= lineLength && !line.includes('\n') && !open.includes('\n')) return `${open} ${line} ${close}`;
  const indent = `\n${'  '.repeat(level)}`;
  return `${open}${indent}  ${parts.join(`,${indent}  `)}${indent}${close}`;
}
