/** Reads a JSON body strictly: UTF-8, bounded nesting, errors with the position of the first fault (RFC 8259, faults H7, H8). */
import { isUtf8 } from 'node:buffer'
import { badRequest } from '../refusal.ts'

const SPACE = /[ \t\n\r]*/y
const PLAIN = /[^"\\\u0000-\u001f]+/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y

/** `position` is the number of characters before the fault. */
type JsonFault = { readonly position: number; readonly kind: 'syntax' | 'end' | 'depth' }

/** The first fault; null for valid JSON of at most `maxDepth` levels. A loop, since recursion would exhaust the stack. */
export function findJsonFault(text: string, maxDepth: number): JsonFault | null {
  let at = 0
  // Expected next: a value, a value or `]`, a key, a key or `}`, `,` or the closing bracket.
  let next: 'value' | 'item' | 'key' | 'member' | 'after' = 'value'
  const open: ('{' | '[')[] = []

  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const [found = ''] = pattern.exec(text) ?? []
    at += found.length
    return found !== ''
  }
  const string = (): boolean => {
    if (text[at] !== '"') return false
    at += 1
    // One pattern repeated over a long text would exhaust the stack of the pattern engine.
    while (take(PLAIN) || take(ESCAPE));
    if (text[at] !== '"') return false
    at += 1
    return true
  }
  const fault = (): JsonFault => ({ position: at, kind: at >= text.length ? 'end' : 'syntax' })

  for (;;) {
    take(SPACE)
    const character = text[at]
    if (next === 'after') {
      const inside = open.at(-1)
      if (inside === undefined) return at < text.length ? fault() : null
      if (character === ',') next = inside === '{' ? 'key' : 'value'
      else if (character === (inside === '{' ? '}' : ']')) open.pop()
      else return fault()
      at += 1
    } else if ((next === 'member' && character === '}') || (next === 'item' && character === ']')) {
      open.pop()
      at += 1
      next = 'after'
    } else if (next === 'key' || next === 'member') {
      if (!string()) return fault()
      take(SPACE)
      if (text[at] !== ':') return fault()
      at += 1
      next = 'value'
    } else if (character === '{' || character === '[') {
      open.push(character)
      if (open.length > maxDepth) return { position: at, kind: 'depth' }
      at += 1
      next = character === '{' ? 'member' : 'item'
    } else if (string() || take(NUMBER) || take(WORD)) next = 'after'
    else return fault()
  }
}

const fault = (details: string): Error => badRequest('The body is not valid JSON', details)

/** The first byte that makes the body invalid UTF-8, by bisection. */
function firstBadByte(bytes: Buffer): number {
  let [good, bad] = [0, bytes.length]
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    // The cut may be inside a character of up to four bytes.
    const isText = [0, 1, 2, 3].some(more => isUtf8(bytes.subarray(0, middle + more)))
    if (isText) good = middle
    else bad = middle
  }
  return good
}

const DETAILS: Readonly<Record<JsonFault['kind'], (position: number, maxDepth: number) => string>> = {
  syntax: position => `body: see position ${position}`,
  end: position => `body: ends too early, at position ${position}`,
  depth: (position, maxDepth) => `body: is nested deeper than ${maxDepth} levels at position ${position}`,
}

/**
 * The value of a JSON body; undefined for an empty one. Throws a 400 with the position of the first fault, and never repeats
 * text of the body.
 */
export function readJson(bytes: Buffer, maxDepth: number): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw fault(`body: is not UTF-8, see position ${firstBadByte(bytes)}`)
  const text = new TextDecoder().decode(bytes)
  const found = findJsonFault(text, maxDepth)
  if (found !== null) throw fault(DETAILS[found.kind](found.position, maxDepth))
  return JSON.parse(text)
}
