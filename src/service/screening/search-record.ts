/** Converts a search to its wire record: contract §6.2, §6.3. */
import type { BusinessSearch, IndividualSearch } from '../../contract/index.ts'
import type { Users } from '../auth/users.ts'
import type { Search } from './searches-store.ts'

/** Returns the name of a user; null for an unknown id. */
export type NameOf = (user: number) => string | null

export const userNames =
  ({ users }: { readonly users: Pick<Users, 'values'> }): NameOf =>
  id =>
    [...users.values()].find(user => user.person === id)?.username ?? null

export const iso = (millis: number): string => new Date(millis).toISOString()
const orNull = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text)

interface Shape {
  readonly correlationId?: string | undefined
  /** Whether the published description has null here for what is not known; otherwise it is left out. */
  readonly hasNulls: boolean
}

/** Only searches for persons have `isDobRequired` and the parts of a name. */
export function searchRecord(
  search: Search,
  nameOf: NameOf,
  { correlationId, hasNulls }: Shape,
): BusinessSearch | IndividualSearch {
  const { assignedTo, hits } = search
  const assignedUser = assignedTo === null ? null : nameOf(assignedTo)
  // This service has no schedules.
  const unsure = { assignedToUserId: assignedTo, assignedUser, note: search.note, scheduleId: null }
  return {
    id: search.id,
    name: search.name,
    countryCodes: [...search.countryCodes],
    threshold: search.threshold,
    type: search.type,
    datasets: [...search.datasets],
    status: search.status,
    riskRating: search.riskRating,
    createdById: search.createdBy,
    createdBy: nameOf(search.createdBy) ?? '',
    createdAt: iso(search.createdAt),
    modifiedById: search.modifiedBy,
    modifiedBy: nameOf(search.modifiedBy) ?? '',
    modifiedAt: iso(search.modifiedAt),
    totalHitCount: Object.values(hits).reduce((sum, count) => sum + count, 0),
    truePositiveHitsCount: hits.trueMatch,
    falsePositiveHitsCount: hits.falsePositive,
    undecidedHitsCount: hits.undecided,
    ...(search.type === 'individual' ? personFields(search) : {}),
    ...Object.fromEntries(Object.entries(unsure).filter(([, value]) => hasNulls || value !== null)),
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
