/** The shard of a command: given directly, or by the environment of the platform that started the process. */
import type { Env } from '../../app/index.ts'
import { FettleError } from '../../errors.ts'
import { parseShard, type ShardChoice } from '../../pipeline/index.ts'
import type { Flags } from '../command.ts'
import { textFlag } from './read.ts'

/** Variables with the index of a task, the first index, and the number of tasks where the platform sets it. */
const PLATFORMS = [
  { index: 'JOB_COMPLETION_INDEX', first: 0, count: 'FETTLE_SHARDS' },
  { index: 'CLOUD_RUN_TASK_INDEX', first: 0, count: 'CLOUD_RUN_TASK_COUNT' },
  { index: 'CI_NODE_INDEX', first: 1, count: 'CI_NODE_TOTAL' },
] as const

/** `--shard`, null if absent. Throws FETTLE_USAGE for a malformed value, and for `auto` without a platform. */
export function shardFlag(flags: Flags, env: Env): ShardChoice | null {
  const text = textFlag(flags, 'shard')
  if (text === null) return null
  const refuse = (why: string, hint = 'Pass --shard 3/8: the third of eight.'): FettleError =>
    new FettleError('FETTLE_USAGE', `--shard ${text}: ${why}`, { hint })
  const [, isAuto, given] = /^(auto)(?:\/(\d+))?$/.exec(text) ?? []
  if (isAuto === undefined) {
    const choice = parseShard(text)
    if (choice === null) throw refuse('expected number/count with a count of at most 1000, such as 3/8; or auto')
    return choice
  }
  const platform = PLATFORMS.find(({ index }) => (env[index] ?? '') !== '')
  if (platform === undefined)
    throw refuse(`none of ${PLATFORMS.map(({ index }) => index).join(', ')} is set, so the number of the shard is unknown`)
  const count = given ?? env[platform.count] ?? ''
  if (count === '') throw refuse('the number of shards is unknown', `Pass --shard auto/8, or set ${platform.count}.`)
  const number = Number(env[platform.index]) - platform.first + 1
  const choice = parseShard(`${number}/${count}`)
  if (choice === null)
    throw refuse(`${platform.index} is ${env[platform.index]}, counted from ${platform.first}, and there are ${count} shards`)
  return choice
}
