/** What the service says when it says no: one error class, and the body each status has on the wire (contract §2.5, §14.2). */

/** Thrown anywhere below a route; its texts reach the caller, so they never hold a secret or a path of the machine. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly details: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, details = '', headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.details = details
    this.headers = headers
  }

  /** `{error}` for 401, `{message}` for 403 and 429, else `{correlationId, message, details}`. */
  body(correlationId: string): Record<string, string> {
    if (this.status === 401) return { error: this.message }
    if (this.status === 403 || this.status === 429) return { message: this.message }
    return { correlationId, message: this.message, details: this.details }
  }
}

/** 401 of `/authenticate`: the one 401 whose body is `{message}`; the same for an unknown user and a wrong password. */
export class LoginRefusal extends Refusal {
  constructor() {
    super(401, 'Access denied. Please check your username and password; both are case-sensitive.')
  }

  override body(): Record<string, string> {
    return { message: this.message }
  }
}

/** 400: the request cannot be carried out as it stands; `details` names the field and why. */
export const badRequest = (message: string, details: string): Refusal => new Refusal(400, message, details)

/** 404 for something that does not exist or belongs to somebody else: the two cannot be told apart (faults H3). */
export const notFound = (what: string): Refusal =>
  new Refusal(404, `${what} not found`, `there is no ${what.toLowerCase()} of this id`)

/** 409: it is there already, or was decided already (contract §2.5). */
export const conflict = (message: string, details: string): Refusal => new Refusal(409, message, details)

/** 401 for a token that is missing, forged or expired: one answer for all (faults H2). */
export const notAuthorised = (): Refusal => new Refusal(401, 'Invalid token.', '', { 'WWW-Authenticate': 'Bearer' })

/** 429, with the time to wait. */
export const tooMany = (message: string, waitMs: number): Refusal =>
  new Refusal(429, message, '', { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) })
