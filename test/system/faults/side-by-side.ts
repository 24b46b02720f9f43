/** Runs many tasks with limited concurrency, and returns their results in order. */

export async function sideBySide<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T)
  }
  await Promise.all(Array.from({ length: width }, lane))
  return results
}
