/**
 * Standard input as an input: `-` in place of a path. It can be read once and by one pipeline, so it is stored under the hash of
 * its bytes until no unfinished run needs it: the same command finds the same plan, and a resume needs no standard input.
 */
import { addAbortSignal, type Readable } from 'node:stream'
import { action, FettleError } from '../../errors.ts'
import { type Plan, recordedInput, requestedInput, STDIN_NAME, shownPath } from '../../pipeline/index.ts'
import { type ReceivedInput, stageInput } from './staged-input.ts'

export function isSameInput(asked: string, recorded: Plan['input']): boolean {
  const { kind } = requestedInput(asked)
  const { kept = null, path } = recorded
  if (kept !== null) return shownPath(asked) === kept
  return shownPath(asked) === path || (kind === 'stdin' && recordedInput(recorded).kind === 'stdin')
}

export interface Stdin {
  /** Called only to read it: touching it may keep a process alive. */
  readonly open: () => Readable & { readonly isTTY?: boolean }
  /** Store it for a run; otherwise it is removed after the inspection. */
  readonly keeps: boolean
  readonly signal?: AbortSignal
}

/** Standard input for the pipelines of one call; a second reader is rejected. */
export function stdinOf({ open, keeps, signal }: Stdin): (file: string, runsDir: string) => Promise<ReceivedInput> {
  let reader: string | null = null
  return async (file, runsDir) => {
    if (reader !== null)
      throw new FettleError('FETTLE_USAGE', `${reader} and ${file} both read ${STDIN_NAME}, which can be read once`, {
        hint: 'Run them one after the other, or give one of them a file.',
      })
    reader = file
    const stream = open()
    if (stream.isTTY === true)
      throw new FettleError('FETTLE_USAGE', `${file} reads ${STDIN_NAME}, and that is this terminal`, {
        hint: 'Pipe the list into the command, or read a file.',
        action: action('run', file, '--input', 'FILE'),
      })
    return stageInput(piecesOf(stream, signal), { runsDir, keeps, kind: 'stdin', shown: STDIN_NAME })
  }
}

async function* piecesOf(stream: Readable, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  if (signal !== undefined) addAbortSignal(signal, stream)
  try {
    yield* stream as AsyncIterable<Uint8Array>
  } catch (error) {
    signal?.throwIfAborted()
    throw new FettleError('FETTLE_INPUT_READ', `cannot read ${STDIN_NAME}: ${(error as Error).message}`, {
      cause: error,
      hint: 'Check the program that writes into the pipe, or read a file instead.',
    })
  }
}
