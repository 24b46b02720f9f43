/** Checks the settings of Redis that a queue depends on: version, eviction, and what survives a crash. */
import type { Connected } from './connect.ts'

export interface QueueFact {
  readonly status: 'ok' | 'warn' | 'fail'
  readonly text: string
  readonly hint: string
}

const fact = (status: QueueFact['status'], text: string, hint = ''): QueueFact => ({ status, text, hint })

/** The first version with the conditions on streams that BullMQ uses. */
const OLDEST = 6.2

export async function queueFacts({ redis }: Pick<Connected, 'redis'>): Promise<QueueFact[]> {
  const info = await redis.info()
  const fields = new Map(info.split(/\r?\n/).map(line => [line.split(':', 1)[0], line.slice(line.indexOf(':') + 1)]))
  const field = (name: string): string | null => fields.get(name) ?? null
  return [
    versionFact(field('redis_version')),
    policyFact(field('maxmemory_policy')),
    ...(await persistenceFacts(field('aof_enabled'), redis)),
  ]
}

function versionFact(version: string | null): QueueFact {
  if (version === null) return fact('warn', 'Redis does not report its version', `It needs Redis ${OLDEST} or newer.`)
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major + minor / 100 < Math.floor(OLDEST) + 0.02
    ? fact('fail', `Redis ${version}`, `Use Redis ${OLDEST} or newer.`)
    : fact('ok', `Redis ${version}`)
}

function policyFact(policy: string | null): QueueFact {
  if (policy === 'noeviction') return fact('ok', 'maxmemory-policy noeviction')
  if (policy === null) return fact('warn', 'Redis does not report its maxmemory-policy', 'Make sure that it is noeviction.')
  return fact(
    'fail',
    `maxmemory-policy ${policy} deletes shards and journals when memory is short`,
    'redis-cli config set maxmemory-policy noeviction, and in redis.conf.',
  )
}

async function persistenceFacts(aof: string | null, redis: Connected['redis']): Promise<QueueFact[]> {
  if (aof !== '1')
    return [
      fact(
        aof === null ? 'warn' : 'fail',
        'appendonly is off: a crash of Redis loses recorded requests, and a shard may be sent, and paid, twice',
        'redis-cli config set appendonly yes, and in redis.conf.',
      ),
    ]
  // Hosted services may not allow CONFIG.
  const [, sync = null] = (await redis.config('GET', 'appendfsync').catch(() => [])) as string[]
  if (sync === 'always') return [fact('ok', 'appendonly yes, appendfsync always')]
  const setting = sync === null ? 'appendonly yes; appendfsync is unknown' : `appendonly yes, appendfsync ${sync}`
  return [
    fact(
      'warn',
      `${setting}: a power cut may lose the last second`,
      'redis-cli config set appendfsync always, and in redis.conf: then every request is on disk before it is sent.',
    ),
  ]
}
