import { z } from 'zod'
import type { Tool } from '../tool.ts'

/** How tools read as TypeScript: one method of `tools` each, with its description and the types of its arguments. */

type Schema = z.core.JSONSchema.BaseSchema

/** The methods, without what is around them. */
export function declarations(tools: readonly Tool[]): string {
  return tools.map(declaration).join('\n')
}

function declaration({ name, description, parameters }: Tool): string {
  const args = typeOf(z.toJSONSchema(parameters, { target: 'draft-7', io: 'input' }), '  ')
  return `${comment(description, '  ')}  ${name}(args: ${args}): Promise<string>`
}

function typeOf(schema: boolean | Schema, indent: string): string {
  if (typeof schema === 'boolean') return schema ? 'unknown' : 'never'
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  const several = schema.anyOf ?? schema.oneOf
  if (several !== undefined) return several.map(each => typeOf(each, indent)).join(' | ')
  const type: unknown = schema.type
  if (Array.isArray(type)) return type.map(each => typeOf({ ...schema, type: each }, indent)).join(' | ')
  switch (schema.type) {
    case 'object':
      return objectType(schema, indent)
    case 'array':
      return `Array<${typeof schema.items === 'object' && !Array.isArray(schema.items) ? typeOf(schema.items, indent) : 'unknown'}>`
    case 'integer':
      return 'number'
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type
    default:
      return 'unknown'
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const inside = `${indent}  `
  const members = Object.entries(properties).map(([name, member]) => {
    const said = typeof member === 'object' ? (member.description ?? '') : ''
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    return `${comment(said, inside)}${inside}${key}${required.includes(name) ? '' : '?'}: ${typeOf(member, inside)}`
  })
  if (members.length > 0) return `{\n${members.join('\n')}\n${indent}}`
  if (additionalProperties === undefined || additionalProperties === false) return '{}'
  return `Record<string, ${typeOf(additionalProperties, indent)}>`
}

/** A description cannot end the comment it stands in. */
function comment(text: string, indent: string): string {
  return text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '* /').replaceAll('\n', `\n${indent} * `)} */\n`
}
