/**
 * What is shared by the tests of a file ends with it. Files of a worker share their modules, so an `afterAll` at the top of a
 * module would belong to the first of them; a setup file (vitest.config.ts) calls `endFile` after each.
 */
const endings: (() => unknown)[] = []

/** Calls `end` after the tests of the file that is running, the last one first. */
export const atFileEnd = (end: () => unknown): void => {
  endings.push(end)
}

/** Ends what the file has started. The first error is thrown after all have ended. */
export async function endFile(): Promise<void> {
  const errors: unknown[] = []
  for (const end of endings.splice(0).reverse())
    try {
      await end()
    } catch (error) {
      errors.push(error)
    }
  if (errors.length > 0) throw errors[0]
}
