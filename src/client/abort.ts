/** Waiting for something shared without being bound to it, and several signals as one. Listeners are always removed again. */

/** Settles as `promise` does, or rejects with the signal's reason; the listener is removed either way. */
export function settled<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Does what only waits, with a signal that aborts with the first of these. */
export async function waiting<T>(
  ends: readonly (AbortSignal | undefined)[],
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, release } = firstOf(...ends)
  try {
    return await wait(signal)
  } finally {
    release()
  }
}

/**
 * A signal that aborts with the first of these; call `release` when it is no longer needed. In place of `AbortSignal.any`, whose
 * signals pile up on one that lives as long as a run does, and may be collected together with a timeout before it fires.
 */
export function firstOf(...sources: readonly (AbortSignal | undefined)[]): { signal: AbortSignal; release(): void } {
  const stop = new AbortController()
  const releases = sources
    .filter(source => source !== undefined)
    .map(source => {
      const hear = () => stop.abort(source.reason)
      if (source.aborted) hear()
      source.addEventListener('abort', hear, { once: true })
      return () => source.removeEventListener('abort', hear)
    })
  return {
    signal: stop.signal,
    release: () => {
      for (const release of releases) release()
    },
  }
}
