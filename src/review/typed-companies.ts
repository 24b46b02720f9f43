/**
 * Proves the companies that people typed: an id that nothing proposed for its row is believed when a register of the run has it. Of a remote
 * service, only the run that fetches a company can prove its id.
 */
import { counted } from '../counted.ts'
import type { Env } from '../env/environment.ts'
import { type Action, action, type Issue, issue } from '../errors.ts'
import type { RowCandidate } from '../model/results.ts'
import type { Plan } from '../pipeline/index.ts'
import { openCompanies, type RegisterCompanies } from '../prepare/register-companies.ts'
import { type Decision, fewIssues, hasId, readPlacedDecisions, requireLines } from '../results/index.ts'
import type { ReviewRow } from '../runs/review-rows.ts'

interface Known {
  /** The rows that the run kept. */
  readonly rows: readonly ReviewRow[]
  /** The decisions that are stored already. */
  readonly stored: readonly Decision[]
}

/** Whether ids that people type can be proved: by a register here, or by a run that fetches the companies. */
const provesIds = ({ service, candidates }: Plan): boolean => service.kind === 'embedded' || candidates?.fetch != null

/** Reads decisions to apply to a run, with the id and name that the register has for each typed company. Throws FETTLE_DECISIONS with all problems. */
export async function readProved(
  path: string,
  plan: Plan,
  known: Known,
  { env, cwd }: { readonly env: Env; readonly cwd: string },
) {
  const read = await readPlacedDecisions(path, cwd)
  const lines = requireLines(read)
  const rows = new Map(known.rows.map(row => [row.fingerprint, row]))
  const stored = new Set(known.stored.map(({ fingerprint, company }) => `${fingerprint} ${company}`))
  const isProposed = ({ fingerprint, company }: Pick<Decision, 'fingerprint' | 'company'>): boolean =>
    rows.get(fingerprint)?.candidates.some(candidate => hasId(candidate, new Set([company]))) === true
  const isTyped = (line: Decision): boolean =>
    line.decision === 'accept' && !isProposed(line) && !stored.has(`${line.fingerprint} ${line.company}`)
  const issues: Issue[] = []
  const refuse = (at: Issue['at'], message: string, hint: string, next?: Action): void =>
    void issues.push(issue('FETTLE_DECISIONS', `${path}: ${message}`, { at, hint, action: next }))
  const describe = ({ fingerprint }: Pick<Decision, 'fingerprint'>): string => {
    const row = rows.get(fingerprint)
    return row === undefined
      ? 'a row that is not open in this run'
      : `row ${row.row}${row.cells.name ? ` (${row.cells.name})` : ''}`
  }
  for (const { fingerprint, company, ...at } of read.open)
    if (rows.has(fingerprint) && !isProposed({ fingerprint, company }))
      refuse(
        at,
        `${describe({ fingerprint })} has the company ${company}, and no decision`,
        'Write accept into the column decision.',
      )
  const typed = lines.filter(isTyped)
  const isRemote = plan.service.kind !== 'embedded'
  const companies = typed.length === 0 || isRemote ? null : await openCompanies(plan, env)
  try {
    const proved = lines.map((line, n) => {
      if (!isTyped(line)) return line
      const at = read.places[n] ?? null
      if (companies === null) {
        if (rows.has(line.fingerprint) && !provesIds(plan))
          refuse(
            at,
            `nothing proves that ${line.company} is a company, for ${describe(line)}`,
            'Add candidates: { fetch: job } to the pipeline: its runs fetch the companies that people accept.',
          )
        return line
      }
      const found = companies.named(line.company, countryOf(rows.get(line.fingerprint)))
      const [company] = found
      if (company !== undefined && found.length === 1) return { ...line, company: company.id, companyName: company.name }
      if (company === undefined)
        refuse(
          at,
          `${describeRegisters(companies.names)} no company ${line.company}, for ${describe(line)}`,
          SEARCH,
          action('review', '--unmatched'),
        )
      else
        refuse(at, `${line.company} is ${counted(found.length, 'company', 'companies')}, for ${describe(line)}`, listIds(found))
      return line
    })
    const inOrder = issues.sort((a, b) => (a.at?.line ?? 0) - (b.at?.line ?? 0))
    return requireLines({ lines: proved, issues: fewIssues(inOrder, path) })
  } finally {
    companies?.close()
  }
}

const describeRegisters = (names: readonly string[]): string =>
  names.length === 1 ? `the register ${names[0]} has` : `the registers ${names.join(', ')} have`

const SEARCH = 'Search for the company with the key /, and write the id that is shown.'

const listIds = (found: readonly RowCandidate[]): string => `Write one of ${found.map(({ id }) => id).join(', ')}.`

/** `Acme Ltd, GB` */
const NAME_AND_COUNTRY = /^(.*\S)\s*,\s*([A-Za-z]{2})$/

/** Searches the registers of a run, which are opened by the first search. Of a remote service a search may cost a credit: there an id is typed. */
export function companySearch(plan: Plan, env: Env) {
  const { service } = plan
  let opened: RegisterCompanies | null = null
  const isPossible = provesIds(plan)
  const remote = service.kind === 'embedded' ? '' : `A search at ${service.url} may cost a credit.`
  return {
    isPossible,
    prompt:
      service.kind === 'embedded'
        ? 'Search the register: a name, or a name and a country (Acme Ltd, GB), or the id of a company. Without a country, the one of the row is meant.'
        : isPossible
          ? `${remote} Type the id of the company; it is checked when its tags are fetched.`
          : `${remote} An id that is typed here could not be checked: with candidates: { fetch: job } in the pipeline, runs fetch the companies that people accept.`,
    async find(text: string, row: ReviewRow): Promise<RowCandidate[]> {
      if (service.kind !== 'embedded') return [{ id: text, name: '', score: null, why: '', parts: {}, fields: {} }]
      opened ??= await openCompanies(plan, env)
      const [, name = text, country = countryOf(row)] = NAME_AND_COUNTRY.exec(text) ?? []
      const named = opened.named(text, countryOf(row))
      return named.length > 0 ? named : opened.search(name, country)
    },
    close: (): void => opened?.close(),
  }
}

/** The country of a row, in any spelling; '' without one. */
const countryOf = (row: Pick<ReviewRow, 'cells'> | undefined): string => row?.cells.country || row?.cells.countryCode || ''
