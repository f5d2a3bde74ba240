// The console, whose text goes to the streams of the run.
let groups = '';
const counts = new Map();
const clocks = new Map();

// message formats the arguments of console.log: the directives of a first text, and then all other values.
function message(args) {
  const words = [];
  let rest = args;
  if (typeof args[0] === 'string' && args.length > 1 && args[0].includes('%')) {
    let at = 1;
    words.push(args[0].replace(/%[sdifjoOc%]/g, (directive) => {
      if (directive === '%%') return '%';
      if (at >= args.length) return directive;
      const value = args[at++];
      switch (directive) {
        case '%s': return typeof value === 'string' ? value : typeof value === 'object' && value !== null ? inspect(value, { depth: 0 }) : primitiveText(value);
        case '%d': return typeof value === 'bigint' ? `${value}n` : typeof value === 'object' ? 'NaN' : primitive(Number(value));
        case '%i': return typeof value === 'bigint' ? `${value}n` : typeof value === 'object' ? 'NaN' : primitive(parseInt(value, 10));
        case '%f': return typeof value === 'symbol' ? 'NaN' : primitive(parseFloat(value));
        case '%j': return JSON.stringify(value) ?? 'undefined';
        case '%o': return inspect(value, { depth: 4 });
        case '%O': return inspect(value);
        default: return ''; // %c is a style
      }
    }));
    rest = args.slice(at);
  }
  for (const value of rest) {
    if (typeof value === 'string') words.push(value);
    else words.push(value === null || typeof value !== 'object' && typeof value !== 'function' ? primitive(value) : inspect(value));
  }
  return words.length === 1 ? words[0] : words.join(' ');
}

function primitiveText(value) {
  return typeof value === 'function' ? functionName(value) : primitive(value);
}

function print(stream, text) {
  if (groups !== '') text = groups + text.replaceAll('\n', `\n${groups}`);
  host.text(stream, `${text}\n`);
}

const console = {
  log: (...args) => print('stdout', message(args)),
  info: (...args) => print('stdout', message(args)),
  debug: (...args) => print('stdout', message(args)),
  warn: (...args) => print('stderr', message(args)),
  error: (...args) => print('stderr', message(args)),
  dir: (value, options) => print('stdout', inspect(value, options)),
  dirxml: (...args) => print('stdout', message(args)),
  trace(...args) {
    const frames = host.frames(new Error().stack);
    print('stderr', `Trace${args.length > 0 ? `: ${message(args)}` : ''}${frames === '' ? '' : `\n${frames}`}`);
  },
  assert(condition, ...args) {
    if (condition) return;
    if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
    else args.unshift('Assertion failed');
    print('stderr', message(args));
  },
  count(label = 'default') {
    counts.set(label, (counts.get(label) ?? 0) + 1);
    print('stdout', `${label}: ${counts.get(label)}`);
  },
  countReset: (label = 'default') => void counts.delete(label),
  group(...args) {
    if (args.length > 0) print('stdout', message(args));
    groups += '  ';
  },
  groupEnd: () => void (groups = groups.slice(2)),
  time: (label = 'default') => void clocks.set(label, host.now()),
  timeLog(label = 'default', ...args) {
    if (!clocks.has(label)) return print('stderr', `There is no timer '${label}'`);
    print('stdout', [`${label}: ${(host.now() - clocks.get(label)).toFixed(3)}ms`, ...args.map((value) => message([value]))].join(' '));
  },
  timeEnd(label = 'default') {
    console.timeLog(label);
    clocks.delete(label);
  },
  table(data, only) {
    if (data === null || typeof data !== 'object') return print('stdout', message([data]));
    print('stdout', table(data, only));
  },
  clear: () => host.clear(false),
};
console.groupCollapsed = console.group;

// table draws rows and columns with lines around.
function table(data, only) {
  const isMap = data instanceof Map;
  const rows = isMap ? [...data].map(([key, value], i) => [String(i), { Key: key, Values: value }])
    : data instanceof Set ? [...data].map((value, i) => [String(i), value])
    : Object.keys(data).map((key) => [key, data[key]]);
  const names = [];
  let values = false;
  for (const [, row] of rows) {
    if (row === null || typeof row !== 'object') {
      values = true;
      continue;
    }
    for (const name of only ?? Object.keys(row)) if (!names.includes(name)) names.push(name);
  }
  const head = [isMap || data instanceof Set ? '(iteration index)' : '(index)', ...names, ...values ? ['Values'] : []];
  const show = (value) => inspect(value, { depth: 0 });
  const body = rows.map(([key, row]) => {
    const plain = row === null || typeof row !== 'object';
    const cells = names.map((name) => (!plain && Object.hasOwn(row, name) ? show(row[name]) : ''));
    return [key, ...cells, ...values ? [plain ? show(row) : ''] : []];
  });
  const widths = head.map((name, i) => Math.max(...[head, ...body].map((line) => width(line[i]))) + 2);
  const rule = (left, middle, right) => left + widths.map((w) => '─'.repeat(w)).join(middle) + right;
  const line = (cells) => `│${cells.map((cell, i) => ` ${cell}${' '.repeat(widths[i] - width(cell) - 1)}`).join('│')}│`;
  return [rule('┌', '┬', '┐'), line(head), rule('├', '┼', '┤'), ...body.map(line), rule('└', '┴', '┘')].join('\n');
}

// width counts the characters of a text.
function width(text) {
  return [...text].length;
}
