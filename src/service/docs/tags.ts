/** The groups of operations in the description of the interface, by the start of their paths. */
import type { Operation } from '../../contract/index.ts'

const TAGS = [
  ['/authenticate', 'login', 'Access tokens.'],
  ['/access', 'access', 'The account and its users.'],
  ['/dataCleaning', 'dataCleaning', 'Jobs that match and enrich a list.'],
  ['/compan', 'companies', 'Search, matching and reports of companies.'],
  ['/reportcustomdata', 'companies', ''],
  ['/people', 'people', 'Search and reports of directors.'],
  ['/compliance', 'screening', 'AML searches and their hits.'],
  ['/monitoring/portfolios', 'portfolios', 'Portfolios, their companies, rules and events.'],
  ['/monitoring', 'monitoring', 'Events and rules of all portfolios.'],
] as const

export const tagOf = ({ path }: Pick<Operation, 'path'>): string => TAGS.find(([start]) => path.startsWith(start))?.[1] ?? 'other'

/** The groups of these operations with their descriptions. */
export function tagsOf(
  operations: readonly Pick<Operation, 'path'>[],
): { readonly name: string; readonly description: string }[] {
  const used = new Set(operations.map(tagOf))
  return TAGS.filter(([, name, description]) => used.has(name) && description !== '').map(([, name, description]) => ({
    name,
    description,
  }))
}
