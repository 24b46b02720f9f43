/** What users are called. */
import type { Context } from '../context.ts'

/** The name of the user of a number; null when there is none. */
export const userNames =
  ({ users }: Pick<Context, 'users'>) =>
  (id: number): string | null =>
    [...users.values()].find(user => user.id === id)?.username ?? null
