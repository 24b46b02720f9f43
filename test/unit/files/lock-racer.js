// One of several processes that reach for the same lock: it takes it, says whether it still holds it, and lets go, as asked.
import { takeLock } from './process-lock.js'

let lock
process.on('message', ({ ask, path }) => {
  if (ask === 'held') return process.send(lock?.held() ?? false)
  if (ask === 'release') {
    lock?.release()
    lock = undefined
    return process.send(true)
  }
  try {
    lock = takeLock(path, () => Date.now())
    process.send('taken')
  } catch (error) {
    process.send(error.code)
  }
})
process.send('ready')
