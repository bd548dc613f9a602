import { closeAll, launch } from './driver.ts'
import { modeIs } from './walks.ts'

for (let i = 0; i < 2; i++) {
  const a = performance.now()
  const w = await launch()
  const b = performance.now()
  await modeIs(w, 'off')
  const c = performance.now()
  await w.close()
  console.log('workbench', Math.round(b - a), 'status', Math.round(c - b), 'close', Math.round(performance.now() - c))
}
await closeAll()
