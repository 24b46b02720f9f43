/** Login: contract §4. */
import { z } from 'zod'

/** Body of `POST /authenticate`; both are case-sensitive. */
export const credentials = z.strictObject({ username: z.string().min(1), password: z.string().min(1) })

/** Its answer: a token and nothing else that is documented; opaque to a client, but a header has to hold it (RFC 6750 §2.1). */
export const tokenReply = z.looseObject({ token: z.string().regex(/^[\u0021-\u007e]+$/, 'must fit into a header') })
