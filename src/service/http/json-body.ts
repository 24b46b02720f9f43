/** Reads a JSON body strictly: UTF-8, bounded nesting, a position in the complaint. It knows no route (faults H7, H8). */
import { isUtf8 } from 'node:buffer'
import { badRequest } from '../refusal.ts'
import { findJsonFault, type JsonFault } from './json-fault.ts'

const fault = (details: string): Error => badRequest('The body is not valid JSON', details)

/** The first byte from which the rest cannot be text: as many as possible are. */
function firstBadByte(bytes: Buffer): number {
  let [good, bad] = [0, bytes.length]
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    // A character may be cut in two here: up to three bytes more settle it.
    const whole = [0, 1, 2, 3].some(more => isUtf8(bytes.subarray(0, middle + more)))
    if (whole) good = middle
    else bad = middle
  }
  return good
}

const SAY: Readonly<Record<JsonFault['kind'], (position: number, maxDepth: number) => string>> = {
  syntax: position => `body: see position ${position}`,
  end: position => `body: ends too early, at position ${position}`,
  depth: (position, maxDepth) => `body: is nested deeper than ${maxDepth} levels at position ${position}`,
}

/**
 * The value of a JSON body; undefined for an empty one. Throws a 400 that says where it stops being JSON, without repeating
 * any of it.
 */
export function readJson(bytes: Buffer, maxDepth: number): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw fault(`body: is not UTF-8, see position ${firstBadByte(bytes)}`)
  const text = new TextDecoder().decode(bytes)
  const found = findJsonFault(text, maxDepth)
  if (found !== null) throw fault(SAY[found.kind](found.position, maxDepth))
  return JSON.parse(text)
}
