/**
 * Removes the answers to the rows of a key from the folders of answers, and the searches about their companies and names: each file that
 * has some is replaced by one without them. The caller holds the locks of the folders.
 */
import { copyAnswers } from './answer-folder.ts'
import type { AnswersFile } from './files/answers.ts'
import { companyOwner, keyOwner, nameOwner } from './files/row-key.ts'
import { companyOf, openFiles } from './known-answers.ts'

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

/** Which answers are of one pipeline, by the run that asked; null: the answers of all. */
export type IsOfRun = ((run: string) => boolean) | null

const hex = (digest: Buffer): string => digest.toString('hex')

const isOf = (file: AnswersFile, at: number, isOfRun: IsOfRun): boolean => isOfRun === null || isOfRun(file.sourceOf(at).run)

/** Calls `look` for each answer in the folders. */
function eachAnswer(folders: readonly string[], look: (file: AnswersFile, at: number) => void): void {
  for (const folder of folders) {
    const files = openFiles(folder)
    try {
      for (const file of files) for (let at = 0; at < file.count; at++) look(file, at)
    } finally {
      for (const file of files) file.close()
    }
  }
}

/** The digests of the cells that were asked under a key; none of an answer to a search. */
export function rowsInAnswers(folders: readonly string[], key: string, isOfRun: IsOfRun): string[] {
  const rows = new Set<string>()
  const owner = keyOwner(key)
  eachAnswer(folders, (file, at) => {
    if (file.owner(at).equals(owner) && file.outcome(at) !== 'searched' && isOf(file, at, isOfRun)) rows.add(hex(file.row(at)))
  })
  return [...rows]
}

/** The companies that only the answers to rows of a key name, also of runs that are no longer kept. */
export function companiesInAnswers(folders: readonly string[], { key, rows }: ForgottenRow, isOfRun: IsOfRun): string[] {
  const [own, others] = [new Set<string>(), new Set<string>()]
  const owner = keyOwner(key)
  const isOwn = (file: AnswersFile, at: number): boolean =>
    isOf(file, at, isOfRun) && (file.owner(at).equals(owner) || rows.has(hex(file.row(at))))
  const addCompany = (file: AnswersFile, at: number, to: Set<string>): void => {
    if (file.outcome(at) !== 'searched') to.add(companyOf(file.cells(at), file.sourceOf(at)).id)
  }
  eachAnswer(folders, (file, at) => {
    if (isOwn(file, at)) addCompany(file, at, own)
  })
  own.delete('')
  if (own.size === 0) return []
  eachAnswer(folders, (file, at) => {
    if (!isOwn(file, at)) addCompany(file, at, others)
  })
  return [...own].filter(company => !others.has(company))
}

/** Nothing is written if `dryRun`. Throws FETTLE_OUTPUT_WRITE. */
export async function forgetAnswers(
  folders: readonly string[],
  { key, rows }: ForgottenRow,
  { companies, names }: SearchedAbout,
  { isOfRun, dryRun }: { readonly isOfRun: IsOfRun; readonly dryRun: boolean },
): Promise<ForgottenAnswers[]> {
  const wanted = new Set([keyOwner(key), ...companies.map(companyOwner), ...names.map(nameOwner)].map(hex))
  const isForgotten = (file: AnswersFile, at: number): boolean =>
    (wanted.has(hex(file.owner(at))) || rows.has(hex(file.row(at)))) && isOf(file, at, isOfRun)
  const found: ForgottenAnswers[] = []
  for (const folder of folders) {
    const files = openFiles(folder)
    try {
      for (const file of files) {
        let answers = 0
        for (let at = 0; at < file.count; at++) if (isForgotten(file, at)) answers++
        if (answers === 0) continue
        found.push({ path: file.path, answers })
        if (!dryRun) await copyAnswers(file.path, [file], (one, at) => !isForgotten(one, at))
      }
    } finally {
      for (const file of files) file.close()
    }
  }
  return found
}
