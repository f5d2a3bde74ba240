// The driver of JavaScript for Node 18 and newer: it speaks the engine protocol on descriptors 3 and 4.
//
// Sources are evaluated by the inspector in REPL mode, as consoles of browsers do: let, const and class can be declared
// again, await works at the top level, and the last expression is the value. Before that the parser that Node itself
// uses for its REPL finds import declarations, which scripts cannot have, and const, which would bind a name for ever.
//
// A worker thread reads the requests, since only it can stop a loop: it terminates the execution of the main thread
// unless that still handles messages. AsyncLocalStorage tells which run a callback belongs to.
//
// With the argument typescript the host sends what is left of a source without its types, with the source of the user and a
// source map, by which all places are those of the user.
(() => {
  'use strict'
  const { AsyncLocalStorage } = require('async_hooks')
  const { MessageChannel, Worker, receiveMessageOnPort } = require('worker_threads')
  const { createRequire, builtinModules, SourceMap } = require('module')
  const { pathToFileURL } = require('url')
  const { Writable } = require('stream')
  const fs = require('fs')
  const inspector = require('inspector')
  const path = require('path')
  const util = require('util')

  // A continuation that is terminated leaves its id on the stack of asynchronous calls. Node aborts itself for that,
  // if there are hooks by the count that this clears.
  let forgiveCalls = () => {}
  let clearCalls = () => {}
  let internal = () => ({})
  const warn = process.emitWarning
  process.emitWarning = () => {}
  try {
    internal = require('internal/test/binding').internalBinding
    const wrap = internal('async_wrap')
    forgiveCalls = () => void (wrap.async_hook_fields[wrap.constants.kTotals] = 0)
    clearCalls = require('internal/async_hooks').clearAsyncIdStack
  } catch {
    // this Node has them elsewhere
  }
  process.emitWarning = warn

  const typed = process.argv.splice(1, 1).includes('typescript')
  const hook = Symbol.for('quire.driver')
  const runs = new AsyncLocalStorage()
  const hidden = new Set() // names that a reset has forgotten
  let current = null // the run that is executed
  const stopped = new Set() // runs that were interrupted
  const timers = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate }
  const sources = [] // of the latest runs, to find comments in
  const session = new inspector.Session()
  session.connect()

  // Words shared with the worker: whether the main thread waits for an answer, the interrupts that it has handled, and
  // a counter of answers.
  const shared = new Int32Array(new SharedArrayBuffer(16))
  const [waits, handled, answers] = [0, 1, 2]

  // Messages ---------------------------------------------------------------------------------------------------------

  function writeAll(fd, data) {
    for (let at = 0; at < data.length; ) {
      try {
        at += fs.writeSync(fd, data, at)
      } catch (e) {
        if (e.code !== 'EAGAIN') throw e
      }
    }
  }

  // Text goes to the program's stdout and stderr at once, and marks there tell the host its order. The descriptors are ours
  // alone: a program can close its own, and a child can make those it shares non-blocking.
  const streams = [1, 2].map((fd) => {
    try {
      return fs.openSync(`/dev/fd/${fd}`, 'w')
    } catch {
      return fd
    }
  })
  const streamNames = ['stdout', 'stderr']
  let token // the beginning of marks; none before the first request
  let marks = 0
  let last // the stream that was printed to since the last mark

  function write(fd, data) {
    try {
      writeAll(fd, data)
    } catch {
      process.reallyExit(1) // the host is gone
    }
  }

  // mark puts the next mark into both streams.
  function mark(kind) {
    last = undefined
    if (token === undefined) return
    const data = Buffer.from(token + kind + (++marks).toString(16).padStart(16, '0'))
    for (const fd of streams) write(fd, data)
  }

  // send sends a message behind its mark.
  function send(message) {
    const line = Buffer.from(JSON.stringify(token === undefined ? message : { ...message, at: marks + 1 }) + '\n')
    mark(message.type === 'done' ? 'e' : 'm')
    write(4, line)
  }

  // lateRun returns the run that this code belongs to if it is not the executing one. It ends code of a run that was interrupted.
  function lateRun() {
    const run = runs.getStore()
    if (stopped.has(run)) throw new Interrupted('the run was interrupted')
    return run !== undefined && (current === null || current.run !== run) ? run : undefined
  }

  // emit sends output of the run that this code belongs to.
  function emit(message) {
    const run = lateRun()
    if (run !== undefined) message.run = run
    send(message)
  }

  // print prints on stdout, which is stream 0, or stderr.
  function print(stream, chunk, encoding) {
    const data = typeof chunk === 'string' ? Buffer.from(chunk, encoding === 'buffer' ? 'utf8' : encoding) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const run = lateRun()
    if (data.length === 0) return
    if (run !== undefined) {
      send({ type: 'text', stream: streamNames[stream], run, base64: data.toString('base64') })
      return
    }
    if (last !== stream) mark('t')
    last = stream
    write(streams[stream], data)
  }

  // Text from before a child process comes before its output, and later text behind it.
  try {
    const sync = internal('spawn_sync')
    const spawnSync = sync.spawn
    sync.spawn = (...args) => {
      mark('t')
      try {
        return spawnSync.apply(sync, args)
      } finally {
        mark('t')
      }
    }
    const child = internal('process_wrap').Process.prototype
    const spawn = child.spawn
    child.spawn = function (...args) {
      mark('t')
      const exited = this.onexit
      this.onexit = function (...end) {
        mark('t')
        return exited.apply(this, end)
      }
      return spawn.apply(this, args)
    }
  } catch {
    // this Node has them elsewhere
  }

  // streamOf returns a stream that sends what is written to it, in place of one that would make its pipe non-blocking.
  function streamOf(fd) {
    const stream = new Writable({
      decodeStrings: false,
      write(chunk, encoding, done) {
        print(fd - 1, chunk, encoding)
        done()
      },
    })
    stream.fd = fd
    stream._type = 'pipe'
    stream.destroySoon = stream.destroy = () => stream
    return stream
  }

  for (const [name, fd] of [['stdout', 1], ['stderr', 2]]) {
    const stream = streamOf(fd)
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get: () => stream })
  }

  // Displays ---------------------------------------------------------------------------------------------------------

  let displays = 0
  const bundleOf = Symbol.for('Jupyter.display')
  const isText = (mime) => mime.startsWith('text/') || /^image\/svg|\+xml$|javascript$/.test(mime)
  const isJSON = (mime) => mime === 'application/json' || mime.endsWith('+json')

  // encode returns a value of a bundle as the protocol has it.
  function encode(mime, value) {
    if (isJSON(mime)) return value === undefined ? null : value
    if (ArrayBuffer.isView(value)) {
      const data = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      return isText(mime) ? data.toString('utf8') : data.toString('base64')
    }
    if (value instanceof ArrayBuffer) return encode(mime, new Uint8Array(value))
    return String(value)
  }

  function encodeAll(bundle) {
    const data = {}
    for (const [mime, value] of Object.entries(bundle)) data[mime] = encode(mime, value)
    return data
  }

  const isBundle = (value) =>
    value !== null && typeof value === 'object' && Object.keys(value).length > 0 && Object.keys(value).every((key) => /^[a-z]+\/[-+.\w]+$/.test(key))

  const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c])
  const isPlain = (value) =>
    value !== null && typeof value === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(value))
  const isShort = (value) => value === null || ['string', 'number', 'boolean', 'bigint', 'undefined'].includes(typeof value) || value instanceof Date

  // tableOf returns an array of flat objects as a table, or undefined.
  function tableOf(value) {
    const most = 200
    if (!Array.isArray(value) || value.length === 0 || !value.every(isPlain)) return undefined
    const columns = [...new Set(value.slice(0, most).flatMap(Object.keys))]
    if (columns.length === 0 || columns.length > 100) return undefined
    const shown = value.slice(0, most)
    if (!shown.every((row) => columns.every((c) => isShort(row[c])))) return undefined
    const cell = (v) => (v === undefined ? '<td></td>' : `<td${typeof v === 'number' ? ' style="text-align:right"' : ''}>${escape(v instanceof Date ? util.inspect(v) : v)}</td>`)
    const rows = shown.map((row, i) => `<tr><th>${i}</th>${columns.map((c) => cell(row[c])).join('')}</tr>`)
    const more = value.length > most ? `<p>the first ${most} of ${value.length} rows</p>` : ''
    return `<table><thead><tr><th></th>${columns.map((c) => `<th>${escape(c)}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>${more}`
  }

  // dataOf returns a value in all representations that there are.
  async function dataOf(value) {
    if (value !== null && (typeof value === 'object' || typeof value === 'function')) {
      const own = value[bundleOf]
      if (typeof own === 'function') return encodeAll(await own.call(value))
    }
    return plainDataOf(value)
  }

  // plain returns the text of a value. AsyncLocalStorage leaves marks in promises.
  const plain = (value) =>
    util.inspect(value)
      .replace(/,\s+\[Symbol\((?:async_id_symbol|trigger_async_id_symbol|kResourceStore)\)\]: \d+/g, '')
      .replace(/Promise \{\s+<pending>\s+\}/g, 'Promise { <pending> }')

  function plainDataOf(value) {
    const data = { 'text/plain': plain(value) }
    const table = tableOf(value)
    if (table !== undefined) data['text/html'] = table
    return data
  }

  function show(data, id) {
    const name = id ?? `node-${process.pid}-${++displays}`
    emit({ type: 'display', data, id: name })
    return name
  }

  // display shows a value, or a bundle of MIME types, and returns a handle that can update it.
  function display(value, options = {}) {
    const data = (v) => {
      const own = v !== null && typeof v === 'object' ? v[bundleOf] : undefined
      const bundle = typeof own === 'function' ? own.call(v) : v
      return isBundle(bundle) ? encodeAll(bundle) : plainDataOf(v)
    }
    const id = show(data(value), options.id)
    return { id, update: (v) => emit({ type: 'update', data: data(v), id }) }
  }
  for (const [name, mime] of [
    ['text', 'text/plain'], ['html', 'text/html'], ['markdown', 'text/markdown'], ['latex', 'text/latex'], ['svg', 'image/svg+xml'],
    ['png', 'image/png'], ['jpeg', 'image/jpeg'], ['json', 'application/json'], ['javascript', 'application/javascript'],
  ]) {
    display[name] = (value, options = {}) => {
      const data = (v) => ({ [mime]: encode(mime, v) })
      const id = show(data(value), options.id)
      return { id, update: (v) => emit({ type: 'update', data: data(v), id }) }
    }
  }
  display.clear = (options = {}) => emit({ type: 'clear', wait: options.wait === true })

  // Questions --------------------------------------------------------------------------------------------------------

  class EndOfInput extends Error {}
  EndOfInput.prototype.name = 'EndOfInput'
  class Interrupted extends Error {}

  const answerPorts = new MessageChannel()
  let asks = 0

  // ask waits for a line, without running anything else.
  function ask(text, secret) {
    const id = ++asks
    let seen = Atomics.load(shared, answers)
    Atomics.store(shared, waits, 1)
    try {
      emit({ type: 'ask', id, prompt: text === undefined ? '' : String(text), secret })
      for (;;) {
        const got = receiveMessageOnPort(answerPorts.port1)
        if (got === undefined) {
          Atomics.wait(shared, answers, seen)
          seen = Atomics.load(shared, answers)
          continue
        }
        const answer = got.message
        if (answer.type === 'interrupt') {
          if (current !== null && answer.run === current.run) throw new Interrupted('the run was interrupted')
          continue
        }
        if (answer.id !== id) continue
        if (answer.end) throw new EndOfInput(answer.why ?? 'no answer came')
        return answer.text
      }
    } finally {
      Atomics.store(shared, waits, 0)
    }
  }
  const prompt = (text) => ask(text, false)
  prompt.secret = (text) => ask(text, true)

  // Globals ----------------------------------------------------------------------------------------------------------

  const userRequire = createRequire(path.join(process.cwd(), 'notebook.js'))
  const modules = new Set(builtinModules.filter((name) => !name.startsWith('_')))
  const required = new WeakSet() // values that are modules, and no variables
  const note = (value) => {
    if (value !== null && (typeof value === 'object' || typeof value === 'function')) required.add(value)
    return value
  }
  const requireHere = Object.assign((name) => note(userRequire(name)), userRequire)
  const importHere = async (name, options) => note(await import(resolved(name), options))

  // resolved returns what import needs for a name relative to the notebook.
  function resolved(name) {
    name = String(name)
    if (/^\.{0,2}\//.test(name)) return pathToFileURL(path.resolve(process.cwd(), name)).href
    return name
  }

  const globals = {
    require: requireHere, display, prompt, module: { exports: {}, id: 'notebook' }, exports: {},
    __dirname: process.cwd(), __filename: path.join(process.cwd(), 'notebook.js'),
    imp0rt: importHere, importMeta$: { url: pathToFileURL(path.join(process.cwd(), 'notebook.js')).href, dirname: process.cwd() },
  }
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
  }
  console.clear = () => display.clear()

  const exit = process.exit.bind(process)
  process.exit = (code) => {
    if (code !== undefined) process.exitCode = code
    if (!process.exitCode && current !== null && !current.over) finish(current, { exit: 'gone' })
    exit()
  }

  // Listeners of the process belong to the run that adds them.
  for (const name of ['on', 'addListener', 'once', 'prependListener', 'prependOnceListener']) {
    const own = process[name]
    process[name] = function (event, listener) {
      const run = runs.getStore()
      if (run === undefined || typeof listener !== 'function') return own.call(this, event, listener)
      const bound = function (...args) {
        return runs.run(run, () => listener.apply(this, args))
      }
      bound.listener = listener
      return own.call(this, event, bound)
    }
  }

  const lateProblem = (prefix) => (error) => {
    if (error instanceof Interrupted) return
    print(1, `${prefix}${describe(error)}\n`)
  }
  process.on('uncaughtException', lateProblem('Uncaught '))
  process.on('unhandledRejection', lateProblem('Uncaught (in promise) '))
  process.on('SIGINT', () => {})

  const describe = (error) => {
    const text = util.inspect(error)
    if (typeof error?.stack !== 'string') return text
    const lines = text.split('\n').filter((line) => !isOurs(line))
    const last = lines.findLastIndex((line) => /^\s+at .*In\[\d+\]/.test(line)) // what is below has called the run
    return lines.filter((line, i) => i < last || !/^\s+at .*\(?node:/.test(line)).join('\n')
  }

  // Sources ----------------------------------------------------------------------------------------------------------

  let acorn // the parser of Node; null if this Node has it elsewhere
  function parse(source) {
    try {
      acorn ??= require('internal/deps/acorn/acorn/dist/acorn')
    } catch {
      acorn = null
    }
    if (acorn === null) return undefined
    try {
      return acorn.parse(source, {
        ecmaVersion: 'latest', sourceType: 'script', allowAwaitOutsideFunction: true, allowImportExportEverywhere: true, allowHashBang: true,
      })
    } catch {
      return undefined // V8 says better what is wrong
    }
  }

  // prepared returns a source that can be evaluated. It keeps the lines, and the columns of all but imports.
  function prepared(source) {
    if (!/\b(?:import|export|const|let|var|function|class)\b/.test(source)) return source
    const tree = parse(source)
    if (tree === undefined) return source
    const edits = []
    const blank = (from, to, text) => {
      const old = source.slice(from, to)
      const lines = old.split('\n').length - text.split('\n').length
      edits.push([from, to, lines > 0 ? text + '\n'.repeat(lines) : text.padEnd(old.includes('\n') ? 0 : old.length)])
    }
    for (const node of tree.body) declare(node, blank)
    if (/\bimport\b/.test(source)) walk(tree, (node) => {
      if (node.type === 'ImportExpression') edits.push([node.start, node.start + 6, 'imp0rt'])
      if (node.type === 'MetaProperty' && node.meta.name === 'import') edits.push([node.start, node.end, 'importMeta$'.padEnd(node.end - node.start)])
    })
    edits.sort((a, b) => b[0] - a[0])
    for (const [from, to, text] of edits) source = source.slice(0, from) + text + source.slice(to)
    return source
  }

  // declare makes a statement one that REPL mode can execute again.
  function declare(node, edit) {
    switch (node.type) {
      case 'ImportDeclaration':
        edit(node.start, node.end, imported(node))
        break
      case 'ExportNamedDeclaration':
        if (node.declaration) {
          edit(node.start, node.declaration.start, '')
          declare(node.declaration, edit)
        } else {
          edit(node.start, node.end, '')
        }
        break
      case 'ExportDefaultDeclaration':
        edit(node.start, node.declaration.start, '')
        break
      case 'VariableDeclaration': {
        const kind = kindFor(namesOf(node), node.kind)
        if (kind !== node.kind) edit(node.start, node.start + node.kind.length, kind)
        break
      }
      case 'FunctionDeclaration':
        if (isLexical(node.id.name)) edit(node.start, node.start, `${node.id.name} = `)
        break
      case 'ClassDeclaration':
        if (isVariable(node.id.name)) edit(node.start, node.start, `var ${node.id.name} = `)
        break
    }
  }

  // kindFor returns how names can be declared that may have been declared otherwise. What was const stays writable, so
  // that a later cell can declare it again.
  function kindFor(names, kind) {
    if (kind !== 'var') return names.some(isVariable) ? 'var' : 'let'
    return names.some(isLexical) ? 'let' : 'var'
  }

  function namesOf(declaration) {
    const names = []
    const add = (node) => {
      switch (node?.type) {
        case 'Identifier': names.push(node.name); break
        case 'ObjectPattern': node.properties.forEach((p) => add(p.type === 'RestElement' ? p.argument : p.value)); break
        case 'ArrayPattern': node.elements.forEach(add); break
        case 'AssignmentPattern': add(node.left); break
        case 'RestElement': add(node.argument); break
      }
    }
    declaration.declarations.forEach((d) => add(d.id))
    return names
  }

  function imported(node) {
    const name = JSON.stringify(node.source.value)
    const wanted = []
    let whole = ''
    for (const s of node.specifiers) {
      if (s.type === 'ImportNamespaceSpecifier') whole = s.local.name
      else if (s.type === 'ImportDefaultSpecifier') wanted.push(`default: ${s.local.name}`)
      else wanted.push(`${s.imported.name ?? JSON.stringify(s.imported.value)}: ${s.local.name}`)
    }
    const kind = kindFor(node.specifiers.map((s) => s.local.name), 'let')
    if (node.specifiers.length === 0) return `void await imp0rt(${name});`
    if (whole === '') return `${kind} {${wanted.join(', ')}} = await imp0rt(${name});`
    return `${kind} ${whole} = await imp0rt(${name})${wanted.length > 0 ? `, {${wanted.join(', ')}} = ${whole}` : ''};`
  }

  function walk(node, visit) {
    if (Array.isArray(node)) {
      for (const child of node) walk(child, visit)
    } else if (node !== null && typeof node === 'object' && typeof node.type === 'string') {
      visit(node)
      for (const key in node) walk(node[key], visit)
    }
  }

  // post sends a command to the inspector that answers at once.
  function post(method, params) {
    let result
    session.post(method, params, (error, value) => {
      result = error ? { error } : value
    })
    return result ?? {}
  }

  const lexicalNames = () => new Set(post('Runtime.globalLexicalScopeNames', {}).names ?? [])
  const isLexical = (name) => lexicalNames().has(name)
  const isVariable = (name) => {
    const own = Object.getOwnPropertyDescriptor(globalThis, name)
    return own !== undefined && !own.configurable && !isLexical(name)
  }

  // take returns the value behind an object of the inspector.
  function take(remote) {
    if (remote === undefined) return undefined
    if (remote.objectId !== undefined) {
      let value
      globalThis[hook] = (v) => { value = v }
      post('Runtime.callFunctionOn', { objectId: remote.objectId, functionDeclaration: `function () { 'use strict'; globalThis[Symbol.for('quire.driver')](this) }` })
      delete globalThis[hook]
      return value
    }
    if (remote.unserializableValue !== undefined) {
      const text = remote.unserializableValue
      return text.endsWith('n') ? BigInt(text.slice(0, -1)) : Number(text)
    }
    return remote.type === 'undefined' ? undefined : remote.value
  }

  // Errors -----------------------------------------------------------------------------------------------------------

  const maps = new Map() // source maps by the names of the latest sources, if they are TypeScript

  // mapped returns the place in the source of the user of one in what executes, both from 1.
  function mapped(url, line, column) {
    const entry = maps.get(url)?.findEntry(line - 1, column - 1)
    return entry?.originalLine === undefined ? { line, column } : { line: entry.originalLine + 1, column: entry.originalColumn + 1 }
  }

  if (typed) {
    Error.prepareStackTrace = (error, frames) => {
      const place = (text, url, line, column) => {
        const at = mapped(url, Number(line), Number(column))
        return `${url}:${at.line}:${at.column}`
      }
      const lines = frames.map((frame) => `\n    at ${String(frame).replace(/(In\[\d+\]):(\d+):(\d+)/g, place)}`)
      let head = 'Error'
      try {
        head = Error.prototype.toString.call(error)
      } catch {
        // its name or its message fails
      }
      return head + lines.join('')
    }
  }

  const isOurs = (line) => /^\s+at .*(?:\[eval\]|node:inspector|node:internal\/|\[worker eval\])/.test(line) || /^\s+at new Promise \(<anonymous>\)/.test(line)

  // placeOf finds the frame of a source in a stack.
  function placeOf(stack, url) {
    for (const line of stack.split('\n')) {
      const at = line.lastIndexOf(url + ':')
      if (at < 0 || !/^\s+at /.test(line)) continue
      const [row, column] = line.slice(at + url.length + 1).split(/[:)]/).map(Number)
      return { line: row || 0, column: column || 0 }
    }
    return {}
  }

  function failureOf(error, url, details) {
    if (error instanceof Interrupted) return interruptedFailure()
    if (!(error instanceof Error) && typeof error?.stack !== 'string') {
      const text = typeof error === 'string' ? error : util.inspect(error)
      const at = details?.stackTrace?.callFrames?.find((f) => f.url === url)
      return { name: 'Uncaught', message: text, ...(at ? mapped(url, at.lineNumber + 1, at.columnNumber + 1) : {}), trace: ['Uncaught ' + text] }
    }
    const name = typeof error.name === 'string' && error.name !== '' ? error.name : 'Error'
    const stack = typeof error.stack === 'string' ? error.stack : ''
    const failure = { name, message: String(error.message ?? ''), trace: describe(error).split('\n') }
    if (details?.scriptId !== undefined && error instanceof SyntaxError && !stack.includes(url + ':')) {
      const lines = (sources.at(-1) ?? '').split('\n')
      const at = mapped(url, details.lineNumber + 1, details.columnNumber + 1)
      return { ...failure, ...(at.line > lines.length ? { line: lines.length, column: lines.at(-1).length + 1 } : at) }
    }
    const place = placeOf(stack, url)
    if (error.code === 'MODULE_NOT_FOUND' || error.code === 'ERR_MODULE_NOT_FOUND') failure.message = missing(failure.message)
    if (place.line === undefined && error.code === 'ERR_MODULE_NOT_FOUND') Object.assign(place, placeOfImport(error.message))
    const lack = { MODULE_NOT_FOUND: 'access', ERR_MODULE_NOT_FOUND: 'access', ENOENT: 'access', EACCES: 'access', ENOSPC: 'disk', ENOTFOUND: 'network', EAI_AGAIN: 'network', ENETUNREACH: 'network', EMFILE: 'files', EFBIG: 'file-size' }[error.code ?? error.cause?.code]
    if (lack !== undefined) failure.lack = lack
    return { ...failure, ...place }
  }

  // placeOfImport finds the import of a module that is missing: it has no frame.
  function placeOfImport(message) {
    const name = /(?:module|package) '([^']+)'/.exec(message)?.[1]
    const lines = (sources.at(-1) ?? '').split('\n')
    const row = name === undefined ? -1 : lines.findIndex((line) => /\bimport\b/.test(line) && /['"]/.test(line) && line.includes(name))
    return row < 0 ? {} : { line: row + 1 }
  }

  // missing adds which package to install to the message about a module that is missing.
  function missing(message) {
    const name = /(?:module|package) '([^']+)'/.exec(message)?.[1]
    if (name === undefined || /^[./]|^[a-z]+:/.test(name)) return message.split('\n')[0]
    const parts = name.split('/')
    return `${message.split('\n')[0]}\ninstall the package ${name.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]} to use it`
  }

  // The timers of a run, so that an interrupt ends what awaits them.
  for (const name of ['setTimeout', 'setInterval', 'setImmediate']) {
    const own = timers[name]
    const clear = timers[name.replace('set', 'clear')]
    const wrapped = (callback, ...rest) => {
      const run = current
      if (run === null || runs.getStore() !== run.run || typeof callback !== 'function') return own(callback, ...rest)
      const timer = own(
        function (...args) {
          if (name !== 'setInterval') run.timers.delete(stop)
          return callback.apply(this, args)
        },
        ...rest,
      )
      const stop = () => clear(timer)
      run.timers.add(stop)
      return timer
    }
    Object.defineProperty(wrapped, util.promisify.custom, { value: own[util.promisify.custom] })
    Object.defineProperty(wrapped, 'name', { value: name })
    globalThis[name] = wrapped
  }

  // stop ends the code of a run that waits.
  function stop(run) {
    clearCalls()
    stopped.add(run.run)
    if (stopped.size > 1000) stopped.delete(stopped.values().next().value)
    for (const clear of run.timers) clear()
    finish(run, { error: interruptedFailure() })
  }

  const interruptedFailure = () => ({ name: 'Interrupted', message: '', trace: [], cause: 'interrupted' })

  // Runs -------------------------------------------------------------------------------------------------------------

  function finish(run, end) {
    if (run.over) return
    send({ type: 'done', run: run.run, ...end })
    run.over = true
    run.timers = new Set()
    current = null
    post('Runtime.releaseObjectGroup', { objectGroup: 'quire' })
  }

  function execute(request) {
    const run = (current = { run: request.run, url: request.name ?? `In[${request.run}]`, over: false, timers: new Set() })
    sources.push(request.original ?? request.source)
    if (sources.length > 500) sources.shift()
    if (request.map !== undefined) {
      maps.delete(run.url) // of before a reset
      maps.set(run.url, new SourceMap(request.map))
      if (maps.size > 500) maps.delete(maps.keys().next().value)
    }
    runs.run(request.run, () => {
      forgiveCalls()
      const expression = `${prepared(request.source)}\n//# sourceURL=${run.url}`
      session.post('Runtime.evaluate', { expression, replMode: true, objectGroup: 'quire' }, (error, value) => {
        runs.run(request.run, () => void conclude(run, error, value))
      })
    })
  }

  // conclude sends the value or the error of a run.
  async function conclude(run, error, value) {
    if (run.over) return
    if (error) {
      if (/terminated/.test(error.message)) stop(run)
      else finish(run, { error: { name: 'Error', message: error.message, trace: [] } })
      return
    }
    try {
      if (value.exceptionDetails) {
        finish(run, { error: failureOf(take(value.exceptionDetails.exception), run.url, value.exceptionDetails) })
        return
      }
      if (value.result.type !== 'undefined') {
        const data = await dataOf(take(value.result))
        if (run.over) return
        send({ type: 'result', data })
      }
      finish(run, {})
    } catch (e) {
      finish(run, { error: failureOf(e, run.url) })
    }
  }

  // Calls ------------------------------------------------------------------------------------------------------------

  // peek evaluates an expression unless that would change anything.
  function peek(expression) {
    const result = post('Runtime.evaluate', { expression, throwOnSideEffect: true, timeout: 500, objectGroup: 'quire' })
    if (result.error || result.exceptionDetails || result.result === undefined) return { ok: false }
    return { ok: true, value: take(result.result) }
  }

  const chain = /(?:[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*\s*\??\.\s*)*[\p{ID_Start}$_]?[\p{ID_Continue}$\u200c\u200d]*$/u
  const keywords = (
    'async await break case catch class const continue debugger default delete do else export extends false finally for function if import in instanceof ' +
    'let new null of return static super switch this throw true try typeof undefined var void while yield'
  ).split(' ')

  const kindOf = (value) => {
    if (typeof value === 'function') return /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'function'
    return required.has(value) ? 'module' : 'variable'
  }

  function complete({ source, cursor }) {
    const before = source.slice(0, cursor)
    const inString = /(?:require|import)\s*\(?\s*(['"])([^'"\n]*)$/.exec(before) ?? /\bfrom\s+(['"])([^'"\n]*)$/.exec(before)
    if (inString) {
      const start = cursor - inString[2].length
      return { start, end: cursor, items: [...modules].filter((m) => m.startsWith(inString[2])).map((text) => ({ text, kind: 'module' })) }
    }
    const whole = chain.exec(before)[0]
    const dot = Math.max(whole.lastIndexOf('.'), -1)
    const last = whole.slice(dot + 1).trimStart()
    const start = cursor - last.length
    const fit = (names, describe) => [...new Set(names)].filter((n) => n.startsWith(last) && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(n)).map(describe)
    if (dot >= 0) {
      const owner = peek(whole.slice(0, dot).replace(/\?\s*$/, ''))
      if (!owner.ok || owner.value === undefined || owner.value === null) return { start, end: cursor, items: [] }
      const items = fit(propertiesOf(owner.value), (text) => ({ text, kind: memberKind(owner.value, text) }))
      return { start, end: cursor, items }
    }
    if (last === '' && /\.\s*$/.test(before)) return { start, end: cursor, items: [] }
    const lexical = [...lexicalNames()].filter((n) => !hidden.has(n))
    const own = Object.keys(globalThis)
    const items = [
      ...fit(lexical, (text) => ({ text, kind: kindOf(peek(text).value) })),
      ...fit(own.filter((n) => !lexical.includes(n) && !hidden.has(n)), (text) => ({ text, kind: memberKind(globalThis, text) })),
    ]
    const seen = new Set(items.map((i) => i.text))
    const more = last === '' ? [] : Object.getOwnPropertyNames(globalThis).filter((n) => !seen.has(n) && !hidden.has(n) && n !== 'imp0rt' && n !== 'importMeta$')
    items.push(...fit(more, (text) => ({ text, kind: memberKind(globalThis, text) })))
    if (last !== '') items.push(...fit(keywords.filter((k) => !seen.has(k)), (text) => ({ text, kind: 'keyword' })))
    return { start, end: cursor, items: items.slice(0, 500) }
  }

  function propertiesOf(value) {
    const names = []
    for (let o = Object(value), depth = 0; o !== null && depth < 20; o = Object.getPrototypeOf(o), depth++) {
      if (o === Object.prototype && depth > 0) names.push(...Object.getOwnPropertyNames(o).filter((n) => !n.startsWith('__')))
      else if (names.length < 5000) names.push(...Object.getOwnPropertyNames(o).slice(0, 5000))
    }
    return names
  }

  function memberKind(owner, name) {
    for (let o = Object(owner); o !== null; o = Object.getPrototypeOf(o)) {
      const d = Object.getOwnPropertyDescriptor(o, name)
      if (d === undefined) continue
      return typeof d.value === 'function' ? kindOf(d.value) : 'property'
    }
    return 'property'
  }

  function inspectName({ source, cursor }) {
    if (cursor < 0 || cursor > source.length) return { found: false }
    const name = nameAt(source, cursor) ?? calledAt(source, cursor)
    if (name === undefined || keywords.includes(name)) return { found: false }
    const found = peek(name)
    if (!found.ok || (found.value === undefined && !Object.hasOwn(globalThis, name) && !isLexical(name)) || hidden.has(name)) return { found: false }
    const value = found.value
    const last = name.split('.').at(-1)
    let signature = ''
    if (typeof value === 'function') {
      const text = Function.prototype.toString.call(value)
      const native = /\{\s*\[native code\]\s*\}\s*$/.test(text)
      signature = native ? `${last}(${Array.from({ length: value.length }, (_, i) => `arg${i + 1}`).join(', ')})` : headOf(text, last)
    } else {
      signature = `${last}: ${typeName(value)}`
    }
    const doc = commentOf(last)
    const shown = typeof value === 'function' ? '' : util.inspect(value, { depth: 1, maxArrayLength: 20, maxStringLength: 500, customInspect: false })
    const text = [signature, doc, shown].filter((t) => t !== '').join('\n\n')
    return { found: true, signature, data: { 'text/plain': text } }
  }

  // headOf returns the head of a function as it was written.
  function headOf(text, name) {
    if (/^class\b/.test(text)) {
      const made = /constructor\s*(\([^)]*\))/.exec(text)?.[1] ?? '()'
      return `${text.slice(0, text.indexOf('{')).trim().replace(/^class\s*(?=extends|$)/, `class ${name} `)}${made}`.replace(/\s+/g, ' ')
    }
    let depth = 0
    for (let i = 0; i < text.length; i++) {
      if (text[i] === '(' || text[i] === '[' || (text[i] === '{' && depth > 0)) depth++
      if (text[i] === ')' || text[i] === ']' || (text[i] === '}' && depth > 0)) depth--
      if (depth === 0 && (text[i] === '{' || text.startsWith('=>', i))) {
        const head = text.slice(0, i).trim().replace(/\s+/g, ' ')
        return head.includes(name) ? head : `${name}${head.startsWith('(') ? '' : ' '}${head}`
      }
    }
    return `${name}()`
  }

  // commentOf returns the comment above the latest declaration of a name.
  function commentOf(name) {
    const quoted = name.replace(/\$/g, '\\$')
    const pattern = new RegExp(`/\\*\\*((?:[^*]|\\*(?!/))*)\\*/\\s*(?:export\\s+)?(?:default\\s+)?(?:async\\s+)?(?:function\\*?|class|const|let|var)\\s+${quoted}(?![\\w$])`, 'g')
    for (const source of [...sources].reverse()) {
      const found = [...source.matchAll(pattern)].at(-1)
      if (found) return found[1].split('\n').map((line) => line.replace(/^\s*\* ?/, '').trim()).join('\n').trim()
    }
    return ''
  }

  function nameAt(source, cursor) {
    const after = /^[\p{ID_Continue}$]*/u.exec(source.slice(cursor))[0]
    const whole = (chain.exec(source.slice(0, cursor))[0] + after).replace(/\s+/g, '').replace(/\?\./g, '.')
    return /^[\p{ID_Start}$_][\p{ID_Continue}$]*(?:\.[\p{ID_Start}$_][\p{ID_Continue}$]*)*$/u.test(whole) ? whole : undefined
  }

  // calledAt returns the function whose arguments the cursor is in.
  function calledAt(source, cursor) {
    let depth = 0
    for (let i = cursor - 1; i >= 0 && cursor - i < 2000; i--) {
      if (')]}'.includes(source[i])) depth++
      else if ('([{'.includes(source[i]) && depth-- === 0) return source[i] === '(' ? nameAt(source, i) : undefined
      else if (source[i] === ';') return undefined
    }
    return undefined
  }

  const initial = new Set(Object.getOwnPropertyNames(globalThis))

  function typeName(value) {
    if (value === null) return 'null'
    if (typeof value !== 'object' && typeof value !== 'function') return typeof value
    try {
      return Object.prototype.toString.call(value) === '[object Module]' ? 'Module' : value.constructor?.name || 'Object'
    } catch {
      return 'Object'
    }
  }

  // shapeOf returns the size of a container.
  function shapeOf(value) {
    const items = (n) => `${n} item${n === 1 ? '' : 's'}`
    if (Array.isArray(value) || ArrayBuffer.isView(value)) return items(value.length ?? value.byteLength)
    if (value instanceof Map || value instanceof Set) return items(value.size)
    if (isPlain(value)) return items(Object.keys(value).length)
    return ''
  }

  function userNames() {
    const globalNames = Object.getOwnPropertyNames(globalThis).filter((n) => !initial.has(n))
    return [...new Set([...lexicalNames(), ...globalNames])].filter((n) => !hidden.has(n))
  }

  function variables() {
    const list = []
    for (const name of userNames()) {
      const got = peek(name)
      if (!got.ok || typeof got.value === 'function' || required.has(got.value) || typeName(got.value) === 'Module') continue
      const text = util.inspect(got.value, { depth: 1, maxArrayLength: 20, maxStringLength: 200, breakLength: Infinity, customInspect: false })
      const preview = text.replace(/\s+/g, ' ')
      list.push({
        name, type: typeName(got.value), shape: shapeOf(got.value), preview: preview.length > 120 ? preview.slice(0, 119) + '…' : preview,
        ...(ArrayBuffer.isView(got.value) || got.value instanceof ArrayBuffer ? { size: got.value.byteLength } : {}),
      })
    }
    return list
  }

  const isName = (name) => /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(name) && !keywords.includes(name)

  function getVariable({ name }) {
    if (!isName(name)) throw new TypeError(`${name} is no name of a variable`)
    const got = peek(name)
    if (!got.ok || hidden.has(name)) throw new ReferenceError(`${name} is not defined`)
    const text = JSON.stringify(got.value)
    if (text === undefined) throw new TypeError(`${name} is a ${typeName(got.value)}, which JSON cannot have`)
    return JSON.parse(text)
  }

  function setVariable({ name, value }) {
    if (!isName(name)) throw new TypeError(`${name} is no name of a variable`)
    const parsed = `JSON.parse(${JSON.stringify(JSON.stringify(value))})`
    const failed = (expression) => {
      const result = post('Runtime.evaluate', { expression, objectGroup: 'quire' })
      return result.error ?? result.exceptionDetails
    }
    // A name of an earlier run is there already; a constant can be declared again in REPL mode only, as a constant.
    if (peek(name).ok ? failed(`${name} = ${parsed}`) : failed(`let ${name} = ${parsed}`)) {
      session.post('Runtime.evaluate', { expression: `const ${name} = ${parsed}`, replMode: true }, () => {})
    }
    const now = peek(name)
    if (!now.ok || JSON.stringify(now.value) !== JSON.stringify(value)) throw new TypeError(`${name} cannot be set, since the program protects it`)
    hidden.delete(name)
    return null
  }

  // reset forgets all names. V8 cannot remove declarations, so those are undefined, and are not listed.
  function reset() {
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      if (initial.has(name)) continue
      if (!Reflect.deleteProperty(globalThis, name)) {
        globalThis[name] = undefined
        hidden.add(name)
      }
    }
    const names = [...lexicalNames()]
    if (names.length > 0) session.post('Runtime.evaluate', { expression: names.map((n) => `let ${n} = undefined`).join(';'), replMode: true }, () => {})
    for (const name of names) hidden.add(name)
    sources.length = 0
    return null
  }

  let installer = null // the process that installs
  async function install({ packages }) {
    const { spawn } = require('child_process')
    const child = (installer = spawn('npm', ['install', '--prefix', process.cwd(), '--no-audit', '--no-fund', '--no-progress', ...packages], {
      stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_OPTIONS: undefined },
    }))
    let tail = ''
    for (const [i, name] of streamNames.entries()) {
      child[name].on('data', (data) => {
        print(i, data)
        tail = (tail + data.toString()).slice(-2000)
      })
    }
    const status = await new Promise((resolve, reject) => {
      child.on('error', (e) => reject(e.code === 'ENOENT' ? new Error('npm was not found: install it beside node') : e))
      child.on('close', (code, signal) => resolve(signal ?? code))
    })
    installer = null
    if (status === 'SIGINT') throw new Interrupted('interrupted')
    if (status !== 0) throw new Error(`npm install ${packages.join(' ')} ended with status ${status}: ${tail.trim().split('\n').slice(-10).join('\n')}`)
    return null
  }

  // drain waits until no callback is left that could still print. The worker keeps the event loop going meanwhile.
  async function drain() {
    const ours = new Set(['MessagePort', 'Worker', 'SignalWrap', 'SIGNALWRAP'])
    while (process.getActiveResourcesInfo().some((kind) => !ours.has(kind))) {
      await new Promise((resolve) => void timers.setTimeout(resolve, 10).unref())
    }
    return null
  }

  const methods = { complete, inspect: inspectName, variables, get: getVariable, set: setVariable, reset, install, drain }

  async function answerCall(request) {
    try {
      const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined
      if (method === undefined) throw new Error(`no method ${request.method}`)
      send({ type: 'reply', id: request.id, value: (await method(request)) ?? null })
    } catch (e) {
      send({ type: 'reply', id: request.id, error: failureOf(e, '') })
    }
    post('Runtime.releaseObjectGroup', { objectGroup: 'quire' })
  }

  // The worker -------------------------------------------------------------------------------------------------------

  const reader = `
    const { workerData, parentPort } = require('worker_threads')
    const fs = require('fs')
    const inspector = require('inspector')
    const net = require('net')
    const { shared, port, pid, waits, handled, answers } = workerData
    let session
    function tell(message) {
      port.postMessage(message)
      Atomics.add(shared, answers, 1)
      Atomics.notify(shared, answers)
    }
    // The main thread may wait for a child, such as a shell, which may wait for its own.
    function interruptChildren(of, signal) {
      try {
        for (const thread of fs.readdirSync('/proc/' + of + '/task')) {
          for (const child of fs.readFileSync('/proc/' + of + '/task/' + thread + '/children', 'utf8').split(' ')) {
            if (!(Number(child) > 1)) continue
            interruptChildren(Number(child), signal)
            process.kill(Number(child), signal)
          }
        }
      } catch {}
    }
    function interrupt(message) {
      const before = Atomics.load(shared, handled)
      for (let attempt = 1; ; attempt++) {
        if (Atomics.load(shared, waits) === 1) tell(message)
        parentPort.postMessage(message)
        Atomics.wait(shared, handled, before, attempt === 1 ? 30 : 100)
        if (Atomics.load(shared, handled) !== before) return
        if (!session) { session = new inspector.Session(); session.connectToMainThread() }
        session.post('Runtime.terminateExecution')
        if (attempt > 2) interruptChildren(pid, attempt < 20 ? 'SIGINT' : 'SIGKILL')
      }
    }
    function take(line) {
      const message = JSON.parse(line)
      if (message.type === 'answer') tell(message)
      else if (message.type === 'interrupt') interrupt(message)
      else parentPort.postMessage(message)
    }
    // A blocking read would hold up the end of the process.
    let parts = []
    const requests = new net.Socket({ fd: 3, readable: true, writable: false })
    requests.on('data', (data) => {
      let from = 0
      for (let at; (at = data.indexOf(10, from)) >= 0; from = at + 1) {
        parts.push(data.subarray(from, at))
        take(Buffer.concat(parts).toString())
        parts = []
      }
      if (from < data.length) parts.push(data.subarray(from))
    })
    const end = () => parentPort.postMessage({ type: 'end' })
    requests.on('end', end)
    requests.on('error', end)
  `
  const worker = new Worker(reader, {
    eval: true, execArgv: [], stdin: false,
    workerData: { shared, port: answerPorts.port2, pid: process.pid, waits, handled, answers },
    transferList: [answerPorts.port2],
  })

  worker.on('message', (message) => {
    token = message.mark ?? token
    switch (message.type) {
      case 'run':
        execute(message)
        break
      case 'call':
        void answerCall(message)
        break
      case 'interrupt':
        if (current !== null && current.run === message.run) stop(current)
        else if (message.id !== undefined && installer !== null) installer.kill('SIGINT')
        // Last, since a termination that comes late may end this handler: then the worker sends the message again.
        Atomics.add(shared, handled, 1)
        Atomics.notify(shared, handled)
        break
      case 'end':
        exit(0)
    }
  })
  worker.on('error', (e) => {
    process._rawDebug(e)
    process.reallyExit(1)
  })

  send({
    type: 'hello', protocol: 1, version: process.versions.node, interrupt: 'message', marks: true, can: [...Object.keys(methods)],
    ...(typed ? { language: 'typescript', extension: '.ts', mime: 'text/typescript' } : { language: 'javascript', extension: '.js', mime: 'text/javascript' }),
  })
})()
