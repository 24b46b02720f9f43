/** A real Redis for tests, on a free port of the loopback and in a new folder; it stops after the tests of the file. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../../support/free-port.ts'
import { atEnd, folderOf } from '../../system/cli/fettle.ts'

/** Whether redis-server is installed. Prints a warning when it is not, since the tests are skipped then. */
export const HAS_REDIS = spawnSync('redis-server', ['--version']).status === 0
if (!HAS_REDIS) process.stderr.write('\n*** redis-server is not installed: NOTHING OF QUEUES AND WORKERS IS TESTED HERE ***\n\n')

/** What a queue needs of a Redis. */
const KEEPING = ['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction']

/** A Redis under way. */
export interface RunningRedis {
  readonly url: string
  /** Ends it at once. */
  kill(): Promise<void>
  /** Starts it again, over what it kept. */
  start(): Promise<void>
}

/** Starts a Redis with the settings a queue needs, or with others. */
export async function startRedis(settings: readonly string[] = [], keeping: readonly string[] = KEEPING): Promise<RunningRedis> {
  const port = await freePort()
  const dir = folderOf()
  let child: ChildProcess | null = null
  const kill = async (): Promise<void> => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  const start = async (): Promise<void> => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', ...keeping, ...settings]
    const one = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    child = one
    await new Promise<void>((ready, failed) => {
      let output = ''
      one.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes('Ready to accept connections')) ready()
      })
      one.on('exit', () => failed(new Error(`redis-server ended:\n${output}`)))
    })
  }
  await start()
  atEnd(kill)
  return { url: `redis://127.0.0.1:${port}`, kill, start }
}
