/** A service over a register that changes from night to night, and runs of a pipeline against it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, connect } from '../../src/client/index.ts'
import type { PipelineInput } from '../../src/index.ts'
import { type ServeOptions, type Service, serve } from '../../src/service/index.ts'
import { importRegister } from '../../src/service/registers/index.ts'
import { type FaultServer, startFaultServer } from '../../src/testing/index.ts'

const USER = { username: 'ann', password: 'the password of ann' }

/** A company of the register, as its import writes it. */
export type Company = Readonly<Record<string, string>> & { readonly id: string; readonly name: string }

export interface Monitored {
  readonly folder: string
  readonly client: Client
  /** Stands before the service, whose address it keeps. */
  readonly front: FaultServer
  readonly env: Record<string, string>
  /** Imports the register again, as of a day in 2026; the service reads it before the next request. */
  importCompanies(companies: readonly Company[], day: number, officers?: string): Promise<void>
  /** Ends the service and starts it again over the same data. */
  restart(): Promise<void>
  pipeline(more: Partial<PipelineInput>): PipelineInput
  close(): Promise<void>
}

export const idOf = ({ id }: Company): string => `GB-X-${id}`

/** `officers`: the text of a file of officers. */
export async function monitored(
  companies: readonly Company[],
  { officers: first, ...options }: Partial<ServeOptions> & { readonly officers?: string } = {},
): Promise<Monitored> {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-monitored-'))
  const registerDir = join(folder, 'registers')
  const dataDir = join(folder, 'data')
  let imports = 0
  let service: Service
  let client: Client | null = null
  let front: FaultServer | null = null
  const importFile = async (all: readonly Company[], day: number, people?: string): Promise<void> => {
    const columns = [...new Set(all.flatMap(one => Object.keys(one)))]
    const text = [columns, ...all.map(one => columns.map(column => one[column] ?? ''))].map(cells => cells.join(',')).join('\n')
    const file = join(folder, `register-${imports++}.csv`)
    writeFileSync(file, `${text}\n`)
    const officers = people === undefined ? undefined : join(folder, 'officers.csv')
    if (officers !== undefined) writeFileSync(officers, people!)
    const now = new Date(Date.UTC(2026, 0, day))
    const snapshotDate = now.toISOString().slice(0, 10)
    await importRegister({ file, officers, name: 'uk', dir: registerDir, now, snapshotDate, force: true })
  }
  const open = async (): Promise<void> => {
    service = await serve({ port: 0, dataDir, registerDir, registers: [], users: [USER], ...options })
    front ??= await startFaultServer({ target: service.url })
    front.retarget(service.url)
    client ??= connect({ url: front.url, ...USER })
    env.FETTLE_URL = front.url
  }
  const env: Record<string, string> = { FETTLE_USERNAME: USER.username, FETTLE_PASSWORD: USER.password, FETTLE_DATA: folder }
  await importFile(companies, 1, first)
  await open()
  return {
    folder,
    get client() {
      return client!
    },
    get front() {
      return front!
    },
    env,
    async importCompanies(all, day, officers) {
      // The service applies changes when it starts.
      await service.close()
      await importFile(all, day, officers)
      await open()
    },
    async restart() {
      await service.close()
      await open()
    },
    pipeline: more => ({
      name: 'watched',
      service: { rate: { requests: 1000, per: '1s' } },
      input: { path: 'in.csv', key: 'ref' },
      mappings: { name: 'name', orgNumber: 'number', countryCode: { value: 'GB' } },
      enrich: { product: 'basic', tags: ['general.connectId', 'general.companyName'] },
      output: 'out.csv',
      poll: { every: '500ms' },
      ...more,
    }),
    async close() {
      await client?.close()
      await front?.close()
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Companies that match each other only by themselves. */
export const companyAt = (at: number): Company => ({
  id: String(10_000_000 + at),
  name: `${word(at)} ${word(at * 7 + 3)} Limited`,
  country: 'GB',
  orgNumber: String(10_000_000 + at),
  address1: `${at} Mill Lane`,
  town: 'Leeds',
  status: 'active',
})

const word = (at: number): string => {
  const parts = ['har', 'ber', 'dol', 'fen', 'gim', 'lor', 'mas', 'nev', 'pol', 'rud']
  const text = String(Math.abs(at) % 10_000)
    .padStart(4, '0')
    .split('')
    .map(digit => parts[Number(digit)])
    .join('')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export const listOf = (companies: readonly Company[]): string =>
  ['ref,name,number', ...companies.map(({ id, name, orgNumber }) => `S-${id},${name},${orgNumber}`), ''].join('\n')
