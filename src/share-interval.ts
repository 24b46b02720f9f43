/** The interval of a share that was counted in a sample. */

/** `low` and `high` with 95 % certainty. */
export type ShareEstimate = Readonly<Record<'share' | 'low' | 'high', number>>

/** The quantile of the normal distribution for 95 %. */
const Z = 1.959964

/**
 * Wilson's interval, which holds for small samples and rare events, with the correction for a sample that is a considerable part of
 * the list: of a list that was taken whole the share is known. `found` of `sample` rows of `list`; without `list`, of endlessly many.
 */
export function shareInterval(found: number, sample: number, list = Number.POSITIVE_INFINITY): ShareEstimate {
  if (sample === 0) return { share: 0, low: 0, high: list === 0 ? 0 : 1 }
  const share = found / sample
  if (sample >= list) return { share, low: share, high: share }
  const size = list === Number.POSITIVE_INFINITY ? sample : (sample * (list - 1)) / (list - sample)
  const middle = (share + Z ** 2 / (2 * size)) / (1 + Z ** 2 / size)
  const half = (Z / (1 + Z ** 2 / size)) * Math.sqrt((share * (1 - share)) / size + Z ** 2 / (4 * size ** 2))
  // Rows that were looked at are certain.
  const low = Math.max(middle - half, found / list)
  const high = Math.min(middle + half, 1 - (sample - found) / list)
  return { share, low: Math.min(low, share), high: Math.max(high, share) }
}
