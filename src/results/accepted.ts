/**
 * Companies that people accepted for rows and that the service did not match: of those, only what it proposed is known. Lists them, and
 * keeps their fetched tags in the run directory, so that a review after the run has them too.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { readJsonLines, readJsonLinesFrom, writeJsonLines } from '../files/json-lines.ts'
import type { AcceptedCompany, FetchedCompany, FetchedTags } from '../model/results.ts'
import { normaliseCountry } from '../normalise/country.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { listCandidates } from './candidates.ts'
import type { RowResult } from './decisions/apply-decisions.ts'
import { COMPANY_TAGS } from './enriched-file.ts'
import { ACCEPTED_FILE, FETCHED_FILE } from './file-names.ts'
import type { JoinedRow, RowSink } from './row-sink.ts'

/** Collects the accepted companies without all tags, each once, in the order of their rows. */
export class AcceptedLister implements RowSink {
  readonly #countries: readonly number[]
  readonly #fetched: FetchedTags
  readonly #workDir: string
  readonly #found = new Map<string, AcceptedCompany>()

  constructor({ mappings }: Plan, fetched: FetchedTags, workDir: string) {
    this.#countries = mappings.flatMap(({ mapping, index }) =>
      mapping === 'country' || mapping === 'countryCode' ? [index] : [],
    )
    this.#fetched = fetched
    this.#workDir = workDir
  }

  add({ result, uploadRow }: JoinedRow): void {
    const { decided, outcome } = result
    if (decided === null || decided.effect === 'agreed' || outcome !== 'manualMatched') return
    const { company: id, companyName } = decided.line
    if (this.#found.has(id) || this.#fetched.has(id) || hasTags(result, id)) return
    const name = companyName || (result.candidates.find(candidate => candidate.id === id)?.name ?? '')
    const country = this.#countries.map(index => normaliseCountry(uploadRow[index] ?? '')).find(code => code !== '') ?? ''
    this.#found.set(id, { id, name, country })
  }

  get count(): number {
    return this.#found.size
  }

  /** Throws FETTLE_OUTPUT_WRITE. */
  publish(): Promise<void> {
    return writeJsonLines(join(this.#workDir, ACCEPTED_FILE), this.#found.values())
  }
}

/** The enriched file has the tags of the companies that it names; of those proposed later only a few are known. */
const hasTags = (result: RowResult, id: string): boolean =>
  listCandidates({ ...result, proposed: [] }).some(candidate => candidate.id === id && Object.keys(candidate.tags).length > 0)

/** The companies of the last outputs, from number `from` (from 0) on. */
export const readAccepted = (workDir: string, from: number): AsyncIterable<AcceptedCompany> =>
  readJsonLinesFrom(join(workDir, ACCEPTED_FILE), from)

/** Throws FETTLE_OUTPUT_WRITE. */
export const storeFetched = (workDir: string, found: Readonly<Record<string, FetchedCompany['tags']>>): Promise<void> =>
  writeJsonLines(
    join(workDir, FETCHED_FILE),
    Object.entries(found).map(([id, tags]): FetchedCompany => ({ id, tags })),
  )

export async function readFetched(workDir: string): Promise<FetchedTags> {
  const found = new Map<string, FetchedCompany['tags']>()
  for await (const { id, tags } of readJsonLines<FetchedCompany>(join(workDir, FETCHED_FILE))) found.set(id, tags)
  return found
}

/** Reads the output of a job for these companies: the rows whose company is the one that was asked for. */
export async function readFetchedFile(path: string, asked: readonly AcceptedCompany[]): Promise<FetchedCompany[]> {
  const rows = parse(await readFile(path), { columns: true, bom: true }) as Readonly<Record<string, string>>[]
  const ids = new Set(asked.map(({ id }) => id))
  return rows.flatMap(({ companyId: id = '', name: _, country: __, ...tags }) => {
    const isIt = ids.has(id) && COMPANY_TAGS.some(tag => tags[tag] === id)
    return isIt ? [{ id, tags: Object.fromEntries(Object.entries(tags).filter(([, cell]) => cell !== '')) }] : []
  })
}
