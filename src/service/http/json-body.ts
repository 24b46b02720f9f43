/** Reads a JSON body strictly: UTF-8, bounded nesting, errors with their position (faults H7, H8). */
import { isUtf8 } from 'node:buffer'
import { badRequest } from '../refusal.ts'
import { findJsonFault, type JsonFault } from './json-fault.ts'

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
