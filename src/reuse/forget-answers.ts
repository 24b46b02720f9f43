/**
 * Removes the answers to the rows of a key from the folders of answers, and the searches about their companies and names: each file that
 * has some is replaced by one without them. The caller holds the locks of the folders.
 */
import { copyAnswers } from './answer-folder.ts'
import type { AnswersFile } from './files/answers.ts'
import { companyOwner, keyOwner, nameOwner } from './files/row-key.ts'
import { companyOf, withFiles } from './known-answers.ts'

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

/** Calls `look` for each answer in the folders. */
async function eachAnswer(folders: readonly string[], look: (file: AnswersFile, at: number) => void): Promise<void> {
  for (const folder of folders)
    await withFiles(folder, files => {
      for (const file of files) for (let at = 0; at < file.count; at++) look(file, at)
    })
}

/** Whether an answer is to one of the rows or of one of the owners, both as hexadecimal digits, and was asked by the pipeline. */
const isAbout =
  (owners: ReadonlySet<string>, rows: ReadonlySet<string>, isOfRun: IsOfRun) =>
  (file: AnswersFile, at: number): boolean =>
    (owners.has(hex(file.owner(at))) || rows.has(hex(file.row(at)))) && (isOfRun === null || isOfRun(file.sourceOf(at).run))

/** The digests of the cells that were asked under a key; none of an answer to a search. */
export async function rowsInAnswers(folders: readonly string[], key: string, isOfRun: IsOfRun): Promise<Set<string>> {
  const rows = new Set<string>()
  const isOwn = isAbout(new Set([hex(keyOwner(key))]), new Set(), isOfRun)
  await eachAnswer(folders, (file, at) => {
    if (file.outcome(at) !== 'searched' && isOwn(file, at)) rows.add(hex(file.row(at)))
  })
  return rows
}

/** The companies that only the answers to rows of a key name, also of runs that are no longer kept. */
export async function companiesInAnswers(
  folders: readonly string[],
  { key, rows }: ForgottenRow,
  isOfRun: IsOfRun,
): Promise<string[]> {
  const [own, others] = [new Set<string>(), new Set([''])]
  const isOwn = isAbout(new Set([hex(keyOwner(key))]), rows, isOfRun)
  await eachAnswer(folders, (file, at) => {
    if (file.outcome(at) === 'searched') return
    const { id } = companyOf(file.cells(at), file.sourceOf(at))
    if (isOwn(file, at)) own.add(id)
    else others.add(id)
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
  const owners = new Set([keyOwner(key), ...companies.map(companyOwner), ...names.map(nameOwner)].map(hex))
  const isForgotten = isAbout(owners, rows, isOfRun)
  const counts = new Map<string, number>()
  await eachAnswer(folders, (file, at) => {
    if (isForgotten(file, at)) counts.set(file.path, (counts.get(file.path) ?? 0) + 1)
  })
  if (!dryRun)
    for (const folder of folders)
      await withFiles(folder, async files => {
        for (const file of files)
          if (counts.has(file.path)) await copyAnswers(file.path, [file], (_, at) => !isForgotten(file, at))
      })
  return [...counts].map(([path, answers]) => ({ path, answers }))
}
