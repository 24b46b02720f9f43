/** Several pipelines in one call: side by side up to a limit, none stopped by another's failure. It knows no pipeline. */
import pLimit from 'p-limit'

/** Carries out `each` for all items, at most `concurrency` at a time; the results come in the order of the items. */
export async function inBatch<T, R>(items: readonly T[], concurrency: number, each: (item: T) => Promise<R>): Promise<R[]> {
  const limit = pLimit(concurrency)
  return Promise.all(items.map(item => limit(() => each(item))))
}
