/**
 * The health check of the image: asks the service that the container runs. A container that runs another command is healthy as long as
 * it runs; its exit code tells the rest.
 */
import { readFileSync } from 'node:fs'

const words = readFileSync('/proc/1/cmdline', 'utf8').split('\0')
const at = words.findIndex((word, index) => word === 'serve' && words[index - 1]?.endsWith('fettle'))
if (at !== -1 && !['users', 'backup'].includes(words[at + 1])) {
  const flag = words.findIndex(word => /^--port(?:=|$)/.test(word))
  const port = flag === -1 ? '8080' : (words[flag].split('=')[1] ?? words[flag + 1])
  const answer = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(4_000) }).catch(error => error)
  console.log(answer instanceof Error ? `no answer on port ${port}: ${answer.message}` : await answer.text())
  if (answer.ok !== true) process.exitCode = 1
}
