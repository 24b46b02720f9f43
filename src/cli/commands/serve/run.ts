/** `fettle serve`: runs the embedded service until a signal stops it. */
import {
  credentialsOf,
  dataDirOf,
  findRegisters,
  registerDirOf,
  screeningDirOf,
  screeningIssues,
  wantedRegisters,
} from '../../../app/index.ts'
import { EXIT, FettleError } from '../../../errors.ts'
import { escapeTerminal } from '../../../report/index.ts'
import { type PlayName, readRates, serve } from '../../../service/index.ts'
import type { Flags } from '../../command.ts'
import { isOn, listFlag, needText, registerFlag, textFlag, wholeFlag } from '../../options/read.ts'
import type { Io } from '../../terminal/io.ts'
import { printIssue } from '../../terminal/print-error.ts'
import { LOOPBACK } from './loopback.ts'
import { hasUsers, serviceDirOf } from './users.ts'

/** If one of these is set, the service uses that login instead of a new one. */
const LOGIN = ['FETTLE_USERNAME', 'FETTLE_PASSWORD', 'FETTLE_PASSWORD_FILE']

const DAY_MS = 86_400_000

export async function run(flags: Flags, io: Io): Promise<number> {
  const action = textFlag(flags, 'action')
  if (action === 'users') return (await import('./users.ts')).run(flags, io)
  if (action === 'backup') return (await import('./backup.ts')).run(flags, io)
  if (textFlag(flags, 'replay') !== null) return (await import('./replay.ts')).run(flags, io)
  return serveUntilStopped(flags, io)
}

/** Runs until SIGINT or SIGTERM, then returns 0. */
async function serveUntilStopped(flags: Flags, io: Io): Promise<number> {
  const host = needText(flags, 'host')
  const port = wholeFlag(flags, 'port', 0, 65_535) ?? 8080
  const users = LOGIN.some(name => (io.env[name] ?? '') !== '') ? [credentialsOf(io.env, { kind: 'embedded' })] : []
  const serviceDir = serviceDirOf(flags, io)
  const isGuarded = users.length > 0 || hasUsers(serviceDir)
  if (!LOOPBACK.has(host) && !isGuarded)
    throw new FettleError('FETTLE_USAGE', `--host ${host} is reachable from other machines and requires credentials`, {
      hint: 'Add users (fettle serve users add NAME), or set FETTLE_USERNAME and FETTLE_PASSWORD.',
    })
  const reconcile = isOn(flags, 'reconcile')
  if (!LOOPBACK.has(host) && reconcile)
    throw new FettleError(
      'FETTLE_USAGE',
      `--reconcile has no login and cannot be served to other machines, as --host ${host} does`,
      {
        hint: 'Serve on 127.0.0.1 and connect through a tunnel: ssh -L 8080:127.0.0.1:8080 HOST.',
      },
    )
  const publicUrl = textFlag(flags, 'public-url')
  if (publicUrl !== null && reconcile)
    throw new FettleError('FETTLE_USAGE', '--reconcile has no login and cannot be served under --public-url', {
      hint: 'Serve it without --public-url and connect through a tunnel: ssh -L 8080:127.0.0.1:8080 HOST.',
    })
  const days = wholeFlag(flags, 'keep-uploads', 1, 36_500)
  const dataDir = dataDirOf(io.env)
  const wanted = wantedRegisters({ env: io.env, register: registerFlag(flags) }, null)
  const { registers } = await findRegisters(io.env, wanted)
  const credits = wholeFlag(flags, 'credits', 0, 1_000_000_000)
  const play = needText(flags, 'play') as PlayName
  const rates = readRates(listFlag(flags, 'rate'))
  const service = await serve({
    host,
    port,
    ...(publicUrl === null ? {} : { publicUrl }),
    hosts: listFlag(flags, 'allow-host'),
    trustedProxies: listFlag(flags, 'trust-proxy'),
    dataDir: serviceDir,
    registerDir: registerDirOf(dataDir),
    screeningDir: screeningDirOf(dataDir),
    screensAtOnce: true,
    rates,
    ...(credits === null ? {} : { credits }),
    registers: registers.map(one => one.name),
    users,
    reconcile,
    play,
    ...(days === null ? {} : { limits: { retentionMs: days * DAY_MS } }),
    onWarning: message => io.err(escapeTerminal(`warning: ${message}`)),
    ...(isOn(flags, 'log') ? { log: (line: string) => io.err(line) } : {}),
  })
  for (const issue of await screeningIssues(dataDir)) io.err(printIssue(issue))
  if (!LOOPBACK.has(host))
    io.err(`warning: listening on ${escapeTerminal(host)}: every machine that can connect can try to log in; put TLS in front`)
  if (play !== 'own') io.err(`note: playing ${play}: answers differ from those of fettle's own service (docs/self-hosting.md)`)
  io.out(howToUse(service, publicUrl, users.length > 0, reconcile))
  await new Promise<void>(stopped => {
    if (io.signal.aborted) stopped()
    else io.signal.addEventListener('abort', () => stopped(), { once: true })
  })
  await service.close()
  return EXIT.ok
}

function howToUse(
  service: { url: string; username: string; password: string },
  publicUrl: string | null,
  isOwn: boolean,
  reconcile: boolean,
): string {
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
