import { main } from './cli/main.ts'

/** The command line: the same rooms without VS Code. */
void main(process.argv.slice(2), {
  out: text => void process.stdout.write(text),
  err: text => void process.stderr.write(text),
}).then(code => {
  process.exitCode = code
})
