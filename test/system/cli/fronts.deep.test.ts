/** The TLS fronts of docs/self-hosting.md, as they stand there, between a run and the service; a front that is not installed is skipped. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { AUTHORITY, GOOD, KEY } from '../faults/certificates.ts'
import { atEnd, folderOf, lastLine, pipelineOf, ROOT, start } from './fettle.ts'
import { CREDENTIALS, realService } from './servers.ts'

const DOCS = readFileSync(join(ROOT, 'docs/self-hosting.md'), 'utf8')
const blockOf = (language: string): string => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(DOCS)?.[1] ?? ''

interface Place {
  readonly folder: string
  readonly port: number
  readonly target: string
  readonly certificate: string
  readonly key: string
}

interface Front {
  readonly version: string
  /** Writes the configuration and gives the arguments to start with. */
  configure(place: Place): string[]
}

const FRONTS: Readonly<Record<string, Front>> = {
  caddy: {
    version: 'version',
    configure({ folder, port, target, certificate, key }) {
      const site = blockOf('caddyfile')
        .replace('fettle.example', `https://localhost:${port}`)
        .replace('127.0.0.1:8080', target)
        .replace('{\n', `{\n\ttls ${certificate} ${key}\n`)
      const path = join(folder, 'Caddyfile')
      writeFileSync(path, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}\n`)
      return ['run', '--config', path, '--adapter', 'caddyfile']
    },
  },
  nginx: {
    version: '-v',
    configure({ folder, port, target, certificate, key }) {
      const server = blockOf('nginx')
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replace('fettle.example;', 'localhost;')
        .replace('/etc/ssl/fettle.example.pem', certificate)
        .replace('/etc/ssl/private/fettle.example.key', key)
        .replace('127.0.0.1:8080', target)
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${folder}/${name};`)
      const path = join(folder, 'nginx.conf')
      writeFileSync(
        path,
        `daemon off;\nmaster_process off;\npid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary.join('\n')}\n${server}\n}\n`,
      )
      return ['-c', path, '-p', folder]
    },
  },
}

/** Starts a front of the service on a port that clients know. */
async function openFront(name: string, front: Front, service: { readonly url: string }, port: number): Promise<void> {
  const folder = folderOf({ 'cert.pem': GOOD, 'key.pem': KEY })
  mkdirSync(join(folder, 'logs'))
  const place = {
    folder,
    port,
    target: new URL(service.url).host,
    certificate: join(folder, 'cert.pem'),
    key: join(folder, 'key.pem'),
  }
  const child = spawn(name, front.configure(place), { env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder } })
  let said = ''
  child.stderr.on('data', text => {
    said += text
  })
  atEnd(() => child.kill('SIGKILL'))
  for (;;) {
    const isOpen = await new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.unref()
    })
    if (isOpen) return
    if (child.exitCode !== null) throw new Error(`${name} ended: ${said}`)
    await wait(50)
  }
}

/** More than the megabyte at which nginx refuses a body unless it is told otherwise. */
const ROWS = `Company Name,Reg No,Country\n${Array.from({ length: 20_000 }, (_, at) => `Acme Ltd of a very long street in a town far away ${at},1,GB`).join('\n')}\n`

const readJson = (url: string): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    get(url, { ca: AUTHORITY }, async reply => {
      let text = ''
      for await (const piece of reply) text += piece
      resolve(JSON.parse(text))
    }).on('error', reject)
  })

describe.each(Object.entries(FRONTS))('%s', (name, front) => {
  const isMissing = spawnSync(name, [front.version]).error !== undefined
  if (isMissing) console.info(`${name} is not installed: its front is not tested`)

  test.skipIf(isMissing)('as documented: a run ends well, links have the public address', async () => {
    const port = await freePort()
    const service = await realService({ publicUrl: `https://localhost:${port}` })
    await openFront(name, front, service, port)
    const url = `https://localhost:${port}/v1`
    const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p'), 'authority.pem': AUTHORITY })
    const env = { ...CREDENTIALS, FETTLE_URL: url, NODE_EXTRA_CA_CERTS: join(cwd, 'authority.pem') }
    const ended = await start(['run', 'p.yml', '--json'], { cwd, env }).ended
    expect(ended.code, ended.stderr).toBe(0)
    expect(lastLine(ended)).toMatchObject({ exitCode: 0 })
    expect(await readJson(`${url}/openapi.json`)).toMatchObject({ servers: [{ url }] })
    // Without the authority nothing is sent.
    const { NODE_EXTRA_CA_CERTS: _, ...unsafe } = env
    const before = service.requests.length
    const refused = await start(['run', 'p.yml', '--json', '--new'], { cwd, env: unsafe }).ended
    expect([refused.code, /FETTLE_TLS/.test(refused.stderr + refused.stdout)]).toEqual([76, true])
    expect(service.requests).toHaveLength(before)
  })

  test.skipIf(isMissing)('without --public-url, by a loopback name: a run ends well', async () => {
    const port = await freePort()
    const service = await realService()
    await openFront(name, front, service, port)
    const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p'), 'authority.pem': AUTHORITY })
    const env = { ...CREDENTIALS, FETTLE_URL: `https://localhost:${port}/v1`, NODE_EXTRA_CA_CERTS: join(cwd, 'authority.pem') }
    const ended = await start(['run', 'p.yml', '--json'], { cwd, env }).ended
    expect(ended.code, ended.stderr).toBe(0)
  })
})
