/** Which refusals are about one company alone. It asks nobody. */
import { FettleError } from '../../errors.ts'

/** How a company is refused that the service cannot take: contract §2.5. */
const ABOUT_ONE: readonly (number | null)[] = [400, 404, 422]

/** Why the service would not take a company; null for an error that is not about one company alone. */
export const whyRefused = (error: unknown): string | null =>
  FettleError.is(error) && ABOUT_ONE.includes(error.status) ? error.message : null
