// Opens FIFOs for writing as soon as someone reads them, so that nobody waits for ever, and reports each reader that waited.
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

const { gate, path } = workerData
const state = new Int32Array(gate)
const opened = () => {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return null
  }
}
while (Atomics.load(state, 0) === 0) {
  const fd = opened()
  if (fd !== null) {
    // A reader that does not wait is gone by now.
    Atomics.wait(state, 1, 0, 50)
    try {
      writeSync(fd, 'x\n')
      Atomics.add(state, 2, 1)
    } catch {}
    closeSync(fd)
  }
  Atomics.wait(state, 0, 0, 20)
}
parentPort.close()
