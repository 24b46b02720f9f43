/**
 * Stores the companies that a run found, each once, in the order of the rows that found them, and their directors where they are searched for: for
 * the stages after the outputs.
 */

import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { counted } from '../../counted.ts'
import { FettleError } from '../../errors.ts'
import { DigestIndex } from '../../files/digest-index.ts'
import { digestOf } from '../../files/file-chunks.ts'
import { JsonLinesWriter, readJsonLinesFrom } from '../../files/json-lines.ts'
import { DIRECTOR_TAGS, readDirectors } from '../../model/directors.ts'
import type { CompanyCounts, FoundCompany, Subject } from '../../model/results.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { firstCell, isFound } from '../decisions/apply-decisions.ts'
import { COMPANY_TAGS, NAME_TAGS } from '../enriched-file.ts'
import { COMPANIES_FILE, DIRECTORS_FILE } from '../file-names.ts'
import type { JoinedRow, RowSink } from '../row-sink.ts'

const pathIn = (workDir: string): string => join(workDir, COMPANIES_FILE)
const directorsIn = (workDir: string): string => join(workDir, DIRECTORS_FILE)

export class CompanyLister implements RowSink {
  readonly #reference: number | null
  readonly #writer: JsonLinesWriter<FoundCompany>
  /** Null where no directors are searched for. */
  readonly #directors: JsonLinesWriter<Subject> | null
  #listedDirectors = 0
  readonly #known = new DigestIndex()
  #nameless = 0

  constructor(plan: Plan, workDir: string) {
    this.#reference = plan.portfolio?.reference?.index ?? null
    this.#writer = new JsonLinesWriter(pathIn(workDir))
    this.#directors = plan.screen?.people === undefined ? null : new JsonLinesWriter(directorsIn(workDir))
  }

  /** Throws FETTLE_OUTPUT_WRITE. */
  async add({ number, result, inputRow }: JoinedRow): Promise<void> {
    if (!isFound(result)) return
    const id = firstCell(result, COMPANY_TAGS)
    if (id === '') {
      this.#nameless++
      return
    }
    const known = this.#known.size
    if (this.#known.add(digestOf(id)) < known) return
    const reference = this.#reference === null ? '' : (inputRow[this.#reference] ?? '')
    const company = { row: number, id, name: firstCell(result, NAME_TAGS), reference }
    if (this.#directors === null) return this.#writer.add(company)
    const [names, births] = DIRECTOR_TAGS.map(tag => firstCell(result, [tag]))
    const directors = readDirectors(names!, births!)
    for (const director of directors) await this.#directors.add({ ...company, ...director })
    this.#listedDirectors += directors.length
    await this.#writer.add({ ...company, directors: directors.length })
  }

  counts(): CompanyCounts {
    const counts = { listed: this.#known.size, nameless: this.#nameless }
    return this.#directors === null ? counts : { ...counts, directors: this.#listedDirectors }
  }

  /** Throws FETTLE_OUTPUT_WRITE. */
  publish = async (): Promise<void> => {
    await this.#directors?.publish()
    await this.#writer.publish()
  }
  discard = async (): Promise<void> => {
    await this.#directors?.discard()
    await this.#writer.discard()
  }
}

/** The companies from number `from` (from 0) on. Throws FETTLE_OUTPUT_WRITE when there are not `listed` of them. */
export async function* readCompanies(workDir: string, listed: number, from = 0): AsyncGenerator<FoundCompany> {
  yield* readAll<FoundCompany>(pathIn(workDir), listed, from)
}

async function* readAll<Found>(path: string, listed: number, from: number): AsyncGenerator<Found> {
  const count = yield* readJsonLinesFrom<Found>(path, from)
  if (count !== listed)
    throw new FettleError('FETTLE_OUTPUT_WRITE', `${path} has ${counted(count, 'line')}, but ${listed} were written`)
}

/** What is searched for: the companies, then their directors. */
export async function* readSubjects(
  workDir: string,
  { listed, directors = 0 }: CompanyCounts,
  from = 0,
): AsyncGenerator<Subject> {
  if (from < listed) yield* readCompanies(workDir, listed, from)
  if (directors > 0) yield* readAll<Subject>(directorsIn(workDir), directors, Math.max(0, from - listed))
}

export async function removeCompanies(workDir: string): Promise<void> {
  for (const path of [pathIn(workDir), directorsIn(workDir)]) await unlink(path).catch(() => {})
}
