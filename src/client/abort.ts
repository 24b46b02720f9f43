/** Waiting for something shared without being bound to it: one waiter's stop leaves the others alone. */

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
