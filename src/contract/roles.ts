/** Three roles, each with the rights of the one before it, and the role that an operation needs. */

/** From the least to the most: reads · does everything with its own objects · sees other users. */
export const ROLES = ['reader', 'operator', 'admin'] as const

/** The role of a user. */
export type Role = (typeof ROLES)[number]

/** The columns of an operation that decide on the role. */
interface Guarded {
  readonly method: string
  readonly role?: Role
}

/** The role an operation needs, unless its row names another: a reader for what only reads, an operator for what changes anything. */
export const roleOf = ({ role, method }: Guarded): Role => role ?? (method === 'GET' ? 'reader' : 'operator')

/** Whether a user of this role may call an operation. */
export const mayCarryOut = (role: Role, operation: Guarded): boolean => ROLES.indexOf(role) >= ROLES.indexOf(roleOf(operation))
