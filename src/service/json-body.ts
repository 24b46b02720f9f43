/** Reads a JSON body strictly: UTF-8, bounded nesting, a position in the complaint. It knows no route (faults H7, H8). */
import { badRequest } from './refusal.ts'

const fault = (details: string): Error => badRequest('The body is not valid JSON', details)

/** Whether brackets are nested deeper than `limit`; text inside strings does not count. */
function isTooDeep(text: string, limit: number): boolean {
  let depth = 0
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (quoted) {
      if (character === '\\') index += 1
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '{' || character === '[') {
      depth += 1
      if (depth > limit) return true
    } else if (character === '}' || character === ']') depth -= 1
  }
  return false
}

/**
 * The value of a JSON body; undefined for an empty one. Throws a 400 that says where it stops being JSON, without repeating
 * any of it.
 */
export function readJson(bytes: Buffer, maxDepth: number): unknown {
  if (bytes.length === 0) return undefined
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw fault('body: is not UTF-8')
  }
  if (isTooDeep(text, maxDepth)) throw fault(`body: is nested deeper than ${maxDepth} levels`)
  try {
    return JSON.parse(text)
  } catch (error) {
    const position = /at position (\d+)/.exec((error as Error).message)?.[1]
    throw fault(
      position === undefined ? `body: ends too early, after ${text.length} characters` : `body: see position ${position}`,
    )
  }
}
