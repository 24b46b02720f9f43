/**
 * `--record`: keeps the answers of the service as a cassette, with the list and a pipeline that repeat the run. The key of the
 * placeholders stays in the run directory until the run is over, so that a resumed run continues its cassette.
 */

import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createRecorder, type Recorder, redactFor } from '../client/record/recorder.ts'
import { redactCell, redactHeader } from '../client/record/redact.ts'
import type { CassetteExchange, CassetteHead } from '../contract/index.ts'
import { packageInfo } from '../env/package-info.ts'
import { FettleError, type Issue, issue } from '../errors.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import { csvText } from '../formats/text-formats.ts'
import type { Clock } from '../model/requests.ts'
import { type Plan, restorePipeline } from '../pipeline/index.ts'
import { type RunDirectory, removeIfPossible } from '../runs/run-directory.ts'

const KEY_BYTES = 32
/** The list is one line of the cassette. */
const MAX_LIST = 64 * 1024 * 1024

export interface Recording {
  readonly recorder: Recorder
  close(): void
}

/** The list of a plan as CSV, each cell a placeholder. Throws FETTLE_USAGE when it is too large. */
async function listOf(plan: Plan, rows: AsyncIterable<readonly string[]>, redact: ReturnType<typeof redactFor>): Promise<string> {
  const { header, columns } = plan.input
  const style = { delimiter: ',', lineEnd: '\n', columns }
  let text = header === null ? '' : csvText([header.map(cell => redactHeader(cell, redact))], style)
  let count = 0
  for await (const row of rows) {
    if (count === plan.rows) break
    count += 1
    text += csvText([row.map(cell => redactCell(cell, redact))], style)
    if (text.length > MAX_LIST)
      throw new FettleError('FETTLE_USAGE', `the list is too large to be recorded: more than ${MAX_LIST} characters`, {
        hint: 'Record fewer of its rows.',
      })
  }
  return text
}

interface RecordingNeeds {
  readonly file: string
  readonly directory: RunDirectory
  readonly plan: Plan
  readonly rows: () => AsyncIterable<readonly string[]>
  readonly clock: Clock
  readonly onWarning: (warning: Issue) => void
}

const failed = (file: string, cause: unknown): Issue =>
  issue('FETTLE_RECORD', `the recording ${file} is incomplete: ${(cause as Error).message}`, { severity: 'warn' })

const cannotWrite = (file: string, cause: unknown): FettleError =>
  new FettleError('FETTLE_OUTPUT_WRITE', `cannot write the recording ${file}: ${(cause as Error).message}`, { cause })

/**
 * Starts the cassette of a run, or continues the cassette of an earlier process. An error while it is written ends the recording with a
 * warning, not the run. Throws FETTLE_USAGE and FETTLE_OUTPUT_WRITE before anything is sent.
 */
export async function openRecording(needs: RecordingNeeds): Promise<Recording> {
  const { directory, plan, clock, onWarning } = needs
  const file = resolve(needs.file)
  checkRecording(file, directory)
  const kept = keptKey(file, directory)
  const { key, startedAt } = kept ?? { key: randomBytes(KEY_BYTES).toString('hex'), startedAt: clock.now() }
  const secret = { key: Buffer.from(key, 'hex'), runId: directory.id }
  const isThere = existsSync(file)
  const isContinued = isThere && hasWholeLine(file)
  const head = isContinued ? null : await headOf(needs, secret, startedAt)
  if (kept === null) await writeAtomic(keyPath(directory), JSON.stringify({ file, key, startedAt } satisfies KeptKey))
  let descriptor: number
  try {
    descriptor = openSync(file, isContinued ? 'a+' : isThere ? 'w' : 'ax', 0o600)
    if (head !== null) writeSync(descriptor, `${JSON.stringify(head)}\n`)
    else if (isTorn(descriptor)) writeSync(descriptor, '\n')
  } catch (cause) {
    throw cannotWrite(file, cause)
  }
  let isOpen = true
  const close = (): void => {
    if (isOpen) closeSync(descriptor)
    isOpen = false
  }
  const append = (exchange: CassetteExchange): void => {
    if (!isOpen) return
    try {
      writeSync(descriptor, `${JSON.stringify(exchange)}\n`)
    } catch (cause) {
      onWarning(failed(needs.file, cause))
      close()
    }
    if (exchange.answer !== undefined && 'omitted' in exchange.answer)
      onWarning(failed(needs.file, new Error(`an answer of ${exchange.answer.omitted} bytes is too large to be recorded`)))
  }
  return { recorder: createRecorder({ ...secret, clock, startedAt, append }), close }

  async function headOf({ rows }: RecordingNeeds, keyed: typeof secret, at: number): Promise<CassetteHead> {
    const redact = redactFor(keyed)
    const list = await listOf(plan, rows(), redact).catch((error: unknown) => {
      if (FettleError.is(error) && error.code === 'FETTLE_USAGE') throw error
      onWarning(failed(needs.file, error))
      return null
    })
    return { cassette: 1, fettle: packageInfo().version, at, pipeline: casePipeline(plan, redact), list }
  }
}

/** A kill may have left half of the head, after which nothing was recorded: the cassette is started again. */
function hasWholeLine(file: string): boolean {
  let descriptor: number | null = null
  const chunk = Buffer.alloc(65_536)
  try {
    descriptor = openSync(file, 'r')
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk))
      if (chunk.subarray(0, read).includes(0x0a)) return true
    return false
  } catch (cause) {
    throw cannotWrite(file, cause)
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}

/** A kill may have left half a line: the next one starts on a new line. */
function isTorn(descriptor: number): boolean {
  const { size } = fstatSync(descriptor)
  const last = Buffer.alloc(1)
  return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a
}

const KEY_FILE = 'record.json'

interface KeptKey {
  readonly file: string
  readonly key: string
  readonly startedAt: number
}

const keyPath = ({ path }: RunDirectory): string => join(path, KEY_FILE)

/** The key that an earlier process of the run made for this file. */
function keptKey(file: string, directory: RunDirectory): KeptKey | null {
  if (!existsSync(keyPath(directory))) return null
  const kept = JSON.parse(readFileSync(keyPath(directory), 'utf8')) as KeptKey
  return kept.file === file ? kept : null
}

/** Throws FETTLE_USAGE for a file that exists, unless it is the cassette of the same run. `directory` is null for a new run. */
export function checkRecording(file: string, directory: RunDirectory | null): void {
  if (!existsSync(file) || (directory !== null && keptKey(resolve(file), directory) !== null)) return
  throw new FettleError('FETTLE_USAGE', `the file ${file} exists and is not the recording of this run`, {
    hint: 'Record to a new file.',
  })
}

/** Removes the key of a finished run: nothing can be added to its cassette any more. */
export const removeRecordingKey = (directory: RunDirectory): void => removeIfPossible(keyPath(directory))

/** Columns are named by number, since headers may be placeholders; paths are set when the cassette is unpacked. */
function casePipeline(plan: Plan, redact: ReturnType<typeof redactFor>): Readonly<Record<string, unknown>> {
  const pipeline = restorePipeline(redactPlan(plan, redact))
  const { input, mappings, job, enrich, poll, retry, checks, output, portfolio, screen, dedupe, after } = pipeline
  return {
    ...{ mappings, retry, checks, portfolio, screen, dedupe, after },
    name: 'case',
    input: { path: '', ...input },
    job: { ...job, companyNumbers: undefined },
    enrich: plan.enrich ?? enrich,
    // A replay answers at once: the same number of polls takes less time.
    poll: { every: '500ms', max: '500ms', timeout: poll.timeout },
    output: output && { path: '', format: 'csv', columns: plan.output?.columns },
  }
}

function redactPlan(plan: Plan, redact: ReturnType<typeof redactFor>): Plan {
  const { portfolio, screen } = plan
  return {
    ...plan,
    mappings: plan.mappings.map(rule => (rule.value === undefined ? rule : { ...rule, value: redact.text(rule.value) })),
    // The match rate of an earlier run is not known to a replay.
    checks: plan.checks.filter(({ name }) => name !== 'drift'),
    portfolio: portfolio && {
      ...portfolio,
      name: portfolio.name && redact.text(portfolio.name),
      id: portfolio.name === null ? Number(redact.text(String(portfolio.id))) : null,
    },
    screen: screen && { ...screen, countries: screen.countries.map(code => redact.text(code)) },
  }
}
