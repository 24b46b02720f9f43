/** `fettle serve`: the embedded service by itself, up until it is told to stop. */
import { join, resolve } from 'node:path'
import { credentialsOf, dataDirOf, ensureRegister, registerDirOf, screeningDirOf, screeningIssues } from '../../compose.ts'
import { EXIT, FettleError } from '../../errors.ts'
import { escapeTerminal } from '../../report/index.ts'
import { serve } from '../../service/index.ts'
import type { Flags } from '../command.ts'
import { isOn, listFlag, needText, textFlag, wholeFlag } from '../flags.ts'
import type { Io } from '../io.ts'
import { printIssue } from '../print-error.ts'

/** Any of these set means that the login is to be one's own. */
const LOGIN = ['FETTLE_USERNAME', 'FETTLE_PASSWORD', 'FETTLE_PASSWORD_FILE']
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost'])

/** Serves until SIGINT or SIGTERM, which for a server is a good end. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const host = needText(flags, 'host')
  const port = wholeFlag(flags, 'port', 0, 65_535) ?? 8080
  const users = LOGIN.some(name => (io.env[name] ?? '') !== '') ? [credentialsOf(io.env, {})] : []
  if (!LOOPBACK.has(host) && users.length === 0)
    throw new FettleError('FETTLE_USAGE', `--host ${host} is open to other machines and needs credentials of your own`, {
      hint: 'Set FETTLE_USERNAME and FETTLE_PASSWORD.',
    })
  const dataDir = dataDirOf(io.env)
  const chosen = listFlag(flags, 'register')
  const available = await ensureRegister(dataDir)
  if (chosen.length === 0) for (const issue of available.issues) io.say(printIssue(issue))
  const credits = wholeFlag(flags, 'credits', 0, 1_000_000_000)
  const data = textFlag(flags, 'data')
  const service = await serve({
    host,
    port,
    dataDir: data === null ? join(dataDir, 'service') : resolve(io.cwd, data),
    registerDir: registerDirOf(dataDir),
    screeningDir: screeningDirOf(dataDir),
    screensAtOnce: true,
    ...(credits === null ? {} : { credits }),
    registers: chosen.length > 0 ? chosen : [...available.names],
    users,
    ...(isOn(flags, 'log') ? { log: (line: string) => io.say(line) } : {}),
  })
  for (const issue of await screeningIssues(dataDir)) io.say(printIssue(issue))
  if (!LOOPBACK.has(host))
    io.say(
      `warning: listening on ${escapeTerminal(host)}: anybody who can reach this machine can try to log in; put TLS in front`,
    )
  io.out(howToUse(service, users.length > 0))
  await new Promise<void>(stopped => {
    if (io.signal.aborted) stopped()
    else io.signal.addEventListener('abort', () => stopped(), { once: true })
  })
  await service.close()
  return EXIT.ok
}

function howToUse(service: { url: string; username: string; password: string }, isOwn: boolean): string {
  const password = isOwn ? '…' : service.password
  return [
    `listening on ${service.url}`,
    '',
    'Use it from another terminal:',
    `  export FETTLE_URL=${service.url} FETTLE_USERNAME=${service.username} FETTLE_PASSWORD=${password}`,
    '  fettle run pipelines/suppliers.yml --service "$FETTLE_URL"',
    '',
    'Ctrl-C stops it.',
  ].join('\n')
}
