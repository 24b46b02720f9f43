/** `fettle serve`: runs the embedded service until a signal stops it. */

import { join, resolve } from 'node:path'
import { counted } from '../../../counted.ts'
import { findDataDir, readPassword } from '../../../env/environment.ts'
import { readCredentials } from '../../../env/trust.ts'
import { EXIT, FettleError } from '../../../errors.ts'
import { screeningIssues } from '../../../execution/service-connection.ts'
import { findRegisterDir, findRegisters, findScreeningDir, wantedRegisters } from '../../../prepare/registers.ts'
import { escapeTerminal, safeJson } from '../../../report/index.ts'
import {
  addUser,
  backup,
  listUsers,
  type PlayName,
  readRates,
  removeUser,
  type Service,
  serve,
  type UserInfo,
} from '../../../service/index.ts'
import { type Flags, usageError } from '../../command.ts'
import { isOn, listFlag, needText, registerFlag, textFlag, wholeFlag } from '../../options/read.ts'
import { type Io, untilStopped } from '../../terminal/io.ts'
import { printIssue } from '../../terminal/print-error.ts'
import { promptSecret } from '../../terminal/prompt.ts'

/** Addresses that only this machine can reach. */
const LOOPBACK: readonly string[] = ['127.0.0.1', '::1', 'localhost']

/** If one of these is set, the service uses that login instead of a new one. */
const LOGIN = ['FETTLE_USERNAME', 'FETTLE_PASSWORD', 'FETTLE_PASSWORD_FILE']

const DAY_MS = 86_400_000

export async function run(flags: Flags, io: Io): Promise<number> {
  const action = textFlag(flags, 'action')
  if (action === 'users') return manageUsers(flags, io)
  if (action === 'backup') return writeBackup(flags, io)
  if (textFlag(flags, 'replay') === null) return serveUntilStopped(flags, io)
  refuseOthers('--replay', needText(flags, 'host'))
  return (await import('./replay.ts')).run(flags, io)
}

/** What has no login is served to this machine only. */
function refuseOthers(flag: string, host: string, hint?: string): void {
  if (!LOOPBACK.includes(host))
    throw usageError(`${flag} has no login and cannot be served to other machines, as --host ${host} does`, hint)
}

/** Runs until SIGINT or SIGTERM, then returns 0. */
async function serveUntilStopped(flags: Flags, io: Io): Promise<number> {
  const host = needText(flags, 'host')
  const port = wholeFlag(flags, 'port', 0, 65_535) ?? 8080
  const users = LOGIN.some(name => (io.env[name] ?? '') !== '') ? [readCredentials(io.env, { kind: 'embedded' })] : []
  const serviceDir = findServiceDir(flags, io)
  const isGuarded = users.length > 0 || listUsers(serviceDir).length > 0
  if (!LOOPBACK.includes(host) && !isGuarded)
    throw usageError(
      `--host ${host} is reachable from other machines and requires credentials`,
      'Add users (fettle serve users add NAME), or set FETTLE_USERNAME and FETTLE_PASSWORD.',
    )
  const reconcile = isOn(flags, 'reconcile')
  const tunnel = 'and connect through a tunnel: ssh -L 8080:127.0.0.1:8080 HOST.'
  if (reconcile) refuseOthers('--reconcile', host, `Serve on 127.0.0.1 ${tunnel}`)
  const publicUrl = textFlag(flags, 'public-url')
  if (publicUrl !== null && reconcile)
    throw usageError(
      '--reconcile has no login and cannot be served under --public-url',
      `Serve it without --public-url ${tunnel}`,
    )
  const days = wholeFlag(flags, 'keep-uploads', 1, 36_500)
  const dataDir = findDataDir(io.env)
  const wanted = wantedRegisters({ env: io.env, register: registerFlag(flags) }, null)
  const { registers } = await findRegisters(io.env, wanted)
  const credits = wholeFlag(flags, 'credits', 0, 1_000_000_000)
  const play = needText(flags, 'play') as PlayName
  const rates = readRates(listFlag(flags, 'rate'))
  const service = await serve({
    host,
    port,
    publicUrl: publicUrl ?? undefined,
    hosts: listFlag(flags, 'allow-host'),
    trustedProxies: listFlag(flags, 'trust-proxy'),
    dataDir: serviceDir,
    registerDir: findRegisterDir(dataDir),
    screeningDir: findScreeningDir(dataDir),
    screensAtOnce: true,
    rates,
    credits: credits ?? undefined,
    registers: registers.map(({ name }) => name),
    users,
    reconcile,
    play,
    limits: days === null ? undefined : { retentionMs: days * DAY_MS },
    onWarning: message => io.err(escapeTerminal(`warning: ${message}`)),
    log: isOn(flags, 'log') ? line => io.err(line) : undefined,
  })
  for (const issue of await screeningIssues(dataDir)) io.err(printIssue(issue))
  if (!LOOPBACK.includes(host))
    io.err(`warning: listening on ${escapeTerminal(host)}: every machine that can connect can try to log in; put TLS in front`)
  if (play !== 'own')
    io.err(`note: playing ${play}: answers differ from the answers of fettle's own service (docs/self-hosting.md)`)
  io.out(howToUse(service, publicUrl, users.length > 0, reconcile))
  await untilStopped(io)
  await service.close()
  return EXIT.ok
}

function howToUse(service: Service, publicUrl: string | null, isOwn: boolean, reconcile: boolean): string {
  const address = publicUrl === null ? service.url : `${new URL(publicUrl).origin}/v1`
  const password = isOwn || service.password === '' ? '…' : service.password
  const username = service.username === '' ? '…' : service.username
  return [
    `listening on ${service.url}`,
    ...(reconcile ? [`OpenRefine: add the standard service ${new URL('/reconcile', service.url).href}`] : []),
    '',
    'Use it from another terminal:',
    `  export FETTLE_URL=${address} FETTLE_USERNAME=${username} FETTLE_PASSWORD=${password}`,
    '  fettle clean companies.csv',
    '',
    'Ctrl-C stops it.',
  ].join('\n')
}

function findServiceDir(flags: Flags, io: Io): string {
  const named = textFlag(flags, 'data-dir')
  return named === null ? join(findDataDir(io.env), 'service') : resolve(io.cwd, named)
}

const ROLES: readonly UserInfo['role'][] = ['reader', 'operator', 'admin']

/** From the environment, the terminal, or stdin, in this order. */
async function passwordFor(username: string, io: Io): Promise<string> {
  const set = readPassword(io.env)
  if (set !== null) return set
  const typed = await promptSecret(`Password of ${escapeTerminal(username)}: `, io)
  if (typed === null)
    throw new FettleError('FETTLE_CREDENTIALS', `no password for ${JSON.stringify(username)}: nothing was read`, {
      hint: 'Type it, pass it on stdin, or set FETTLE_PASSWORD or FETTLE_PASSWORD_FILE.',
    })
  return typed
}

async function addOne(flags: Flags, dataDir: string, io: Io): Promise<number> {
  const username = needText(flags, 'name')
  const wanted = textFlag(flags, 'role') ?? 'operator'
  const role = ROLES.find(name => name === wanted)
  const tenant = textFlag(flags, 'tenant')
  if (role === undefined) throw usageError(`--role ${wanted}: expected ${ROLES.join(', ')}`)
  if (listUsers(dataDir).some(user => user.username === username))
    throw usageError(
      `the user ${JSON.stringify(username)} already exists`,
      'For another password or role, remove the user first; the data of the user stays.',
    )
  const password = await passwordFor(username, io)
  await addUser(dataDir, { username, password, role, now: new Date(), tenant: tenant ?? undefined })
  io.err(`added ${escapeTerminal(username)} as ${role}${tenant === null ? '' : ` of ${escapeTerminal(tenant)}`}`)
  return EXIT.ok
}

const userLine = ({ username, role, tenant, createdAt }: UserInfo): string =>
  escapeTerminal([username.padEnd(20), role.padEnd(8), tenant.padEnd(20), createdAt].join('  ').trimEnd())

function listAll(flags: Flags, dataDir: string, io: Io): number {
  const users = listUsers(dataDir)
  if (isOn(flags, 'json')) io.out(safeJson({ schema: 'fettle/users/v1', users }))
  else if (users.length === 0) io.err(`no users in ${escapeTerminal(dataDir)}`)
  else io.out(users.map(userLine).join('\n'))
  return EXIT.ok
}

async function manageUsers(flags: Flags, io: Io): Promise<number> {
  const dataDir = findServiceDir(flags, io)
  const what = textFlag(flags, 'what')
  if (what === 'add') return addOne(flags, dataDir, io)
  if (what === 'list') return listAll(flags, dataDir, io)
  if (what === 'remove') {
    const username = needText(flags, 'name')
    await removeUser(dataDir, username)
    io.err(`removed ${escapeTerminal(username)}; the data of the user stays`)
    return EXIT.ok
  }
  const problem = what === null ? 'serve users: the action is missing' : `serve users ${what}: unknown action`
  throw usageError(problem, 'Use add NAME, list, or remove NAME.')
}

async function writeBackup(flags: Flags, io: Io): Promise<number> {
  const file = resolve(io.cwd, needText(flags, 'what'))
  const { bytes, online } = await backup({ dataDir: findServiceDir(flags, io), file, signal: io.signal })
  const source = online ? 'of the running service' : 'no service was running'
  if (isOn(flags, 'json')) io.out(safeJson({ schema: 'fettle/backup/v1', file, bytes, online }))
  else io.err(`wrote ${escapeTerminal(file)}: ${counted(bytes, 'byte')}, ${source}`)
  return EXIT.ok
}
