/** `fettle serve users`: adds, lists and removes users of a service. A password is never a flag: other users can read argv. */
import { join, resolve } from 'node:path'
import { dataDirOf, passwordOf } from '../../../app/index.ts'
import { EXIT, FettleError } from '../../../errors.ts'
import { escapeTerminal, safeJson } from '../../../report/index.ts'
import { addUser, listUsers, removeUser, type UserInfo } from '../../../service/index.ts'
import type { Flags } from '../../command.ts'
import { isOn, needText, textFlag } from '../../options/read.ts'
import type { Io } from '../../terminal/io.ts'
import { promptSecret } from '../../terminal/prompt-secret.ts'

export function serviceDirOf(flags: Flags, io: Io): string {
  const named = textFlag(flags, 'data-dir')
  return named === null ? join(dataDirOf(io.env), 'service') : resolve(io.cwd, named)
}

export const hasUsers = (dataDir: string): boolean => listUsers(dataDir).length > 0

type Role = UserInfo['role']
const ROLES: readonly string[] = ['reader', 'operator', 'admin'] satisfies readonly Role[]
const isRole = (text: string): text is Role => ROLES.includes(text)

/** From the environment, the terminal, or stdin, in this order. */
async function passwordFor(username: string, io: Io): Promise<string> {
  const set = passwordOf(io.env)
  if (set !== null) return set
  const typed = await promptSecret(`Password of ${escapeTerminal(username)}: `, io)
  if (typed === null)
    throw new FettleError('FETTLE_CREDENTIALS', `no password for ${JSON.stringify(username)}: nothing was read`, {
      hint: 'Type it, pass it on stdin, or set FETTLE_PASSWORD or FETTLE_PASSWORD_FILE.',
    })
  return typed
}

async function add(flags: Flags, dataDir: string, io: Io): Promise<number> {
  const username = needText(flags, 'name')
  const role = textFlag(flags, 'role') ?? 'operator'
  const tenant = textFlag(flags, 'tenant')
  if (!isRole(role)) throw new FettleError('FETTLE_USAGE', `--role ${role}: expected ${ROLES.join(', ')}`)
  if (listUsers(dataDir).some(user => user.username === username))
    throw new FettleError('FETTLE_USAGE', `the user ${JSON.stringify(username)} already exists`, {
      hint: 'For another password or role, remove the user first; the data of the user stays.',
    })
  const password = await passwordFor(username, io)
  await addUser(dataDir, { username, password, role, now: new Date(), ...(tenant === null ? {} : { tenant }) })
  io.err(`added ${escapeTerminal(username)} as ${role}${tenant === null ? '' : ` of ${escapeTerminal(tenant)}`}`)
  return EXIT.ok
}

const line = ({ username, role, tenant, createdAt }: UserInfo): string =>
  escapeTerminal([username.padEnd(20), role.padEnd(8), tenant.padEnd(20), createdAt].join('  ').trimEnd())

function list(flags: Flags, dataDir: string, io: Io): number {
  const users = listUsers(dataDir)
  if (isOn(flags, 'json')) io.out(safeJson({ schema: 'fettle/users/v1', users }))
  else if (users.length === 0) io.err(`no users in ${escapeTerminal(dataDir)}`)
  else io.out(users.map(line).join('\n'))
  return EXIT.ok
}

async function remove(flags: Flags, dataDir: string, io: Io): Promise<number> {
  const username = needText(flags, 'name')
  await removeUser(dataDir, username)
  io.err(`removed ${escapeTerminal(username)}; the data of the user stays`)
  return EXIT.ok
}

export async function run(flags: Flags, io: Io): Promise<number> {
  const dataDir = serviceDirOf(flags, io)
  const what = textFlag(flags, 'what')
  if (what === 'add') return add(flags, dataDir, io)
  if (what === 'list') return list(flags, dataDir, io)
  if (what === 'remove') return remove(flags, dataDir, io)
  const problem = what === null ? 'serve users: the action is missing' : `serve users ${what}: unknown action`
  throw new FettleError('FETTLE_USAGE', problem, { hint: 'Use add NAME, list, or remove NAME.' })
}
