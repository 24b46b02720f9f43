/**
 * The target of the contract suite: the service named by FETTLE_CONTRACT_URL, FETTLE_CONTRACT_USERNAME and
 * FETTLE_CONTRACT_PASSWORD, or the embedded service with a small register, in the play of the project (vitest.config.ts).
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { inject } from 'vitest'
import { type PlayName, serve } from '../../src/service/index.ts'
import { PLAYS, type Play } from '../../src/service/plays.ts'
import { importRegister } from '../../src/service/registers/index.ts'

declare module 'vitest' {
  interface ProvidedContext {
    play: PlayName | undefined
  }
}

/** A service to test. */
export interface Target {
  readonly url: string
  readonly username: string
  readonly password: string
  /** Another user of the same service; null when none is named: FETTLE_CONTRACT_OTHER_USERNAME and FETTLE_CONTRACT_OTHER_PASSWORD. */
  readonly other: { readonly username: string; readonly password: string } | null
  /** Companies of the service, two of them in different countries. */
  readonly companies: readonly [string, string]
  /** Not ours: it is polled slowly, and only what is documented is expected of it. */
  readonly isRemote: boolean
  /** What our own service plays. */
  readonly play: Play
  pause(): Promise<unknown>
  close(): Promise<void>
}

const REGISTER = `id,name,country,orgNumber,vatNumber,tradingNames,previousNames,address1,address2,town,postcode,phone,email,website,status
1,NORTHGATE FASTENERS LIMITED,GB,01234567,GB123456789,Northgate,,1 Mill Lane,,Leeds,LS1 4AP,01130000001,a@northgate.example,northgate.example,active
2,BAKERY LUMIERE SARL,FR,552100554,,,,2 rue Haute,,Lyon,69001,,,,active
3,VAN DIJK LOGISTIEK BV,NL,34567890,,,,3 Kade,,Rotterdam,3011AA,,,,active
4,HARTMANN DRUCKGUSS GMBH,DE,HRB 4711,,,Alte Gießerei GmbH,Hafenstraße 7,,Bremen,28195,,,,dissolved
`

const OFFICERS = `companyId,personId,name,firstName,lastName,position,appointed,resigned,dateOfBirth,country,nationality
1,9001,,Ann,Sample,Director,2010-02-01,,1970-05-17,GB,British
4,9001,,Ann,Sample,Managing director,2012-01-01,2015-06-30,1970-05-17,GB,British
1,9002,,Per,Exempel,Secretary,2001-01-01,2004-12-31,1960-01,SE,Swedish
1,,NORTHGATE HOLDINGS LIMITED,,,Corporate director,2018-03-03,,,GB,
`

const USERS = [
  { username: 'ann', password: 'the password of ann' },
  { username: 'bob', password: 'the password of bob' },
] as const

/** The target; to be closed by the caller. */
export async function openTarget(): Promise<Target> {
  const { FETTLE_CONTRACT_URL: url, FETTLE_CONTRACT_USERNAME: username, FETTLE_CONTRACT_PASSWORD: password } = process.env
  if (url !== undefined && username !== undefined && password !== undefined) {
    const {
      FETTLE_CONTRACT_OTHER_USERNAME: name,
      FETTLE_CONTRACT_OTHER_PASSWORD: secret,
      FETTLE_CONTRACT_COMPANIES,
    } = process.env
    const other = name === undefined || secret === undefined ? null : { username: name, password: secret }
    const [first = 'GB-0-03836192', second = 'US-X-US22384484'] = FETTLE_CONTRACT_COMPANIES?.split(',') ?? []
    return {
      url,
      username,
      password,
      other,
      companies: [first, second],
      isRemote: true,
      play: PLAYS.own,
      pause: () => setTimeout(2_000),
      close: async () => {},
    }
  }
  const play = inject('play') ?? 'own'
  const folder = await mkdtemp(join(tmpdir(), 'fettle-contract-'))
  const file = join(folder, 'register.csv')
  const registerDir = join(folder, 'registers')
  await writeFile(file, REGISTER)
  const officers = join(folder, 'officers.csv')
  await writeFile(officers, OFFICERS)
  await importRegister({ file, officers, name: 'small', dir: registerDir, now: new Date(Date.UTC(2026, 0, 15)) })
  const service = await serve({ dataDir: join(folder, 'state'), registerDir, registers: [], users: USERS, play })
  const close = async (): Promise<void> => {
    await service.close()
    await rm(folder, { recursive: true, force: true })
  }
  const [{ username: user, password: secret }, other] = USERS
  const companies = ['GB-X-01234567', 'FR-X-552100554'] as const
  return {
    url: service.url,
    username: user,
    password: secret,
    other,
    companies,
    isRemote: false,
    play: PLAYS[play],
    pause: () => setImmediate(),
    close,
  }
}
