/** What a kill leaves of the database is opened again whole: everything committed, nothing else. */
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import { expect, onTestFinished, test } from 'vitest'
import { addUser } from '../../../src/service/index.ts'
import { openEvents } from '../../../src/service/monitoring/events-store.ts'
import { openImports } from '../../../src/service/portfolios/importer.ts'
import { PortfolioStore } from '../../../src/service/portfolios/store.ts'
import { openDatabase, openOwnerNumbers } from '../../../src/service/storage/database.ts'
import { eventually } from '../../support/eventually.ts'
import { HandClock, logIn, startService, temporaryFolder } from './kit.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'fettle-database-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** The files as they lie there at this moment: what a process killed now would leave, its lock included. */
function asKilled(directory: string): string {
  const copy = folder()
  for (const name of readdirSync(directory)) {
    if (statSync(join(directory, name)).isDirectory()) mkdirSync(join(copy, name))
    else copyFileSync(join(directory, name), join(copy, name))
  }
  return copy
}

const names = (directory: string): string[] => {
  const database = openDatabase(directory)
  try {
    expect(database.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' })
    return database.all<{ username: string }>('SELECT username FROM users ORDER BY id').map(({ username }) => username)
  } finally {
    database.close()
  }
}

const INSERT = 'INSERT INTO users (username) VALUES (?)'

test('killed in the middle of a transaction that has reached the disk: what was committed before', () => {
  const directory = folder()
  const database = openDatabase(directory)
  const committed = Array.from({ length: 400 }, (_, n) => `${n} ${'x'.repeat(20_000)}`)
  database.transaction(() => {
    for (const name of committed) database.run(INSERT, [name])
  })
  let killed = ''
  database.transaction(() => {
    // More than the cache holds, so that pages are written over before the commit.
    database.run("UPDATE users SET username = replace(username, 'x', 'y')")
    killed = asKilled(directory)
  })
  database.close()
  expect(names(killed)).toEqual(committed)
  expect(names(directory)).toEqual(committed.map(name => name.replaceAll('x', 'y')))
})

test('killed after a commit: the commit', () => {
  const directory = folder()
  const database = openDatabase(directory)
  database.run(INSERT, ['one'])
  const killed = asKilled(directory)
  database.close()
  expect(names(killed)).toEqual(['one'])
})

test('killed before the first commit: an empty database', () => {
  const directory = folder()
  writeFileSync(join(directory, 'jobs.db'), Buffer.alloc(4096))
  writeFileSync(join(directory, 'jobs.db-journal'), Buffer.alloc(512))
  mkdirSync(join(directory, 'jobs.db.lock'))
  expect(names(directory)).toEqual([])
})

test.each([1, 99])('a database of version %i is named', version => {
  const directory = folder()
  const other = new sqlite.Database(join(directory, 'jobs.db'))
  other.exec(`CREATE TABLE users (id INTEGER PRIMARY KEY); PRAGMA user_version = ${version}`)
  other.close()
  expect(() => openDatabase(directory)).toThrow(directory)
})

test('numbers are random, and events can be listed by their times and by their numbers', () => {
  const database = openDatabase(folder())
  onTestFinished(() => database.close())
  const [portfolios, imports, numberOf] = [new PortfolioStore(database), openImports(database), openOwnerNumbers(database)]
  const owner = numberOf('ann')
  const made = Array.from({ length: 50 }, (_, n) => portfolios.create(owner, { name: `n${n}` }).id)
  const [portfolio] = made as [number]
  const events = openEvents(database, () => 1)
  const rule = { code: 104, name: 'Company Name' } as Parameters<typeof events.add>[1]['rule']
  for (let n = 0; n < 50; n++) events.add('GB-1', { rule, old: 'a', new: String(n), notices: [{ portfolio, text: '' }] }, n)
  const listed = { user: { id: owner, person: owner }, sortBy: 'eventDate', sortDir: 'asc', limit: 99, offset: 0 } as const
  const notices = events.list(listed).notices
  expect(notices.map(notice => notice.new)).toEqual(Array.from({ length: 50 }, (_, n) => String(n)))
  const byNumber = events.list({ ...listed, sortBy: 'eventId' }).notices.map(notice => notice.event)
  expect(byNumber).toEqual(byNumber.toSorted((a, b) => a - b))
  const accepted = Array.from({ length: 50 }, (_, n) => {
    return imports.add({ portfolio, kind: 'import', file: `${n}.csv`, accepted: 0 }).id
  })
  const tenants = Array.from({ length: 50 }, (_, n) => numberOf(`tenant ${n}`))
  for (const numbers of [made, notices.map(({ id }) => id), notices.map(({ event }) => event), accepted, tenants]) {
    expect(new Set(numbers).size).toBe(50)
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(100_000_000)
    expect(Math.max(...numbers)).toBeLessThanOrEqual(999_999_999)
    const steps = numbers.slice(1).map((number, index) => Math.abs(number - (numbers[index] ?? 0)))
    expect(Math.max(...steps)).toBeGreaterThan(10_000_000)
    expect(steps).not.toContain(1)
  }
  imports.done(accepted[0]!)
  expect(imports.next()?.id).toBe(accepted[1])
})

/** A data directory with a job, its upload and results, and a database that was closed. */
async function served(): Promise<string> {
  const directory = await temporaryFolder()
  const service = await startService({ dataDir: directory, users: USERS })
  const caller = await logIn(service)
  await caller.reach(await caller.submitted('name\nAcme Ltd\n'), 'jobMatchingComplete')
  await service.close()
  return directory
}
const USERS = [{ username: 'u', password: 'p' }]

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

/** Every file below a folder with the digest of its content; locks aside. */
function contents(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter(one => one.isFile())
  const paths = names.map(one => join(one.parentPath, one.name)).filter(path => !path.endsWith('lock'))
  return Object.fromEntries(paths.sort().map(path => [path.slice(directory.length), digestOf(path)]))
}

test.each<[string, RegExp, (path: string) => void]>([
  ['missing', /jobs\.db is missing, but its files exist: 1 in uploads\/, 1 in files\/\./, path => rmSync(path)],
  ['empty', /jobs\.db is empty, .*1 in uploads\//, path => truncateSync(path, 0)],
  [
    'missing and its log there',
    /jobs\.db is missing, .*: jobs\.db-wal, 1 in uploads\//,
    path => {
      rmSync(path)
      writeFileSync(`${path}-wal`, Buffer.alloc(5_000, 'x'))
    },
  ],
  [
    'one of SQLite without our tables',
    /jobs\.db has no tables/,
    path => {
      rmSync(path)
      const other = new sqlite.Database(path)
      other.exec('PRAGMA locking_mode = EXCLUSIVE')
      other.get('PRAGMA journal_mode = WAL')
      other.exec('CREATE TABLE other (id)')
      other.close()
    },
  ],
  [
    'cut to its first page, with a journal of an unbegun one',
    /jobs\.db is empty/,
    path => {
      truncateSync(path, 4096)
      writeFileSync(`${path}-journal`, Buffer.alloc(512))
    },
  ],
])('a database that is %s beside files of jobs is refused, and every file stays', async (_, message, damage) => {
  const directory = await served()
  damage(join(directory, 'jobs.db'))
  const before = contents(directory)
  for (const _twice of [1, 2]) {
    const fault = await startService({ dataDir: directory, users: USERS }).catch((error: unknown) => error)
    expect(fault).toMatchObject({ code: 'FETTLE_SETTINGS', message: expect.stringMatching(message) })
    expect(fault).toMatchObject({ hint: expect.stringMatching(/^Restore jobs\.db .*move .* away/) })
    expect(contents(directory)).toEqual(before)
  }
})

test('users and half-written files alone do not keep a service from beginning', async () => {
  const directory = await temporaryFolder()
  await addUser(directory, { username: 'ann', password: 'correct horse battery', role: 'reader', now: new Date(0) })
  mkdirSync(join(directory, 'uploads'))
  writeFileSync(join(directory, 'uploads', 'a.csv.part'), 'half')
  await startService({ dataDir: directory })
  expect(readdirSync(join(directory, 'uploads'))).toEqual([])
})

test('files that an older database does not name are moved aside with a warning, and removed after the retention time', async () => {
  const directory = await served()
  const older = readFileSync(join(directory, 'jobs.db'))
  const service = await startService({ dataDir: directory, users: USERS })
  const caller = await logIn(service)
  const second = await caller.submitted('name\nBolt Ltd\n')
  await caller.reach(second, 'jobMatchingComplete')
  await service.close()
  const before = Object.values(contents(directory))
  for (const name of ['jobs.db', 'jobs.db-wal']) rmSync(join(directory, name), { force: true })
  writeFileSync(join(directory, 'jobs.db'), older)

  const clock = new HandClock()
  const warnings: string[] = []
  const onWarning = (message: string): void => void warnings.push(message)
  const limits = { retentionMs: 60_000, retentionCheckMs: 1_000 }
  await startService({ dataDir: directory, users: USERS, clock, limits, onWarning })
  expect(warnings).toEqual([expect.stringMatching(/^files that the database does not name were moved to .*aside: 2\./)])
  const aside = readdirSync(join(directory, 'aside'))
  expect(aside.filter(name => name.startsWith(second))).toHaveLength(1)
  expect(aside).toHaveLength(2)
  for (const name of aside) expect(before).toContain(digestOf(join(directory, 'aside', name)))
  clock.move(59_000)
  expect(readdirSync(join(directory, 'aside'))).toHaveLength(2)
  clock.move(2_000)
  await eventually(() => {
    // The first round may still be under way: its pause begins when it ends.
    clock.move(1_000)
    expect(readdirSync(join(directory, 'aside'))).toEqual([])
  })
})

test('files that retention left of a stored job are removed, not moved aside', async () => {
  const directory = await served()
  const [name = ''] = readdirSync(join(directory, 'files'))
  const database = openDatabase(directory)
  database.run("UPDATE jobs SET record = json_set(record, '$.upload', NULL)")
  database.close()
  rmSync(join(directory, 'uploads'), { recursive: true })
  const warnings: string[] = []
  await startService({ dataDir: directory, users: USERS, onWarning: message => void warnings.push(message) })
  expect([name, readdirSync(join(directory, 'files')), warnings]).toEqual([expect.stringMatching(/results/), [], []])
})
