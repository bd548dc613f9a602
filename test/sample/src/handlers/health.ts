import type { Handler } from '../router.ts'

export const health: Handler = () => ({ status: 200, body: { status: 'ok' } })
