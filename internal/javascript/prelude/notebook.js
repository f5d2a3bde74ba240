// What a notebook adds to the language: values of other types, questions, and the variables of all cells.
const displaySymbol = Symbol.for('Jupyter.display');
const mostJSON = 1 << 20;
let lastDisplay = 0;

// isPlain tells whether JSON keeps a value: plain objects and arrays all the way down.
function isPlain(value, level = 0) {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || level > 100) return false;
  if (Array.isArray(value)) return getPrototypeOf(value) === Array.prototype && everyValue(value, level, value.length);
  const parent = getPrototypeOf(value);
  return (parent === objectPrototype || parent === null) && !('toJSON' in value) && everyValue(value, level, -1);
}

function everyValue(value, level, length) {
  const keys = ownKeys(value).filter((key) => key !== 'length' || length < 0);
  return (length < 0 || keys.length === length) && keys.every((key) => {
    const descriptor = getOwnPropertyDescriptor(value, key);
    return typeof key === 'string' && 'value' in descriptor && isPlain(descriptor.value, level + 1);
  });
}

// bundle returns the representations of a value by type.
function bundle(value) {
  const show = value !== null && (typeof value === 'object' || typeof value === 'function') ? value[displaySymbol] : undefined;
  if (typeof show === 'function') return checked(apply(show, value, []));
  const data = { 'text/plain': inspect(value) };
  if (value !== null && typeof value === 'object' && isPlain(value)) {
    const json = JSON.stringify(value);
    if (json.length <= mostJSON) data['application/json'] = value;
  }
  return data;
}

function checked(data) {
  if (data === null || typeof data !== 'object') throw new TypeError('a display is an object with a value for each type, such as {"text/html": "<b>1</b>"}');
  return Object.fromEntries(Object.entries(data).map(([type, value]) => [type, represented(value, type)]));
}

// represented returns a value in the form that its type has in a notebook.
function represented(value, type) {
  if (/^application\/(.*\+)?json$/.test(type)) return value;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return base64(bytesOf(value));
  return typeof value === 'string' ? value : inspect(value);
}

const isBundle = (value) =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && ownKeys(value).length > 0 && Object.keys(value).every((key) => /^[a-z]+\/[-+.\w]+$/.test(key));
const handles = new WeakSet(); // what display returns, which is no value to show

// show sends a value under an id, and returns a handle by which it is updated.
function show(dataOf, value, options) {
  const id = options.id === undefined ? `quickjs-${++lastDisplay}` : String(options.id);
  host.display(options.update ? 'update' : 'display', JSON.stringify(dataOf(value)), id);
  const handle = { id, update: (next) => void host.display('update', JSON.stringify(dataOf(next)), id) };
  handles.add(handle);
  return handle;
}

// display shows a value in its own representations, as a type, or a bundle of values by type.
function display(value, type, options = {}) {
  if (type !== null && typeof type === 'object') [type, options] = [undefined, type];
  if (type !== undefined) return show((v) => ({ [type]: represented(v, type) }), value, options);
  return show((v) => (isBundle(v) ? checked(v) : bundle(v)), value, options);
}
for (const [name, type] of [
  ['text', 'text/plain'], ['html', 'text/html'], ['markdown', 'text/markdown'], ['latex', 'text/latex'], ['svg', 'image/svg+xml'],
  ['png', 'image/png'], ['jpeg', 'image/jpeg'], ['json', 'application/json'], ['javascript', 'application/javascript'],
]) display[name] = (value, options = {}) => display(value, type, options);
display.update = (id, value, type) => display(value, type, { id, update: true });
display.clear = (options = {}) => host.clear(options.wait === true);

// prompt asks a user for one line. It throws when no answer will come.
function prompt(question = '', initial) {
  const answer = answerTo(question, false);
  return answer === '' && typeof initial === 'string' ? initial : answer;
}
prompt.secret = (question = '') => answerTo(question, true);

function answerTo(question, secret) {
  const answer = host.ask(String(question), secret);
  if (answer !== null) return answer;
  const error = new Error(host.reason());
  error.name = 'EndOfInput';
  throw error;
}

const builtIn = new Set();
const declared = new Set();

// declare makes the variables that a cell declares by let, const and class global: each cell has them in a scope of its own,
// so that they can be declared again. Those of var that were declared so before become ordinary variables.
function declare(vars, ...lexical) {
  for (const name of vars) {
    const descriptor = getOwnPropertyDescriptor(globalThis, name);
    if (descriptor?.get !== undefined && accessors.has(descriptor.get)) {
      defineProperty(globalThis, name, { value: valueOf(name), writable: true, enumerable: true, configurable: true });
    }
    declared.add(name);
  }
  for (let i = 0; i < lexical.length; i += 3) {
    const [name, get, set] = lexical.slice(i, i + 3);
    accessors.add(get);
    defineProperty(globalThis, name, { get, set, enumerable: false, configurable: true });
    declared.add(name);
  }
}
const accessors = new WeakSet();

// valueOf returns the value of a global variable, undefined before its declaration has run.
function valueOf(name) {
  const descriptor = getOwnPropertyDescriptor(globalThis, name);
  if (descriptor === undefined) return undefined;
  if (!descriptor.get) return descriptor.value;
  if (!accessors.has(descriptor.get)) return undefined;
  try {
    return descriptor.get();
  } catch {
    return undefined;
  }
}

// variables describes the variables of the user, as JSON.
function variables() {
  for (const name of getOwnPropertyNames(globalThis)) if (!builtIn.has(name)) declared.add(name);
  const list = [];
  for (const name of [...declared].sort()) {
    const descriptor = getOwnPropertyDescriptor(globalThis, name);
    if (descriptor === undefined || typeof descriptor.value === 'function' && builtIn.has(name)) continue;
    const value = valueOf(name);
    let preview = inspect(value, { depth: 1 }).replace(/\s*\n\s*/g, ' ');
    if (preview.length > 120) preview = `${preview.slice(0, 119)}…`;
    list.push({ name, type: kindOf(value), shape: shapeOf(value), preview });
  }
  return JSON.stringify(list);
}

function kindOf(value) {
  if (value === null) return 'null';
  if (typeof value === 'function') return /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'function';
  return typeof value === 'object' ? className(value) ?? 'Object' : typeof value;
}

function shapeOf(value) {
  if (Array.isArray(value) || ArrayBuffer.isView(value) && value.length !== undefined) return `${value.length} items`;
  if (value !== null && typeof value === 'object' && is(value, mapSize)) return `${apply(mapSize, value, [])} items`;
  if (value !== null && typeof value === 'object' && is(value, setSize)) return `${apply(setSize, value, [])} items`;
  return '';
}

const keywords = 'async await break case catch class const continue debugger default delete do else export extends false finally for function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while with yield'.split(' ');

// complete returns the names that begin with a text, of a path of names or of everything, as JSON.
function complete(path, begun) {
  let object = globalThis;
  const names = path === '' ? [] : path.split('.');
  for (let i = 0; i < names.length; i++) {
    object = i === 0 ? valueOf(names[i]) : dataOf(object, names[i]);
    if (object === null || object === undefined) return '[]';
  }
  const found = new Map();
  for (let at = Object(object); at !== null; at = getPrototypeOf(at)) {
    for (const name of getOwnPropertyNames(at)) {
      if (!name.startsWith(begun) || !identifier.test(name) || found.has(name)) continue;
      const value = at === globalThis ? valueOf(name) : own(at, name);
      found.set(name, typeof value === 'function' ? kindOf(value) : path === '' ? 'variable' : 'property');
    }
  }
  if (path === '') for (const word of keywords) if (word.startsWith(begun)) found.set(word, 'keyword');
  return JSON.stringify([...found].sort((a, b) => (a[0] < b[0] ? -1 : 1)).slice(0, 1000).map(([text, kind]) => ({ text, kind })));
}

function dataOf(object, name) {
  for (let at = Object(object); at !== null; at = getPrototypeOf(at)) {
    const descriptor = getOwnPropertyDescriptor(at, name);
    if (descriptor) return descriptor.value;
  }
  return undefined;
}

// describe returns the signature and the source or the value of a path of names, as JSON.
function describe(path) {
  const names = path.split('.');
  if (names[0] in globalThis === false) return '';
  let value = valueOf(names[0]);
  for (const name of names.slice(1)) {
    if (value === null || value === undefined) return '';
    value = dataOf(value, name);
  }
  if (value === undefined) return '';
  if (typeof value !== 'function') return JSON.stringify({ signature: `${path}: ${kindOf(value)}`, text: inspect(value) });
  const source = Function.prototype.toString.call(value);
  const head = /^[^{=]*\)|^class[^{]*/.exec(source)?.[0].trim() ?? path;
  return JSON.stringify({ signature: head.includes(names.at(-1)) ? head : `${path}${head}`, text: source });
}

// getJSON returns a variable as JSON, '' if there is none.
function getJSON(name) {
  if (!declared.has(name) && !Object.hasOwn(globalThis, name)) return '';
  const json = JSON.stringify(valueOf(name));
  if (json === undefined) throw new TypeError(`${name} is a ${kindOf(valueOf(name))}, which JSON does not have`);
  return json;
}

function setJSON(name, json) {
  if (!identifier.test(name) || keywords.includes(name)) throw new SyntaxError(`${name} is no name of a variable`);
  defineProperty(globalThis, name, { value: JSON.parse(json), writable: true, enumerable: true, configurable: true });
  declared.add(name);
}
