// An engine of a calculator: a line is an expression or name = expression, and the last value is the result.
const names = new Map()
const send = (message) => process.stdout.write(JSON.stringify(message) + '\n')

function valueOf(text) {
  if (!/^[\w\s.+*/()-]*$/.test(text)) throw new SyntaxError('a calculator has numbers, names, + - * / and brackets')
  const code = text.replace(/[A-Za-z_]\w*/g, (name) => {
    if (!names.has(name)) throw new ReferenceError(`${name} has no value`)
    return `(${names.get(name)})`
  })
  return Function(`'use strict'; return (${code})`)()
}

// run executes a program, and returns its error.
function run(source) {
  let last
  for (const [i, line] of source.split('\n').entries()) {
    const at = line.lastIndexOf('=')
    if (line.slice(at + 1).trim() === '') continue
    try {
      last = valueOf(line.slice(at + 1))
    } catch (e) {
      return { name: e.name, message: e.message, line: i + 1 }
    }
    if (at >= 0) {
      names.set(line.slice(0, at).trim(), last)
      last = undefined
    }
  }
  if (last !== undefined) send({ type: 'result', data: { 'text/plain': String(last) } })
}

send({ type: 'hello', protocol: 1, language: 'calculator', version: '1', interrupt: 'none', can: ['variables'], extension: '.calc', mime: 'text/plain' })
require('readline').createInterface({ input: process.stdin, crlfDelay: Infinity }).on('line', (line) => {
  const request = JSON.parse(line)
  if (request.type === 'run') send({ type: 'done', run: request.run, error: run(request.source) })
  if (request.type === 'call') {
    send({ type: 'reply', id: request.id, value: [...names].map(([name, v]) => ({ name, type: 'number', preview: String(v) })) })
  }
})
