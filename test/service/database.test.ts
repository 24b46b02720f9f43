/** What a kill leaves of the database is opened again whole: everything committed, nothing else. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/service/store/database.ts'

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
