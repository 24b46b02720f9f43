/** Stores the companies that a run found, each once, in the order of the rows that found them, for the stages after the outputs. */

import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { counted } from '../../counted.ts'
import { FettleError } from '../../errors.ts'
import { DigestIndex } from '../../files/digest-index.ts'
import { digestOf } from '../../files/file-chunks.ts'
import { JsonLinesWriter, readJsonLinesFrom } from '../../files/json-lines.ts'
import type { CompanyCounts, FoundCompany } from '../../model/results.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { firstCell, isFound } from '../decisions/apply-decisions.ts'
import { COMPANY_TAGS, NAME_TAGS } from '../enriched-file.ts'
import { COMPANIES_FILE } from '../file-names.ts'
import type { JoinedRow, RowSink } from '../row-sink.ts'

const pathIn = (workDir: string): string => join(workDir, COMPANIES_FILE)

export class CompanyLister implements RowSink {
  readonly #reference: number | null
  readonly #writer: JsonLinesWriter<FoundCompany>
  readonly #known = new DigestIndex()
  #nameless = 0

  constructor(plan: Plan, workDir: string) {
    this.#reference = plan.portfolio?.reference?.index ?? null
    this.#writer = new JsonLinesWriter(pathIn(workDir))
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
    await this.#writer.add({ row: number, id, name: firstCell(result, NAME_TAGS), reference })
  }

  counts(): CompanyCounts {
    return { listed: this.#known.size, nameless: this.#nameless }
  }

  /** Throws FETTLE_OUTPUT_WRITE. */
  publish = (): Promise<void> => this.#writer.publish()
  discard = (): Promise<void> => this.#writer.discard()
}

/** The companies from number `from` (from 0) on. Throws FETTLE_OUTPUT_WRITE when there are not `listed` of them. */
export async function* readCompanies(workDir: string, listed: number, from = 0): AsyncGenerator<FoundCompany> {
  const count = yield* readJsonLinesFrom<FoundCompany>(pathIn(workDir), from)
  if (count !== listed)
    throw new FettleError(
      'FETTLE_OUTPUT_WRITE',
      `${pathIn(workDir)} has ${counted(count, 'company', 'companies')}, but ${listed} were found`,
    )
}

export const removeCompanies = (workDir: string): Promise<void> => unlink(pathIn(workDir)).catch(() => {})
