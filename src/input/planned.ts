/** Whether the input is still the planned one: by size and time at a glance, by its bytes when the glance is not enough. */
import { createHash } from 'node:crypto'
import { FettleError } from '../errors.ts'
import type { InputFacts } from '../pipeline/types.ts'
import { openInput } from './locate.ts'
import { isOfDisk, readPieces, unreadable } from './pieces.ts'

/** Throws FETTLE_INPUT_CHANGED when the file is another one than planned, FETTLE_INPUT_READ when it cannot be read. */
export async function checkPlanned(facts: InputFacts, root = '', signal?: AbortSignal): Promise<void> {
  const opened = await openInput(facts.path, root)
  if ('code' in opened)
    throw new FettleError(opened.code, opened.message, { at: opened.at, ...(opened.hint ? { hint: opened.hint } : {}) })
  const { handle, stat } = opened
  try {
    if (stat.size !== facts.bytes) throw changed(facts, `it had ${facts.bytes} bytes and has ${stat.size}`)
    if (stat.mtimeMs === facts.mtimeMs) return
    const hash = createHash('sha256')
    for await (const piece of readPieces(handle)) {
      signal?.throwIfAborted()
      hash.update(piece)
    }
    if (hash.digest('hex') !== facts.sha256) throw changed(facts, 'it has as many bytes, but other ones')
  } catch (error) {
    throw isOfDisk(error) ? unreadable(facts.path, error) : error
  } finally {
    await handle.close()
  }
}

/** The error for an input that is no longer the planned one. */
export const changed = (facts: InputFacts, how: string): FettleError =>
  new FettleError('FETTLE_INPUT_CHANGED', `the input ${facts.path} changed since the run was planned: ${how}`, {
    at: { file: facts.path, line: null, column: null },
  })
