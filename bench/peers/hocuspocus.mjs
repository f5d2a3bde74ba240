// A Hocuspocus server in memory, as its stock settings make it.
import { Server } from '@hocuspocus/server'

const server = new Server({ port: Number(process.env.PORT), address: '127.0.0.1', quiet: true })
await server.listen()
