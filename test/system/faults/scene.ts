/**
 * The environment of every cell: one real service over a small register, and for each cell a folder with a pipeline and its
 * input. Folders are in memory if the machine has such a file system, because a thousand runs sync their journals.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Service, serve } from '../../../src/service/index.ts'
import { importRegister } from '../../../src/service/registers/index.ts'
import type { ServiceAccess } from '../../support/check-run/evidence.ts'
import { memoryFolder } from '../../support/memory-folder.ts'

const CREDENTIALS = { username: 'conformance', password: 'canary-password-of-the-faults' }

const REGISTER = [
  'id,name,country,orgNumber,town',
  'c1,Harrow Optics Limited,GB,10000001,Leeds',
  'c2,Bellbrook Dairy Limited,GB,10000002,York',
  'c3,Cragstone Freight Limited,GB,10000003,Hull',
  'c4,Dalefield Textiles Limited,GB,10000004,Leeds',
].join('\n')
const INPUT = [
  'ref,Company,No,Country',
  'a,Harrow Optics Ltd,10000001,GB',
  'b,Bellbrook Dairy,,GB',
  'c,Cragstone Freight Limited,10000003,GB',
  'd,Dalefield Textile Ltd,,GB',
  'e,Nobody Knows Them GmbH,,DE',
  '',
].join('\n')
const pipeline = (input: string) => ({
  name: 'conformance',
  input: { path: input, key: 'ref' },
  mappings: { name: 'Company', orgNumber: 'No', country: 'Country' },
  enrich: { product: 'basic', tags: ['general.connectId', 'general.companyName'] },
  poll: { every: '2s', max: '30s', timeout: '1h' },
  output: { path: 'out.csv', columns: ['*', 'general.connectId', 'match.outcome', 'match.score'], unmatched: 'unmatched.csv' },
})

/** A folder to run in. */
export interface Folder {
  readonly path: string
  readonly input: string
  /** The input as it was planned. */
  readonly original: string
  readonly rows: number
  readonly pipeline: string
  readonly runsDir: string
  env(url: string): NodeJS.ProcessEnv
  /** What the run has written, null while any of it is missing. */
  output(): string | null
  remove(): void
}

/** The service and what cells need besides. */
export interface Scene {
  readonly service: Service
  /** The way of the judge to the service, past every fault. */
  readonly access: ServiceAccess
  folder(): Folder
  close(): Promise<void>
}

export async function openScene(): Promise<Scene> {
  const base = mkdtempSync(join(memoryFolder(), 'fettle-faults-'))
  const register = join(base, 'register.csv')
  writeFileSync(register, REGISTER)
  const registerDir = join(base, 'registers')
  await importRegister({ file: register, name: 'small', dir: registerDir, now: new Date('2026-01-01T00:00:00Z') })
  const service = await serve({ port: 0, dataDir: join(base, 'service'), registerDir, registers: [], users: [CREDENTIALS] })
  const { url, username, password } = service
  const login = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ username, password }) }
  const { token } = (await (await fetch(`${url}/authenticate`, login)).json()) as { token: string }
  return {
    service,
    access: { url, username, password, token },
    folder: () => makeFolder(mkdtempSync(join(base, 'cell-')), base),
    async close() {
      await service.close()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

function makeFolder(path: string, data: string): Folder {
  const input = join(path, 'in.csv')
  const file = join(path, 'pipeline.json')
  writeFileSync(input, INPUT)
  writeFileSync(file, JSON.stringify(pipeline(input)))
  return {
    path,
    input,
    original: INPUT,
    rows: INPUT.trimEnd().split('\n').length - 1,
    pipeline: file,
    runsDir: join(path, 'fettle-runs'),
    env: url => ({
      FETTLE_URL: url,
      FETTLE_USERNAME: CREDENTIALS.username,
      FETTLE_PASSWORD: CREDENTIALS.password,
      FETTLE_DATA: data,
    }),
    output() {
      try {
        return ['out.csv', 'unmatched.csv'].map(name => readFileSync(join(path, name), 'utf8')).join('\n')
      } catch {
        return null
      }
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
