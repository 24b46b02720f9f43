/** Rows of a program as the input of a pipeline: written once among the runs as CSV, and known by their hash, as standard input is. */
import { FettleError } from '../errors.ts'
import { csvText } from '../formats/text-formats.ts'
import { type PipelineInput, ROWS_NAME, RUN_OUTPUT } from '../pipeline/index.ts'
import { type ReceivedInput, stageInput } from '../staging/staged-input.ts'

/** A cell of an input row; null and undefined are empty, a date is written in ISO 8601. */
export type InputCell = string | number | bigint | boolean | Date | null | undefined

/** A row by its column names. */
export type InputRow = Readonly<Record<string, InputCell>>

/** Rows of a program, read once, one after the other. The first one names the columns. */
export type InputRows = Iterable<InputRow> | AsyncIterable<InputRow>

type FileInput = PipelineInput['input']
type InputMap = Extract<FileInput, object>

/** A pipeline whose `input` may be rows of the program. Without an `output`, `rows()` of the report has the result. */
export interface RowsPipeline extends Omit<PipelineInput, 'input'> {
  readonly input: FileInput | InputRows | (Pick<InputMap, 'key' | 'rows' | 'empty'> & { readonly path: InputRows })
}

const BATCH = 500

const isRows = (value: unknown): value is InputRows =>
  typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)

/** The pipeline with its rows apart, null when its input is a file. */
export function splitRows(pipeline: string | RowsPipeline): {
  readonly plain: string | PipelineInput
  readonly rows: InputRows | null
} {
  if (typeof pipeline === 'string' || typeof pipeline?.input !== 'object')
    return { plain: pipeline as string | PipelineInput, rows: null }
  const { input } = pipeline
  const rows = isRows(input) ? input : isRows(input?.path) ? input.path : null
  if (rows === null) return { plain: pipeline as PipelineInput, rows }
  const more = isRows(input) ? {} : (input as Partial<InputMap>)
  const written = { ...more, path: '-', encoding: 'utf-8', delimiter: ',' }
  return { plain: { ...pipeline, input: written, output: pipeline.output ?? RUN_OUTPUT }, rows }
}

/** Receives the rows for one pipeline; `keeps` stores them for a run. */
export const receiveRows =
  (rows: InputRows, { keeps, signal }: { readonly keeps: boolean; readonly signal: AbortSignal }) =>
  (_file: string, runsDir: string): Promise<ReceivedInput> =>
    stageInput(writeCsv(rows, signal), { runsDir, keeps, kind: 'rows', shown: ROWS_NAME })

async function* writeCsv(rows: InputRows, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let columns: readonly string[] | null = null
  let number = 0
  let batch: string[][] = []
  const text = (): Uint8Array => {
    const written = csvText(batch, { delimiter: ',', lineEnd: '\n', columns: columns?.length ?? 0 })
    batch = []
    return Buffer.from(written)
  }
  try {
    for await (const row of untilAborted(rows, signal)) {
      number++
      assertRecord(row, number)
      if (columns === null) {
        columns = Object.keys(row)
        batch.push([...columns])
      }
      batch.push(readCells(row, columns, number))
      if (batch.length >= BATCH) yield text()
    }
    yield text()
  } catch (error) {
    signal.throwIfAborted()
    if (FettleError.is(error)) throw error
    throw new FettleError('FETTLE_INPUT_READ', `cannot read row ${number + 1} of ${ROWS_NAME}: ${(error as Error).message}`, {
      cause: error,
      hint: 'Check the iterable that is passed as input.',
    })
  }
}

/** Ends with the reason of the signal, also while the iterable does not answer. */
async function* untilAborted(rows: InputRows, signal: AbortSignal): AsyncGenerator<InputRow> {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  const next = (): Promise<IteratorResult<InputRow>> =>
    new Promise((resolve, reject) => {
      const stop = (): void => reject(signal.reason)
      if (signal.aborted) return stop()
      signal.addEventListener('abort', stop, { once: true })
      Promise.resolve(iterator.next())
        .then(resolve, reject)
        .finally(() => signal.removeEventListener('abort', stop))
    })
  try {
    for (let result = await next(); result.done !== true; result = await next()) yield result.value
  } finally {
    // Not awaited: an iterable that does not answer does not end either.
    Promise.resolve()
      .then(() => iterator.return?.())
      .catch(() => {})
  }
}

/** A caller without types may pass texts or arrays, whose keys are positions. */
function assertRecord(row: unknown, number: number): void {
  if (typeof row === 'object' && row !== null && !Array.isArray(row) && (number > 1 || Object.keys(row).length > 0)) return
  const found =
    row === null ? 'null' : Array.isArray(row) ? 'an array' : typeof row === 'object' ? 'one without keys' : typeof row
  throw new FettleError('FETTLE_INPUT_FIELDS', `row ${number} is not a record with column names: found ${found}`, {
    hint: 'Pass objects, such as { name: "Acme Ltd", country: "GB" }.',
  })
}

function readCells(row: InputRow, columns: readonly string[], number: number): string[] {
  for (const name of Object.keys(row))
    if (!columns.includes(name))
      throw new FettleError('FETTLE_INPUT_FIELDS', `row ${number} has the key ${JSON.stringify(name)}, and row 1 does not`, {
        hint: 'Give row 1 all keys; a cell may be null.',
      })
  return columns.map(name => formatCell(row[name], name, number))
}

function formatCell(value: InputCell, name: string, number: number): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString()
  if (typeof value !== 'object' && typeof value !== 'symbol' && typeof value !== 'function') return String(value)
  throw new FettleError(
    'FETTLE_INPUT_FIELDS',
    `${JSON.stringify(name)} in row ${number} is neither a text nor a number, a truth value or a valid date`,
    { hint: 'Convert the value to text.' },
  )
}
