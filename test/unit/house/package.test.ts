import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { COMMANDS, CONTEXT_KEYS, CONVERSATION_VIEW, PLANS_VIEW, REVIEW_PANEL } from '../../../src/vscode/ids.ts'
import { DEFAULT_LOG_ROOT } from '../../../src/vscode/settings.ts'

const root = resolve(import.meta.dirname, '../../..')
const manifest = z
  .looseObject({
    capabilities: z.looseObject({
      untrustedWorkspaces: z.looseObject({ supported: z.string(), restrictedConfigurations: z.array(z.string()) }),
    }),
    contributes: z.looseObject({
      commands: z.array(z.looseObject({ command: z.string(), category: z.string() })),
      views: z.record(z.string(), z.array(z.looseObject({ id: z.string() }))),
      menus: z.record(z.string(), z.array(z.looseObject({ command: z.string(), when: z.string().optional() }))),
      keybindings: z.array(z.looseObject({ command: z.string() })),
      configuration: z.looseObject({
        properties: z.record(z.string(), z.looseObject({ scope: z.string(), default: z.unknown().optional() })),
      }),
    }),
  })
  .parse(JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')))
const { contributes } = manifest

describe('package.json', () => {
  it('declares exactly the commands that are registered', () => {
    assert.deepEqual(contributes.commands.map(({ command }) => command).sort(), [...COMMANDS].sort())
  })

  it('puts only declared commands into menus and keys', () => {
    const used = [...Object.values(contributes.menus).flat(), ...contributes.keybindings].map(({ command }) => command)
    for (const command of used) assert.ok((COMMANDS as readonly string[]).includes(command), command)
  })

  it('asks only for context keys that are set', () => {
    const keys = Object.values(contributes.menus)
      .flat()
      .flatMap(({ when = '' }) => when.match(/planMode\.\w+/g) ?? [])
      .filter(key => key !== CONVERSATION_VIEW && key !== PLANS_VIEW && key !== REVIEW_PANEL)
    for (const key of keys) assert.ok((CONTEXT_KEYS as readonly string[]).includes(key), key)
  })

  it('declares the views', () => {
    assert.deepEqual(
      Object.values(contributes.views)
        .flat()
        .map(({ id }) => id),
      [CONVERSATION_VIEW, PLANS_VIEW],
    )
  })

  it('keeps from a workspace what a workspace must not set', () => {
    const { properties } = contributes.configuration
    const keys = ['approval.policy', 'model.baseUrl', 'model.id', 'model.contextWindow', 'model.images', 'tools.mode']
    for (const key of keys) {
      assert.equal(properties[`planMode.${key}`]?.scope, 'machine', key)
    }
    assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited')
    assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, [
      'planMode.policy',
      'planMode.log.root',
    ])
    assert.equal(properties['planMode.log.root']?.default, DEFAULT_LOG_ROOT)
  })

  it('keeps download addresses out of the lock file', () => {
    assert.doesNotMatch(readFileSync(resolve(root, 'package-lock.json'), 'utf8'), /"resolved": "http/)
  })
})
