/**
 * What a program finds in its context beside the language: `tools`, `print` and `console`. It runs before the program and
 * keeps its own hold on what it uses, so that a program which rewrites its world harms itself alone. Its value is the
 * function that waits for the program's end and writes that down as JSON.
 */
export const PRELUDE = `'use strict';
((call, log, names) => {
  const { stringify, parse } = JSON
  const { create, freeze, defineProperty } = Object
  const Failure = Error
  const Text = String
  const Mirror = Proxy

  const method = name => async args => {
    const { stack } = new Failure()
    const answer = parse(await call(name, args === undefined ? '{}' : Text(stringify(args))))
    if (answer.ok) return answer.text
    const error = new Failure(answer.text)
    defineProperty(error, 'stack', { value: stack, writable: true, configurable: true })
    if ('code' in answer) defineProperty(error, 'code', { value: answer.code, writable: true, configurable: true, enumerable: true })
    throw error
  }
  const known = create(null)
  for (let at = 0; at < names.length; at++) known[names[at]] = freeze(method(names[at]))
  freeze(known)
  const tools = new Mirror(known, {
    get: (target, name) => typeof name !== 'string' || name === 'then' ? undefined : target[name] ?? method(name),
  })

  const problemOf = thrown => {
    try {
      if (typeof thrown !== 'object' || thrown === null) return { what: Text(thrown), stack: '' }
      const name = Text(thrown.name ?? 'Error'), message = Text(thrown.message ?? '')
      const code = typeof thrown.code === 'string' ? ' (' + thrown.code + ')' : ''
      return { what: name + code + (message === '' ? '' : ': ' + message), stack: Text(thrown.stack ?? '') }
    } catch {
      return { what: 'it threw something that cannot be shown', stack: '' }
    }
  }
  const shown = value => {
    if (typeof value === 'string') return value
    if (value instanceof Failure) return problemOf(value).what
    try {
      return stringify(value) ?? Text(value)
    } catch (error) {
      return problemOf(error).what
    }
  }
  const print = (...values) => {
    let line = ''
    for (let at = 0; at < values.length; at++) line += (at === 0 ? '' : ' ') + shown(values[at])
    log(stringify(line))
  }
  const put = (name, value) => defineProperty(globalThis, name, { value, writable: true, configurable: true })
  put('tools', tools)
  put('print', print)
  put('console', { log: print, info: print, debug: print, warn: print, error: print })

  return async running => {
    try {
      const value = await running
      if (value === undefined) return stringify({ ok: true })
      return stringify({ ok: true, text: typeof value === 'string' ? value : stringify(value) })
    } catch (error) {
      const { what, stack } = problemOf(error)
      return stringify({ ok: false, what, stack })
    }
  }
})`
