// Free TCP ports on loopback.
import { once } from 'node:events'
import { createServer } from 'node:net'

/** `preferred` when nobody listens there, else a port that the system picks. */
export async function freePort(preferred = 0): Promise<number> {
  const probe = createServer()
  try {
    probe.listen(preferred, '127.0.0.1')
    await once(probe, 'listening')
    const address = probe.address()
    if (address === null || typeof address === 'string') throw new Error('A TCP server has no TCP address')
    return address.port
  } catch (error) {
    if (preferred !== 0 && error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return freePort()
    throw error
  } finally {
    probe.close()
  }
}
