/** Reads a cassette and finds the recorded answer to a request: in recorded order, and the last one again after that. */
import { readFile } from 'node:fs/promises'
import { type CassetteExchange, type CassetteHead, JOB_NAME, RUN_PLACEHOLDER } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'

/** What is asked of a cassette; strings may name the job of the run that asks. */
export type Asked = Pick<CassetteExchange, 'method' | 'path' | 'params' | 'query' | 'body'>

const refuse = (path: string, why: string): FettleError =>
  new FettleError('FETTLE_USAGE', `${path} ${why}`, { hint: 'Name the recording of a run.' })

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const isHead = (value: unknown): value is CassetteHead =>
  typeof value === 'object' && value !== null && 'cassette' in value && 'pipeline' in value

const isExchange = (value: unknown): value is CassetteExchange =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value

/** Strings inside a value, replaced. */
export function mapStrings(value: unknown, map: (text: string, key: string) => string, key = ''): unknown {
  if (typeof value === 'string') return map(value, key)
  if (Array.isArray(value)) return value.map(one => mapStrings(one, map, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapStrings(one, map, name)]))
}

const sorted = (values: Readonly<Record<string, string>> = {}) => Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))

const keyOf = ({ method, path, params, query, body }: Asked): string =>
  JSON.stringify([method, path, sorted(params), sorted(query), body ?? null])

/** A request that was certainly not sent has no answer to repeat: the next one had. */
const withoutUnsent = (exchanges: readonly CassetteExchange[]): readonly CassetteExchange[] =>
  exchanges.filter(({ lost }, at) => lost === undefined || lost.sent || at === exchanges.length - 1)

/** Throws FETTLE_USAGE for a file that cannot be read or is no cassette. */
export async function openCassette(path: string) {
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw refuse(path, `cannot be read: ${cause.message}`)
  })
  const [first, ...rest] = text
    .split('\n')
    .filter(line => line !== '')
    .map(parseLine)
  if (!isHead(first)) throw refuse(path, 'is no cassette: its first line is not the head of one')
  if (first.cassette !== 1)
    throw refuse(path, `is a cassette of version ${String(first.cassette)}, which this fettle cannot read`)
  const exchanges = rest.filter(isExchange)
  const answers = new Map<string, CassetteExchange[]>()
  for (const exchange of exchanges) {
    const key = keyOf(exchange)
    answers.set(key, [...(answers.get(key) ?? []), exchange])
  }
  const turns = new Map([...answers].map(([key, all]) => [key, [...withoutUnsent(all)]]))
  let runId: string | null = null

  const recorded = (asked: Asked): Asked => {
    const map = (value: string): string => {
      const [, id, part = ''] = JOB_NAME.exec(value) ?? []
      if (id === undefined) return value
      runId = id
      return `fettle-${RUN_PLACEHOLDER}${part}`
    }
    return mapStrings(asked, map) as Asked
  }

  return {
    head: first,
    exchanges: exchanges.length,
    /** Lines without an exchange, such as one that a kill cut off. */
    damaged: rest.length - exchanges.length,
    /** The id of the run that asked last, null before one did. */
    runId: () => runId,
    /** The next answer to a request, null when none was recorded. */
    answer(asked: Asked): CassetteExchange | null {
      const turn = turns.get(keyOf(recorded(asked)))
      if (turn === undefined) return null
      return (turn.length > 1 ? turn.shift() : turn[0]) ?? null
    },
  }
}

export type Cassette = Awaited<ReturnType<typeof openCassette>>
