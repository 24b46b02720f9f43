/** Matches rows in this process against registers of this machine: no run, no folder, no lock, and nothing is sent. */
import { MAPPINGS } from '../contract/data-cleaning/mappings.ts'
import type { Env } from '../env/environment.ts'
import { FettleError } from '../errors.ts'
import { turnEvery } from '../loop-turns.ts'
import { nearest } from '../nearest.ts'
import { registersHere } from '../prepare/registers.ts'
import { openForLists } from '../service/data-cleaning/processing/list-sample.ts'
import type { Company, Query } from '../service/matching/types.ts'
import {
  MATCHED_FIELDS,
  type MatchableRow,
  type MatchedCompany,
  type MatcherOptions,
  type RegisterMatcher,
  type RowMatch,
} from './types.ts'

const showCompany = (company: Company): MatchedCompany =>
  Object.fromEntries(MATCHED_FIELDS.map(name => [name, company[name]])) as unknown as MatchedCompany

/** Cells as a job has them. Throws FETTLE_USAGE for a row that no list could have. */
function readRow(row: MatchableRow, at: number): Query {
  const refuse = (why: string, hint: string) => new FettleError('FETTLE_USAGE', `row ${at + 1} to match: ${why}`, { hint })
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw refuse('it is not an object', 'Pass objects such as { name: "Acme Ltd", country: "GB" }.')
  const cells: Record<string, string> = {}
  for (const [name, cell] of Object.entries(row as Readonly<Record<string, unknown>>)) {
    if (!(MAPPINGS as readonly string[]).includes(name)) {
      const close = nearest(name, MAPPINGS)
      throw refuse(
        `${JSON.stringify(name)} is not a mapping`,
        close === null ? `Mappings are ${MAPPINGS.join(', ')}.` : `Did you mean ${close}?`,
      )
    }
    if (cell === null || cell === undefined) continue
    if (typeof cell !== 'string' && !Number.isFinite(cell)) throw refuse(`${name} is neither a text nor a number`, 'Pass texts.')
    const text = String(cell).trim()
    if (text !== '') cells[name] = text
  }
  return cells
}

/** Empty rows are not sent, and so are not rows of the list. */
const isFilled = (query: Query): boolean => Object.keys(query).length > 0

export async function openMatcher({ register, precision, companyNumbers }: MatcherOptions, env: Env): Promise<RegisterMatcher> {
  if (precision !== undefined && !(precision > 0.5 && precision <= 0.999))
    throw new FettleError('FETTLE_USAGE', `precision ${precision} is not over 0.5 and at most 0.999`, {
      hint: 'Pass for example 0.98.',
    })
  const names = register === undefined ? null : [register].flat()
  const { dir, names: found } = await registersHere({}, { env, register: names })
  const { index, registers, factsOf, match, close } = await openForLists({ dir, names: found })
  return {
    registers,
    close,
    match: async (rows): Promise<RowMatch[]> => {
      const queries: Query[] = []
      for await (const row of rows) queries.push(readRow(row, queries.length))
      const list = { ...(await factsOf(queries.filter(isFilled), precision)), ...(companyNumbers && { companyNumbers }) }
      const turn = turnEvery()
      const matches: RowMatch[] = []
      for (const query of queries) {
        await turn()
        const { decision, score, reason, why, candidates } = match(query, list)
        const [best] = candidates
        matches.push({
          outcome: decision,
          company: decision === 'matched' && best !== undefined ? showCompany(index.companies.at(best.company)) : null,
          ...{ score, reason, why },
          candidates: candidates.map(({ company, score: chance, why: reasons }, rank) => ({
            company: showCompany(index.companies.at(company)),
            ...{ score: chance, why: rank === 0 ? why : reasons },
          })),
        })
      }
      return matches
    },
  }
}
