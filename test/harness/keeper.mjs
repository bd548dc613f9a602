// Runs one command in a process group of its own and ends that group when the command is done or whoever asked
// for it is gone, however that happened: the channel to the parent closes even when the parent is killed.
import { spawn } from 'node:child_process'

/** How long the group may take to end by itself, in milliseconds. */
const patience = 2000

const [command, ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
let ending = false

child.on('error', error => {
  console.error(`${command} cannot be started: ${error.message}`)
  report(127)
})
child.on('exit', code => (ending ? kill() : report(code ?? 1)))
for (const event of ['disconnect', 'SIGINT', 'SIGTERM', 'SIGHUP']) process.on(event, end)

function report(code) {
  if (process.connected) process.send(code, kill)
  else kill()
}

function end() {
  if (ending) return
  ending = true
  signalGroup('SIGTERM')
  setTimeout(kill, patience)
}

// The keeper leads the group, so this ends the keeper too.
function kill() {
  signalGroup('SIGKILL')
  process.exit()
}

// Windows has no groups: there the command alone is ended.
function signalGroup(signal) {
  if (process.platform === 'win32') child.kill(signal)
  else process.kill(-process.pid, signal)
}
