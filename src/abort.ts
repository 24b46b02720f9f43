/** Waits that end with an AbortSignal, and signals joined into one. Every listener is removed again. */

/** Settles as `promise` does, or rejects with the signal's reason, whichever comes first. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    // Also after an abort: a later failure of the promise must not count as unhandled.
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Runs `wait` with a signal that aborts with the first of `ends`. */
export async function waiting<T>(
  ends: readonly (AbortSignal | undefined)[],
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, release } = abortWithFirst(...ends)
  try {
    return await wait(signal)
  } finally {
    release()
  }
}

/**
 * A signal that aborts with the first of `sources`; call `release` when it is no longer needed. Not `AbortSignal.any`: its signals
 * accumulate on a source that lives as long as the run, and may be collected together with a timeout before it fires.
 */
export function abortWithFirst(...sources: readonly (AbortSignal | undefined)[]): { signal: AbortSignal; release(): void } {
  const stop = new AbortController()
  const releases = sources
    .filter(source => source !== undefined)
    .map(source => {
      const abort = () => stop.abort(source.reason)
      if (source.aborted) abort()
      source.addEventListener('abort', abort, { once: true })
      return () => source.removeEventListener('abort', abort)
    })
  return {
    signal: stop.signal,
    release: () => {
      for (const release of releases) release()
    },
  }
}
