// A page may not evaluate strings: zod must not compile its parsers. Imported before any schema is built.
import * as z from 'zod'

z.config({ jitless: true })
