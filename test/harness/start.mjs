// `npm start`: installs what is missing, builds, and opens a real VS Code on the sample workspace.
import { installPackages, runOnNode24 } from './packages.mjs'

try {
  await installPackages()
  process.exitCode = await runOnNode24('start-workbench.ts', process.argv.slice(2))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
