/** Error answers of the service: one error class, and the body of each status on the wire (contract §2.5, §14.2). */

/** Thrown below a route. Its texts reach the caller: never put a secret or a local path into them. */
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

/** The 401 of `/authenticate`, with the body `{message}`; the same for an unknown user and a wrong password. */
export class LoginRefusal extends Refusal {
  constructor() {
    super(401, 'Access denied. Please check your username and password; both are case-sensitive.')
  }

  override body(): Record<string, string> {
    return { message: this.message }
  }
}

/** 400; `details` names the field and the reason. */
export const badRequest = (message: string, details: string): Refusal => new Refusal(400, message, details)

/** 404, the same for an object that does not exist and one of another user (faults H3). */
export const notFound = (what: string): Refusal =>
  new Refusal(404, `${what} not found`, `there is no ${what.toLowerCase()} of this id`)

/** 409: it exists already, or was decided already (contract §2.5). */
export const conflict = (message: string, details: string): Refusal => new Refusal(409, message, details)

/** 401, the same for a missing, forged or expired token (faults H2). */
export const notAuthorised = (): Refusal => new Refusal(401, 'Invalid token.', '', { 'WWW-Authenticate': 'Bearer' })

/** 429 with Retry-After. */
export const tooMany = (message: string, waitMs: number): Refusal =>
  new Refusal(429, message, '', { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) })
