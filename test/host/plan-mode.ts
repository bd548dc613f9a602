import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import * as vscode from 'vscode'
import { z } from 'zod'
import type { PlanModeApi } from '../../src/extension.ts'

/** The extension's own API, once its window has started. */
export async function planMode(): Promise<PlanModeApi> {
  const extension = vscode.extensions.getExtension<PlanModeApi>('plan-mode.plan-mode')
  assert.ok(extension, 'the extension is not there')
  const api = await extension.activate()
  await api.started
  return api
}

/** Resolves when `probe` holds; after `seconds` throws, naming `what`. */
export async function until(what: string, probe: () => boolean | Promise<boolean>, seconds = 20): Promise<void> {
  const deadline = Date.now() + seconds * 1000
  while (!(await probe())) {
    if (Date.now() > deadline) throw new Error(`Waited ${seconds} s for ${what}`)
    await delay(10)
  }
}

const line = z.looseObject({ type: z.string(), seq: z.int().optional(), data: z.unknown().optional() })
export type Line = z.infer<typeof line>

/** The log on disk, judged byte by byte: UTF-8 lines that end with LF, a header, then contiguous events. */
export async function readLog(api: PlanModeApi): Promise<Line[]> {
  const { log } = api.state()
  assert.ok(log, 'no conversation is shown')
  const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(log))
  assert.ok(text.endsWith('\n'), 'the last line has no end')
  const [header, ...rows] = text
    .slice(0, -1)
    .split('\n')
    .map(row => line.parse(JSON.parse(row)))
  assert.equal(header?.type, 'session')
  let next = 0
  for (const row of rows) {
    assert.equal(firstSeq(row), next, `after ${next - 1}`)
    next += members(row)
  }
  return rows
}

function firstSeq(row: Line): unknown {
  return row.seq ?? row.seq0
}

/** A packed row stands for as many events as it has texts or argument pieces. */
function members(row: Line): number {
  const packed = z
    .looseObject({ texts: z.array(z.string()).optional(), args: z.array(z.string()).optional() })
    .safeParse(row.data)
  if (row.seq !== undefined || !packed.success) return 1
  return (packed.data.texts ?? packed.data.args ?? []).length
}
