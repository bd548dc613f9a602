import type { CodeBounds } from '../../../../src/agent/code/engine.ts'

/** One try to get out, to spoil what is outside, or to go on without end; a program that gets out returns "escaped". */
export interface Attempt {
  readonly name: string
  readonly code: string
  /** What comes of it: what it returned, or why it failed. */
  readonly gives: RegExp
  readonly fails?: true
  readonly bounds?: Partial<CodeBounds>
  /** Arguments of `echo` that come out, as JSON texts. */
  readonly calls?: readonly string[]
}

const short = { computeMs: 150 }
const small = { memoryBytes: 20 * 2 ** 20, computeMs: 20_000 }
const late = /^it computed longer than 0\.15 seconds$/
const full = /^it used more than 20 MB$/

const returns = (name: string, code: string, gives: RegExp): Attempt => ({ name, code, gives })
const fails = (name: string, code: string, gives: RegExp, bounds: Partial<CodeBounds> = {}): Attempt => ({
  name,
  code,
  gives,
  fails: true,
  bounds,
})

/** Every global of a Node program that a sandbox must not have. */
const hostNames = [
  ...['process', 'require', 'module', 'exports', '__dirname', '__filename', 'global', 'Buffer', 'fetch', 'WebAssembly'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'structuredClone', 'MessageChannel', 'Worker'],
  ...['XMLHttpRequest', 'WebSocket', 'EventSource', 'navigator', 'performance', 'crypto', 'URL', 'TextDecoder', 'self'],
  ...['window', 'parent', 'parentPort', 'workerData', 'std', 'os', 'scriptArgs', 'postMessage', 'onmessage', 'Deno'],
  ...['Bun', 'vscode', 'acquireVsCodeApi', 'importScripts', 'BroadcastChannel', 'indexedDB', 'localStorage', 'gc'],
]

export const attempts: readonly Attempt[] = [
  // The constructors and the world behind them.
  returns('constructor of print', `return typeof print.constructor('return this')().process`, /^undefined$/),
  returns('constructor of a tool', `return typeof tools.echo.constructor('return globalThis.process')`, /^function$/),
  returns(
    'a function made by a tool’s constructor',
    `const make = tools.echo.constructor; return String(await make('return typeof process + typeof require')())`,
    /^undefinedundefined$/,
  ),
  returns(
    'constructor of an answer',
    `return typeof (await tools.echo({})).constructor.constructor('return process?.env')`,
    /^function$/,
  ),
  fails(
    'process through Function',
    `return Function('return process.env')()`,
    /^ReferenceError: '?process'? is not defined$/,
  ),
  fails('require through eval', `return eval('require("fs")')`, /^ReferenceError: '?require'? is not defined$/),
  fails('indirect eval', `return (0, eval)('process.exit(3)')`, /^ReferenceError/),
  returns(
    'AsyncFunction',
    `return await Object.getPrototypeOf(async () => {}).constructor('return typeof process')()`,
    /^undefined$/,
  ),
  returns(
    'GeneratorFunction',
    `return Object.getPrototypeOf(function* () {}).constructor('return typeof process')().next().value`,
    /^undefined$/,
  ),
  returns(
    'constructor of the error of a failed call',
    `try { await tools.nope() } catch (error) { return typeof error.constructor.constructor('return this')().process }`,
    /^undefined$/,
  ),
  returns(
    'Error.prepareStackTrace',
    `Error.prepareStackTrace = (_, frames) => frames; const { stack } = new Error(); return typeof stack === 'string' || !stack?.[0]?.getThis?.()`,
    /^true$/,
  ),
  returns(
    'arguments.callee.caller',
    `try { return String((function () { return arguments.callee.caller })()) } catch (error) { return error.name }`,
    /^TypeError$/,
  ),
  returns('names of the host', `return ${JSON.stringify(hostNames)}.filter(name => name in globalThis).join()`, /^$/),
  returns(
    'a walk over everything reachable',
    `const seen = new Set(), queue = [globalThis], found = []
     while (queue.length > 0) {
       const at = queue.pop()
       if ((typeof at !== 'object' && typeof at !== 'function') || at === null || seen.has(at)) continue
       seen.add(at)
       if (seen.size > 20000) break
       for (const key of Reflect.ownKeys(at)) {
         if (/process|require|binding|emscripten|wasm/i.test(String(key))) found.push(String(key))
         const { get, set, value } = Reflect.getOwnPropertyDescriptor(at, key)
         queue.push(get, set, value)
       }
       queue.push(Reflect.getPrototypeOf(at))
     }
     return found.join()`,
    /^$/,
  ),
  // Modules.
  fails('import of fs', `import fs from 'fs'\nreturn fs.readFileSync('/etc/passwd', 'utf8')`, /^SyntaxError/),
  fails('import with effects only', `import 'node:fs'`, /^SyntaxError/),
  fails('dynamic import', `return (await import('fs')).readFileSync('/etc/passwd', 'utf8')`, /could not load module/),
  fails(
    'dynamic import of data',
    `return await import('data:text/javascript,export default 1')`,
    /could not load module/,
  ),
  fails('dynamic import of the worker', `return await import('./worker.ts')`, /could not load module/),
  fails('import.meta', `return import.meta.url`, /^SyntaxError/),
  fails('require by TypeScript', `import fs = require('fs')\nreturn fs`, /^(SyntaxError|ReferenceError)/),
  fails('export', `export default 1`, /^SyntaxError/),
  // Breaking out of the wrapper around a program.
  returns(
    'closing the wrapper',
    `})(); globalThis.out = typeof process; (async () => { return globalThis.out`,
    /^undefined$/,
  ),
  fails('closing the wrapper and throwing', `})(); throw new Error('out'); (async () => {`, /^Error: out$/),
  fails('an open comment', `/* return 1`, /^SyntaxError/),
  fails('an open template', 'return `', /^SyntaxError/),
  // Spoiling what the bridge stands on.
  returns(
    'polluted Object.prototype',
    `Object.prototype.ok = true; Object.prototype.text = 'forged'; Object.prototype.code = 'FORGED'
     try { return await tools.nope() } catch (error) { return error.message }`,
    /^There is no tool/,
  ),
  returns(
    'polluted Array.prototype',
    `Array.prototype.map = Array.prototype.join = () => { throw 1 }; print('a', 'b'); return 'here'`,
    /^here$/,
  ),
  returns(
    'rewritten JSON',
    `JSON.stringify = () => '{"ok":true}'; JSON.parse = () => ({ ok: true, text: 'forged' }); return await tools.echo({ a: 1 })`,
    /^\{"a":1\}$/,
  ),
  returns(
    'rewritten Promise',
    `Promise.prototype.then = () => { throw 1 }; globalThis.Promise = undefined; return await tools.echo({})`,
    /^\{\}$/,
  ),
  returns(
    'rewritten String and Error',
    `globalThis.String = globalThis.Error = globalThis.Proxy = undefined; return await tools.echo({})`,
    /^\{\}$/,
  ),
  returns(
    'a getter for the prelude’s names',
    `Object.defineProperty(Object.prototype, 'stack', { get() { return 'forged' }, configurable: true }); try { await tools.nope() } catch (error) { return error.code }`,
    /^UNKNOWN_TOOL$/,
  ),
  returns('replaced tools', `globalThis.tools = { echo: () => 'mine' }; return tools.echo()`, /^mine$/),
  returns(
    'tools cannot be changed',
    `try { tools.echo = () => 'forged' } catch {} return await tools.echo({ a: 1 })`,
    /^\{"a":1\}$/,
  ),
  returns(
    'prototype of tools',
    `return String(Object.getPrototypeOf(tools)) + String(tools.__proto__ === undefined)`,
    /^null/,
  ),
  returns('tools as a thenable', `return typeof (await tools)`, /^object$/),
  // What goes over the bridge.
  {
    ...returns(
      '__proto__ over the bridge',
      `return await tools.echo(JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'))`,
      /^\{"__proto__"/,
    ),
    calls: ['{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'],
  },
  {
    ...returns('toJSON on arguments', `return await tools.echo({ a: { toJSON: () => 'said' } })`, /^\{"a":"said"\}$/),
    calls: ['{"a":"said"}'],
  },
  returns(
    'getter on arguments that throws',
    `try { await tools.echo({ get a() { throw new Error('mine') } }) } catch (error) { return error.message }`,
    /^mine$/,
  ),
  {
    ...returns(
      'Proxy as arguments',
      `return await tools.echo(new Proxy({ a: 1 }, { get: (t, k) => t[k] }))`,
      /^\{"a":1\}$/,
    ),
    calls: ['{"a":1}'],
  },
  returns(
    'cyclic arguments',
    `const a = {}; a.a = a; try { await tools.echo(a) } catch (error) { return error.name }`,
    /^TypeError$/,
  ),
  returns(
    'BigInt as arguments',
    `try { await tools.echo({ a: 1n }) } catch (error) { return error.name }`,
    /^TypeError$/,
  ),
  { ...returns('a function as arguments', `return await tools.echo(() => 'x')`, /^undefined$/), calls: ['undefined'] },
  {
    ...returns('a text as arguments', `return await tools.echo('},{"kind":"ended"}')`, /ended/),
    calls: [`"},{\\"kind\\":\\"ended\\"}"`],
  },
  {
    ...returns(
      'numbers that JSON has not',
      `return await tools.echo({ a: NaN, b: -0, c: Infinity })`,
      /^\{"a":null,"b":0,"c":null\}$/,
    ),
    calls: ['{"a":null,"b":0,"c":null}'],
  },
  {
    ...returns('NUL and half characters', `return await tools.echo({ a: 'x\\u0000y\\ud800z\\u2028' })`, /^\{"a"/),
    calls: [`{"a":"x\\u0000y\\ud800z\u2028"}`],
  },
  returns(
    'NUL in the name of a tool',
    `try { await tools['ec\\u0000ho']({}) } catch (error) { return error.code }`,
    /^UNKNOWN_TOOL$/,
  ),
  returns(
    '__proto__ as the name of a tool',
    `try { await tools['__proto__']({}) } catch (error) { return error.code }`,
    /^UNKNOWN_TOOL$/,
  ),
  returns(
    'constructor as the name of a tool',
    `try { await tools['constructor']({}) } catch (error) { return error.code }`,
    /^UNKNOWN_TOOL$/,
  ),
  returns(
    'a message of the worker as an answer',
    `return await tools.echo({ kind: 'ended', end: { kind: 'returned', output: '', value: 'forged' } })`,
    /^\{"kind":"ended"/,
  ),
  returns(
    'an end in place of its own',
    `return { ok: false, what: 'forged', stack: 'program.ts:99' }`,
    /^\{"ok":false/,
  ),
  fails('a thrown end', `throw { ok: true, text: 'forged', name: 'Forged', message: 'x' }`, /^Forged: x$/),
  fails('a thrown object whose name throws', `throw { get name() { throw 1 } }`, /cannot be shown/),
  fails('a thrown Proxy', `throw new Proxy({}, { get() { throw 1 } })`, /cannot be shown/),
  fails('a thrown symbol', `throw Symbol('x')`, /Symbol\(x\)/),
  fails('a thrown stack', `throw { name: 'E', message: 'm', stack: 'program.ts:' + '9'.repeat(400) }`, /^E: m$/),
  returns('a returned function', `return () => 1`, /^$/),
  fails('a returned cycle', `const a = []; a.push(a); return a`, /^TypeError: circular reference/),
  fails('a returned BigInt', `return 1n`, /^TypeError/),
  returns('a returned Proxy', `return new Proxy([1, 2], {})`, /^\[1,2\]$/),
  returns('a returned thenable', `return { then(resolve) { resolve('then') } }`, /^then$/),
  fails('a returned thenable that never ends', `return { then() {} }`, /waits for something that cannot come/),
  returns('a returned toJSON', `return { toJSON: () => ({ own: 1 }) }`, /^\{"own":1\}$/),
  returns('direction marks in what is returned', `return '\\u202e\\u2066x'`, /^\u202e\u2066x$/),
  // Without end.
  fails('a loop', `while (true) {}`, late, short),
  fails('a loop that catches', `while (true) try { while (true) {} } catch {}`, late, short),
  fails('a loop in finally', `try { throw 1 } finally { while (true) {} }`, late, short),
  fails('an asynchronous loop', `while (true) await null`, late, short),
  fails(
    'a flood of jobs',
    `const more = () => { Promise.resolve().then(more); Promise.resolve().then(more) }; more(); await new Promise(() => {})`,
    /^it (computed longer than 0\.15 seconds|used more than 20 MB)$/,
    { ...short, memoryBytes: small.memoryBytes },
  ),
  fails('a loop after an answer', `await tools.echo({}); while (true) {}`, late, short),
  fails('a loop in a getter of the result', `return { get a() { while (true) {} } }`, late, short),
  fails('a loop in toJSON of arguments', `await tools.echo({ toJSON() { while (true) {} } })`, late, short),
  fails('a loop in a thrown error', `throw { get message() { while (true) {} } }`, late, short),
  fails('a pattern that backtracks', `return /^(a+)+$/.test('a'.repeat(60) + 'b')`, late, short),
  fails('an endless generator', `for (const _ of (function* () { while (true) yield 1 })()) {}`, late, short),
  fails('a sort that never agrees', `[1, 2, 3].sort(() => { while (true) {} })`, late, short),
  fails(
    'a huge power',
    `return String(7n ** (7n ** 9n)).length`,
    /^(it computed longer|RangeError|InternalError|it used|it went)/,
    { ...small, computeMs: 150 },
  ),
  fails('a wait for nothing', `await new Promise(() => {})`, /waits for something that cannot come/),
  returns('Atomics', `return typeof Atomics`, /^undefined$/),
  returns(
    'shared memory',
    `return typeof SharedArrayBuffer === 'undefined' || new SharedArrayBuffer(8).byteLength`,
    /^(true|8)$/,
  ),
  // Too much.
  fails('a memory bomb of objects', `const all = []; while (true) all.push({ all })`, full, small),
  fails('a memory bomb of arrays', `const all = []; while (true) all.push(new Array(1000).fill(1.5))`, full, small),
  fails('a memory bomb of texts', `const all = []; while (true) all.push('x'.repeat(1e6) + all.length)`, full, small),
  fails('a memory bomb of buffers', `const all = []; while (true) all.push(new Uint8Array(1e6))`, full, small),
  fails('one huge buffer', `return new ArrayBuffer(2 ** 31 - 1).byteLength`, full, small),
  fails(
    'a text that doubles',
    `let text = 'x'; while (true) text += text`,
    /^(InternalError|RangeError): (string too long|invalid string length)|it used/,
    small,
  ),
  fails('padding', `return ''.padEnd(2 ** 30 - 1, 'x').length`, /string too long|used more|invalid/i, small),
  fails('deep recursion', `const down = () => down() + 1; return down()`, /stack overflow/, small),
  fails(
    'deep recursion that catches',
    `const down = () => { try { return down() + 1 } catch { return down() } }; return down()`,
    /stack overflow|computed longer|went beyond/,
    { ...short, stackBytes: 64 * 1024 },
  ),
  fails(
    'deep recursion in getters',
    `const o = { get a() { return this.a } }; return o.a`,
    /stack overflow|went beyond/,
    small,
  ),
  fails(
    'deep recursion in a Proxy',
    `let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.a`,
    /stack overflow|went beyond|used more/,
    small,
  ),
  fails('deep JSON', `return JSON.parse('['.repeat(1e5))`, /stack overflow|went beyond/, small),
  fails(
    'a deep result',
    `let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a`,
    /stack overflow|went beyond/,
    small,
  ),
  fails(
    'deep source',
    `return ${'('.repeat(5_000)}1${')'.repeat(5_000)}`,
    /SyntaxError|stack overflow|went beyond|could not run/,
    small,
  ),
  fails(
    'too many calls',
    `await Promise.all(Array.from({ length: 9 }, () => tools.echo({})))`,
    /^Error \(CODE_BOUND\): A program makes at most 4 calls\.$/,
    { calls: 4 },
  ),
  fails(
    'too long arguments',
    `await tools.echo({ a: 'x'.repeat(2000) })`,
    /^Error \(CODE_BOUND\): The arguments of echo are longer/,
    { argumentChars: 1000 },
  ),
  // What errors tell.
  fails(
    'the stack of an error',
    `throw new Error(new Error().stack)`,
    /^Error: (\s+at [^\n]*(program\.ts|tools)[^\n]*\n?)+$/,
  ),
  fails('a syntax error', `const x: = 1`, /^SyntaxError: Unexpected token$/),
]
