/** Login: contract §4. It keeps no token. */
import { z } from 'zod'

/** Body of `POST /authenticate`; both are case-sensitive. */
export const credentials = z.strictObject({ username: z.string().min(1), password: z.string().min(1) })

/** Its answer: a token and nothing else that is documented; it is opaque to a client. */
export const tokenReply = z.looseObject({ token: z.string().min(1) })
