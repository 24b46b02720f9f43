/** What users are called. */
import type { Users } from '../auth/users.ts'

/** The name of the user of a number; null when there is none. */
export const userNames =
  ({ users }: { readonly users: Pick<Users, 'values'> }) =>
  (id: number): string | null =>
    [...users.values()].find(user => user.id === id)?.username ?? null
