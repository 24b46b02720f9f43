/** Checks that the input is still the planned file: by its version if this process has hashed that version, else by its bytes. */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { count, counted } from '../../counted.ts'
import { FettleError } from '../../errors.ts'
import { isOfDisk, readChunks, unreadable } from '../../files/file-chunks.ts'
import { type FileContext, isSettled, knownHash, openInput, rememberHash, versionAt } from '../../files/open-input.ts'
import type { InputFacts } from '../../pipeline/model/types.ts'

/** Throws when the input changed since the first check; `during` names the operation in the message. */
type VerifyUnchanged = (during: 'read' | 'sent') => Promise<void>

/** Throws FETTLE_INPUT_CHANGED when the file is not the planned one, FETTLE_INPUT_READ when it cannot be read. */
export async function verifyPlanned(
  facts: Pick<InputFacts, 'path' | 'bytes' | 'sha256' | 'files'>,
  extra: FileContext,
): Promise<VerifyUnchanged> {
  if (facts.files !== undefined) {
    const verified: VerifyUnchanged[] = []
    for (const file of facts.files) verified.push(await verifyPlanned(file, extra))
    return async during => {
      for (const verify of verified) await verify(during)
    }
  }
  const startedMs = extra.now?.() ?? null
  const opened = await openInput(facts.path, extra.root)
  if ('code' in opened) throw new FettleError(opened.code, opened.message, { at: opened.at, hint: opened.hint ?? undefined })
  const { handle, version } = opened
  try {
    if (version.bytes !== facts.bytes)
      throw changed(facts, `it had ${counted(facts.bytes, 'byte')} and has ${count(version.bytes)}`)
    let sha256 = knownHash(version)
    if (sha256 === null) {
      const hash = createHash('sha256')
      for await (const piece of readChunks(handle)) {
        extra.signal?.throwIfAborted()
        hash.update(piece)
      }
      sha256 = hash.digest('hex')
      if (isSettled(version, startedMs)) rememberHash(version, sha256)
    }
    if (sha256 !== facts.sha256) throw changed(facts, 'its bytes differ, though not their number')
  } catch (error) {
    throw isOfDisk(error) ? unreadable(facts.path, error) : error
  } finally {
    await handle.close()
  }
  return async during => {
    const now = await versionAt(resolve(extra.root ?? '', facts.path)).catch(error => {
      throw unreadable(facts.path, error)
    })
    if (now.id !== version.id) throw changed(facts, `it was written to while it was ${during}`)
    // A write within the resolution of file times may have left the version unchanged.
    if (!isSettled(version, startedMs)) await verifyPlanned(facts, extra)
  }
}

export const changed = (facts: Pick<InputFacts, 'path'>, how: string): FettleError =>
  new FettleError('FETTLE_INPUT_CHANGED', `the input ${facts.path} changed since the run was planned: ${how}`, {
    at: { file: facts.path, line: null, column: null },
  })
