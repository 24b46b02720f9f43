/** Converts a search to its wire record: contract §6.2, §6.3. */
import type { BusinessSearch, IndividualSearch } from '../../contract/index.ts'
import type { Users } from '../auth/users.ts'
import type { Search } from './searches-store.ts'

/** Returns the name of a user; null for an unknown id. */
export type NameOf = (user: number) => string | null

export const userNames =
  ({ users }: { readonly users: Pick<Users, 'values'> }): NameOf =>
  id =>
    [...users.values()].find(user => user.id === id)?.username ?? null

export const iso = (millis: number): string => new Date(millis).toISOString()
const orNull = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text)

/** What is not known is left out: most of it is not nullable there. Only searches for persons have `isDobRequired` and the parts of a name. */
export function searchRecord(search: Search, nameOf: NameOf, correlationId?: string): BusinessSearch | IndividualSearch {
  const { assignedTo, hits } = search
  const assignee = assignedTo === search.owner ? nameOf(assignedTo) : null
  return {
    id: search.id,
    name: search.name,
    countryCodes: [...search.countryCodes],
    threshold: search.threshold,
    type: search.type,
    datasets: [...search.datasets],
    status: search.status,
    riskRating: search.riskRating,
    ...(assignedTo === null ? {} : { assignedToUserId: assignedTo }),
    // An earlier version allowed assigning to a user of another tenant; that name is not disclosed.
    ...(assignee === null ? {} : { assignedUser: assignee }),
    createdById: search.owner,
    createdBy: nameOf(search.owner) ?? '',
    createdAt: iso(search.createdAt),
    modifiedById: search.modifiedBy,
    modifiedBy: nameOf(search.modifiedBy) ?? '',
    modifiedAt: iso(search.modifiedAt),
    ...(search.note === null ? {} : { note: search.note }),
    totalHitCount: Object.values(hits).reduce((sum, count) => sum + count, 0),
    truePositiveHitsCount: hits.trueMatch,
    falsePositiveHitsCount: hits.falsePositive,
    undecidedHitsCount: hits.undecided,
    ...(search.type === 'individual' ? personFields(search) : {}),
    ...(correlationId === undefined ? {} : { correlationId }),
  }
}

const personFields = ({ person, gender, dateOfBirth, pepTiers, isDobRequired }: Search) => ({
  firstName: orNull(person?.first),
  middleName: orNull(person?.middle),
  lastName: orNull(person?.last),
  gender,
  dateOfBirth,
  pepTiers: pepTiers.map(tier => `pepTier${tier}`),
  isDobRequired,
})
