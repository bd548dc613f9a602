import { createServer } from 'node:http'
import { createApp } from './app.ts'
import { loadConfig } from './config.ts'
import { log } from './log.ts'
import { ParcelStore } from './store.ts'

const config = loadConfig(process.env)
const app = createApp(new ParcelStore(), config)

createServer((request, response) => void app(request, response)).listen(config.port, () => {
  log('info', 'listening', { port: config.port })
})
