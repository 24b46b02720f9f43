/** Finds the shortest history that still fails: drops ranges first, then single faults. */

/**
 * Drops from `items` whatever `fails` does not need to hold, keeping their order. `items` itself is taken to fail, and the empty
 * list is never asked about: what fails without any fault is no matter of chaos.
 */
export async function shrink<T>(items: readonly T[], fails: (items: readonly T[]) => Promise<boolean>): Promise<readonly T[]> {
  let rest = items
  for (let size = Math.ceil(items.length / 2); size >= 1; ) {
    const before = rest.length
    for (let at = 0; at < rest.length; ) {
      const without = [...rest.slice(0, at), ...rest.slice(at + size)]
      if (without.length > 0 && (await fails(without))) rest = without
      else at += size
    }
    // Dropping one fault may have made another dispensable.
    if (size > 1) size = Math.ceil(size / 2)
    else if (rest.length === before) break
  }
  return rest
}
