// Drives a Yjs sync server with raw clients, as loadgenerator.go drives ours: every client
// types into a text of its own in the document that it shares with others, and keeps
// a window of edits under way until all others have them. The clients send updates
// that real documents made, and look for marks in what they receive.
//
//   node sync.mjs hocuspocus|y-websocket DOCS CLIENTS EDITS WINDOW
//
// prints one line of JSON: {"edits", "deliveries", "seconds", "p50", "p99"}
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import * as encoding from 'lib0/encoding'
import * as decoding from 'lib0/decoding'
import { WebSocket } from 'ws'
import { writeSyncStep1, writeUpdate } from 'y-protocols/sync'
import * as Y from 'yjs'

const [kind, ...numbers] = process.argv.slice(2)
const [docs, perDoc, edits, window] = numbers.map(Number)
const hocuspocus = kind === 'hocuspocus'
const port = 20_000 + (process.pid % 20_000)
const require = createRequire(import.meta.url)

function startServer() {
  const env = { ...process.env, HOST: '127.0.0.1', PORT: String(port) }
  const script = hocuspocus
    ? new URL('hocuspocus.mjs', import.meta.url).pathname
    : require.resolve('y-websocket/package.json').replace('package.json', 'bin/server.cjs')
  return spawn('node', [script], { env, stdio: 'ignore' })
}

async function waitForServer() {
  for (let i = 0; i < 1_000; i++) {
    try {
      await fetch(`http://127.0.0.1:${port}/`)
      return
    } catch {
      await sleep(10)
    }
  }
  throw new Error('the server does not answer')
}

// frame is a message about a document; Hocuspocus names the document in each.
function frame(doc, type, write) {
  const e = encoding.createEncoder()
  if (hocuspocus) encoding.writeVarString(e, doc)
  encoding.writeVarUint(e, type)
  write(e)
  return encoding.toUint8Array(e)
}

// makeEdits returns the updates of a client, each appending one mark.
function makeEdits(id, doc) {
  const y = new Y.Doc()
  const text = y.getText('cell' + id)
  const out = []
  y.on('update', (u) => out.push(frame(doc, 0, (e) => writeUpdate(e, u))))
  for (let i = 0; i < edits; i++) text.insert(text.length, `@${id}:${i};`)
  y.destroy()
  return out
}

function connect(id, doc, onMark) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/${doc}`, { perMessageDeflate: false })
    socket.binaryType = 'nodebuffer'
    const client = { id, socket, next: 0, edits: makeEdits(id, doc) }
    socket.on('error', reject)
    socket.on('open', () => {
      if (hocuspocus) {
        socket.send(frame(doc, 2, (e) => {
          encoding.writeVarUint(e, 0)
          encoding.writeVarString(e, 'token')
          encoding.writeVarString(e, '4.7.0')
        }))
      }
      socket.send(frame(doc, 0, (e) => writeSyncStep1(e, new Y.Doc())))
    })
    socket.on('message', (data) => {
      const d = decoding.createDecoder(data)
      if (hocuspocus) decoding.readVarString(d)
      const type = decoding.readVarUint(d)
      if (type !== 0 && type !== 4) return
      const step = decoding.readVarUint(d)
      if (step === 1) resolve(client)
      if (step !== 2) return
      const at = performance.now()
      for (const m of data.latin1Slice().matchAll(/@(\d+):(\d+);/g)) onMark(client, Number(m[1]), Number(m[2]), at)
    })
  })
}

const server = startServer()
process.on('exit', () => server.kill('SIGKILL'))
await waitForServer()

const clients = []
const sent = new Map()
const latencies = []
const total = docs * perDoc * edits
let done = 0
let finish
const finished = new Promise((resolve) => (finish = resolve))

function send(client) {
  if (client.next === edits) return
  const n = client.next++
  sent.set(client.id * 1e6 + n, { at: performance.now(), left: perDoc - 1 })
  client.socket.send(client.edits[n])
}

function onMark(client, from, n, at) {
  const flight = from === client.id ? undefined : sent.get(from * 1e6 + n)
  if (!flight) return
  latencies.push(at - flight.at)
  if (--flight.left > 0) return
  sent.delete(from * 1e6 + n)
  if (++done === total) finish()
  else send(clients[from])
}

for (let i = 0; i < docs * perDoc; i++) clients.push(await connect(i, 'doc' + Math.floor(i / perDoc), onMark))
await sleep(300)
const start = performance.now()
for (const c of clients) for (let i = 0; i < window; i++) send(c)
await Promise.race([finished, sleep(120_000)])
const seconds = (performance.now() - start) / 1_000
latencies.sort((a, b) => a - b)
const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))]
console.log(JSON.stringify({ edits: done, deliveries: latencies.length, seconds, p50: at(0.5), p99: at(0.99) }))
process.exit(0)
