/** A PostgreSQL of the machine for a test file: in a temporary folder, on a socket, as a user that is not root. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { atFileEnd } from '../../../support/file-end.ts'

/** Where Debian puts each version, the newest first; else those of the path. */
const folders = (): string[] => {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  return [...versions.map(version => `${root}/${version}/bin`), ...(process.env.PATH ?? '').split(':')]
}
const BIN = folders().find(folder => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))) ?? null

/** Whether PostgreSQL is installed. Prints a warning when it is not, since the tests are skipped then. */
export const HAS_POSTGRES = BIN !== null
if (!HAS_POSTGRES)
  process.stderr.write(
    '\n*** PostgreSQL is not installed (apt-get install postgresql): NOTHING OF DATABASES IS TESTED HERE ***\n\n',
  )

/** `nobody`: the server refuses to run as root. */
const NOBODY = 65_534
const asUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

export interface Postgres {
  readonly version: string
  /** An address of the database `test` over the socket, with user and password. */
  readonly url: string
  readonly folder: string
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
  /**
   * An address through a proxy; `cut` breaks its connections, or the next one after so many bytes from the client. From `silence` on, so
   * many bytes of either side pass, and then none, while connections stay open.
   */
  proxy(): Promise<{ readonly url: string; cut(afterBytes?: number): void; silence(afterBytes: number): void }>
}

export async function startPostgres({
  password = 'secret',
  settings = [] as readonly string[],
  tls = null as { cert: string; key: string } | null,
  port = 0,
} = {}): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-pg-'))
  chmodSync(folder, 0o755)
  if ('uid' in asUser) chownSync(folder, NOBODY, NOBODY)
  const data = join(folder, 'data')
  writeFileSync(join(folder, 'pw'), password)
  if ('uid' in asUser) chownSync(join(folder, 'pw'), NOBODY, NOBODY)
  const auth = ['--username=fettle', '--auth=scram-sha-256', `--pwfile=${join(folder, 'pw')}`, '--encoding=UTF8', '--locale=C']
  execFileSync(join(BIN!, 'initdb'), ['-D', data, '--no-sync', ...auth], { ...asUser, cwd: folder, stdio: 'pipe', env: {} })
  const ssl: string[] = []
  if (tls !== null)
    for (const [name, text] of Object.entries(tls)) {
      const file = join(folder, name)
      writeFileSync(file, text, { mode: 0o600 })
      if ('uid' in asUser) chownSync(file, NOBODY, NOBODY)
      ssl.push('-c', `ssl_${name}_file=${file}`)
    }
  const listen = port === 0 ? '' : '127.0.0.1'
  const own = [
    '-c',
    `listen_addresses=${listen}`,
    '-p',
    String(port || 5432),
    '-k',
    folder,
    '-F',
    ...(tls === null ? [] : ['-c', 'ssl=on', ...ssl]),
  ]
  const args = ['-D', data, ...own, ...settings.flatMap(one => ['-c', one])]
  const server = spawn(join(BIN!, 'postgres'), args, { ...asUser, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], env: {} })
  atFileEnd(async () => {
    await ended(server)
    rmSync(folder, { recursive: true, force: true })
  })
  await ready(server)
  const address = `/test?host=${encodeURIComponent(folder)}`
  const url = `postgresql://fettle:${encodeURIComponent(password)}@localhost${port === 0 ? '' : `:${port}`}${address}`
  const config = { host: folder, port: port || 5432, user: 'fettle', password }
  const admin = new pg.Client({ ...config, database: 'postgres' })
  await admin.connect()
  await admin.query('create database test')
  const { rows } = await admin.query('show server_version')
  await admin.end()
  const query: Postgres['query'] = async (sql, values = []) => {
    const client = new pg.Client({ ...config, database: 'test' })
    await client.connect()
    try {
      return (await client.query(sql, [...values])).rows
    } finally {
      await client.end()
    }
  }
  return {
    version: rows[0].server_version,
    url,
    folder,
    query,
    proxy: () => proxyTo(join(folder, `.s.PGSQL.${port || 5432}`), password),
  }
}

const ended = (server: ChildProcess): Promise<void> =>
  new Promise(resolve => {
    if (server.exitCode !== null) return resolve()
    server.once('exit', () => resolve())
    // Connections are ended, and the server with them.
    server.kill('SIGINT')
  })

const ready = (server: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = ''
    server.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('ready to accept connections')) resolve()
    })
    server.once('exit', () => reject(new Error(`postgres ended: ${said}`)))
  })

async function proxyTo(socket: string, password: string): Promise<Awaited<ReturnType<Postgres['proxy']>>> {
  const open = new Set<Socket>()
  let left = Number.POSITIVE_INFINITY
  let passing = Number.POSITIVE_INFINITY
  const passes = (bytes: Buffer): boolean => {
    passing -= bytes.length
    return passing > 0
  }
  const server = createServer(client => {
    const upstream = connect(socket)
    for (const one of [client, upstream]) {
      open.add(one)
      one.on('error', () => {}).on('close', () => open.delete(one))
    }
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    client.on('data', bytes => {
      left -= bytes.length
      if (left <= 0) {
        left = Number.POSITIVE_INFINITY
        end()
      } else if (passes(bytes)) upstream.write(bytes)
    })
    upstream.on('data', bytes => {
      if (passes(bytes)) client.write(bytes)
    })
    client.on('close', end)
    upstream.on('close', end)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  atFileEnd(() => {
    for (const one of open) one.destroy()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return {
    url: `postgresql://fettle:${encodeURIComponent(password)}@127.0.0.1:${port}/test`,
    cut(afterBytes) {
      if (afterBytes !== undefined) left = afterBytes
      else for (const one of open) one.destroy()
    },
    silence(afterBytes) {
      passing = afterBytes
    },
  }
}

/** A certificate of its own authority for `localhost`, null where openssl is missing. */
export function selfSigned(): { readonly cert: string; readonly key: string } | null {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-cert-'))
  const args = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    'key',
    '-out',
    'cert',
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
  ]
  const { status } = spawnSync('openssl', [...args, '-addext', 'subjectAltName=DNS:localhost'], { cwd: folder, stdio: 'ignore' })
  const read = (name: string): string => execFileSync('cat', [join(folder, name)], { encoding: 'utf8' })
  const found = status === 0 ? { cert: read('cert'), key: read('key') } : null
  rmSync(folder, { recursive: true, force: true })
  return found
}
