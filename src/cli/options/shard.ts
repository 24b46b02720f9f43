/** Which shard a command is to carry out: told outright, or by the platform that started it. It shares nothing among anybody. */

import type { Env } from '../../app/index.ts'
import { parseShard, type ShardChoice } from '../../app/light.ts'
import { FettleError } from '../../errors.ts'
import type { Flags } from '../command.ts'
import { textFlag } from './read.ts'

/** What platforms call the number of a task, from which number they count, and how many there are where they say so. */
const PLATFORMS = [
  { index: 'JOB_COMPLETION_INDEX', first: 0, count: 'FETTLE_SHARDS' },
  { index: 'CLOUD_RUN_TASK_INDEX', first: 0, count: 'CLOUD_RUN_TASK_COUNT' },
  { index: 'CI_NODE_INDEX', first: 1, count: 'CI_NODE_TOTAL' },
] as const

/** The shard of `--shard`, null when absent. Throws FETTLE_USAGE for what is none, and for an `auto` that nobody answers. */
export function shardFlag(flags: Flags, env: Env): ShardChoice | null {
  const text = textFlag(flags, 'shard')
  if (text === null) return null
  const refuse = (why: string, hint = 'Give --shard 3/8: the third of eight.'): FettleError =>
    new FettleError('FETTLE_USAGE', `--shard ${text}: ${why}`, { hint })
  const [, isAuto, told] = /^(auto)(?:\/(\d+))?$/.exec(text) ?? []
  if (isAuto === undefined) {
    const choice = parseShard(text)
    if (choice === null) throw refuse('expected a number from 1, a slash and how many there are, 1000 at most; or auto')
    return choice
  }
  const platform = PLATFORMS.find(({ index }) => (env[index] ?? '') !== '')
  if (platform === undefined)
    throw refuse(`none of ${PLATFORMS.map(({ index }) => index).join(', ')} is set, so nobody says which shard this is`)
  const count = told ?? env[platform.count] ?? ''
  if (count === '') throw refuse(`nobody says how many shards there are`, `Give --shard auto/8, or set ${platform.count}.`)
  const number = Number(env[platform.index]) - platform.first + 1
  const choice = parseShard(`${number}/${count}`)
  if (choice === null)
    throw refuse(`${platform.index} is ${env[platform.index]}, counted from ${platform.first}, and there are ${count} shards`)
  return choice
}
