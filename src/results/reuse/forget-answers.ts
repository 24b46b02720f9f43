/**
 * Removes the answers to the rows of a key from a folder of answers, and the searches about their companies and names: each file that
 * has some is replaced by one without them.
 */
import { join } from 'node:path'
import { removeFile } from '../../files/atomic-file.ts'
import { keyDigest } from '../../input/upload/question.ts'
import { addedColumns } from '../enriched-columns.ts'
import { companyIn } from '../enriched-file.ts'
import { AnswerFile, AnswerFileWriter } from './answer-file.ts'
import { answerFilesIn } from './answer-store.ts'
import { aboutCompany, aboutName } from './search-store.ts'

export interface ForgottenAnswers {
  readonly path: string
  readonly answers: number
}

/** Companies and names of the rows of a key, whose searches go as well. */
export interface SearchedAbout {
  readonly companies: readonly string[]
  readonly names: readonly string[]
}

/** What is forgotten: a key, and the digests of its cells, under which a different key may have asked the same (`rowDigest`, as hexadecimal digits). */
export interface ForgottenRow {
  readonly key: string
  readonly rows: ReadonlySet<string>
}

const isOfRow = (file: AnswerFile, at: number, key: Buffer, rows: ReadonlySet<string>): boolean =>
  file.key(at).equals(key) || rows.has(hex(file.row(at)))

/** The digests of the cells that were asked under a key; none of an answer to a search. */
export function rowsInAnswers(folder: string, key: string, pipeline: string | null): string[] {
  const rows = new Set<string>()
  const digest = keyDigest(key)
  for (const name of answerFilesIn(folder)) {
    const file = AnswerFile.open(join(folder, name))
    if (file === null) continue
    try {
      if (pipeline !== null && file.facts.pipeline !== pipeline) continue
      for (let at = 0; at < file.count; at++)
        if (file.outcome(at) !== null && file.key(at).equals(digest)) rows.add(hex(file.row(at)))
    } finally {
      file.close()
    }
  }
  return [...rows]
}

/** The companies that only the answers to rows of a key name, also those of runs that are no longer kept. */
export async function companiesInAnswers(
  folder: string,
  { key, rows }: ForgottenRow,
  pipeline: string | null,
): Promise<string[]> {
  const [own, others] = [new Set<string>(), new Set<string>()]
  const names = answerFilesIn(folder)
  const readInto = (isWanted: (file: AnswerFile, at: number) => boolean, add: (company: string) => void): void => {
    for (const name of names) {
      const file = AnswerFile.open(join(folder, name))
      if (file === null) continue
      try {
        for (let at = 0; at < file.count; at++) if (isWanted(file, at)) add(companyAt(file, at))
      } finally {
        file.close()
      }
    }
  }
  const digest = keyDigest(key)
  const isOwn = (file: AnswerFile, at: number): boolean =>
    (pipeline === null || file.facts.pipeline === pipeline) && isOfRow(file, at, digest, rows)
  readInto(isOwn, company => own.add(company))
  own.delete('')
  if (own.size > 0)
    readInto(
      (file, at) => !isOwn(file, at),
      company => others.add(company),
    )
  return [...own].filter(company => !others.has(company))
}

/** The company of an answer, '' without one, and of a search. */
function companyAt(file: AnswerFile, at: number): string {
  if (file.outcome(at) === null) return ''
  const { columns } = file.facts.sources[file.source(at)]!
  return companyIn(JSON.parse(file.line(at).toString()) as string[], addedColumns(columns))
}

/** `pipeline`: only answers to its rows, those of all pipelines if null. Nothing is written if `dryRun`. Throws FETTLE_OUTPUT_WRITE. */
export async function forgetAnswers(
  folder: string,
  { key, rows }: ForgottenRow,
  { companies, names }: SearchedAbout,
  { pipeline, dryRun }: { readonly pipeline: string | null; readonly dryRun: boolean },
): Promise<ForgottenAnswers[]> {
  const wanted = new Set([keyDigest(key), ...companies.map(aboutCompany), ...names.map(aboutName)].map(hex))
  const found: ForgottenAnswers[] = []
  for (const name of answerFilesIn(folder)) {
    const path = join(folder, name)
    const file = AnswerFile.open(path)
    if (file === null) continue
    try {
      const isOfKey = (at: number): boolean => wanted.has(hex(file.key(at))) || rows.has(hex(file.row(at)))
      const places = [...Array(file.count).keys()]
      const answers = pipeline === null || file.facts.pipeline === pipeline ? places.filter(isOfKey).length : 0
      if (answers === 0) continue
      found.push({ path, answers })
      if (!dryRun)
        await rewrite(
          file,
          places.filter(at => !isOfKey(at)),
        )
    } finally {
      file.close()
    }
  }
  return found
}

const hex = (digest: Buffer): string => digest.toString('hex')

async function rewrite(file: AnswerFile, kept: readonly number[]): Promise<void> {
  if (kept.length === 0) return removeFile(file.path)
  const writer = new AnswerFileWriter(file.path)
  try {
    for (const at of kept) await writer.copy(file, at, file.line(at))
    const { format: _, ...facts } = file.facts
    await writer.publish(facts)
  } finally {
    await writer.discard()
  }
}
