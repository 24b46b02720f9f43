import { vi } from 'vitest'

/** Waits until the assertions of `look` hold, and gives what it returns: 20 s, because a busy machine takes longer than the usual second. */
export const eventually = <T>(look: () => T | Promise<T>): Promise<T> => vi.waitFor(look, { timeout: 20_000 })
