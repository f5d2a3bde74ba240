// An engine of the language echo: a program is a text, which is printed.
const send = (message) => process.stdout.write(JSON.stringify(message) + '\n')

send({ type: 'hello', protocol: 1, language: 'echo', version: '1', interrupt: 'none', can: [], extension: '.txt', mime: 'text/plain' })
require('readline').createInterface({ input: process.stdin, crlfDelay: Infinity }).on('line', (line) => {
  const request = JSON.parse(line)
  if (request.type === 'run') {
    send({ type: 'text', stream: 'stdout', text: request.source + '\n' })
    send({ type: 'done', run: request.run })
  }
})
