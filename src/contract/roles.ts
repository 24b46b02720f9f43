/** Who may do what: three roles, each with the rights of the one before it, and the one that an operation needs. It knows no user. */

/** From the least to the most: reads · does everything with what is its own · sees who else there is. */
export const ROLES = ['reader', 'operator', 'admin'] as const

/** What a user may be. */
export type Role = (typeof ROLES)[number]

/** What of an operation's row says who may. */
interface Guarded {
  readonly method: string
  readonly role?: Role
}

/** The role an operation needs, unless its row names another: a reader for what only reads, an operator for what changes anything. */
export const roleOf = ({ role, method }: Guarded): Role => role ?? (method === 'GET' ? 'reader' : 'operator')

/** Whether a user of this role may carry out an operation. */
export const mayCarryOut = (role: Role, operation: Guarded): boolean => ROLES.indexOf(role) >= ROLES.indexOf(roleOf(operation))
