/** What a Redis says of itself that a queue depends on: version, what it throws away, what outlives a crash. It changes nothing. */
import type { Connected } from './connect.ts'

/** One thing a queue needs, and whether it is so. */
export interface QueueFact {
  readonly is: 'ok' | 'warn' | 'fail'
  readonly told: string
  readonly hint: string
}

const fact = (is: QueueFact['is'], told: string, hint = ''): QueueFact => ({ is, told, hint })

/** BullMQ asks for streams with conditions, which came with it. */
const OLDEST = 6.2

/** What Redis at the address says; throws what the connection throws. */
export async function queueFacts({ redis }: Pick<Connected, 'redis'>): Promise<QueueFact[]> {
  const info = await redis.info()
  const told = new Map(info.split(/\r?\n/).map(line => [line.split(':', 1)[0], line.slice(line.indexOf(':') + 1)]))
  const of = (name: string): string | null => told.get(name) ?? null
  return [versionFact(of('redis_version')), policyFact(of('maxmemory_policy')), ...(await keepingFacts(of('aof_enabled'), redis))]
}

function versionFact(version: string | null): QueueFact {
  if (version === null) return fact('warn', 'Redis does not tell its version', `It needs Redis ${OLDEST} or newer.`)
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major + minor / 100 < Math.floor(OLDEST) + 0.02
    ? fact('fail', `Redis ${version}`, `Use Redis ${OLDEST} or newer.`)
    : fact('ok', `Redis ${version}`)
}

const policyFact = (policy: string | null): QueueFact =>
  policy === 'noeviction'
    ? fact('ok', 'maxmemory-policy noeviction')
    : policy === null
      ? fact('warn', 'Redis does not tell its maxmemory-policy', 'Make sure that it is noeviction.')
      : fact(
          'fail',
          `maxmemory-policy ${policy} throws away shards and journals when memory is short`,
          'redis-cli config set maxmemory-policy noeviction, and in redis.conf.',
        )

async function keepingFacts(aof: string | null, redis: Connected['redis']): Promise<QueueFact[]> {
  if (aof !== '1')
    return [
      fact(
        aof === null ? 'warn' : 'fail',
        'appendonly is off: a crash of Redis forgets what was recorded, and a shard may be asked for, and paid, twice',
        'redis-cli config set appendonly yes, and in redis.conf.',
      ),
    ]
  // Services that others run may not tell.
  const [, sync = null] = (await redis.config('GET', 'appendfsync').catch(() => [])) as string[]
  if (sync === 'always') return [fact('ok', 'appendonly yes, appendfsync always')]
  const told = sync === null ? 'appendonly yes; appendfsync is not told' : `appendonly yes, appendfsync ${sync}`
  return [
    fact(
      'warn',
      `${told}: a power cut may forget the last second`,
      'redis-cli config set appendfsync always, and in redis.conf: then nothing is sent that a power cut could forget.',
    ),
  ]
}
