/** Process locks: one winner of many processes, takeover from dead owners only. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import { type LockOwner, lockHolder, takeLock } from '../../../src/files/process-lock.ts'
import { ERRORS } from '../../support/error-sources.ts'
import { freshFolder } from '../journal/fresh-folder.ts'

const NOW = Date.UTC(2025, 0, 1)
const now = (): number => NOW

let path: string
beforeEach(() => {
  path = join(freshFolder(), 'run.lock')
})

const owner = (change: Partial<LockOwner> = {}): LockOwner => ({
  pid: process.pid,
  host: hostname(),
  since: '2024-12-31T23:00:00.000Z',
  token: 'theirs',
  ...change,
})

const leave = (who: LockOwner | string): void => writeFileSync(path, typeof who === 'string' ? who : JSON.stringify(who))

function refusal(): FettleError {
  try {
    takeLock(path, now)
  } catch (error) {
    if (FettleError.is(error)) return error
  }
  throw new Error('the lock was given')
}

/** The number of a process that has just ended. */
async function deadPid(): Promise<number> {
  const child = fork('-e', { execArgv: ['-e', '0'], stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid!
}

describe('one process', () => {
  test('holds what it took, is named to others, and leaves nothing behind', () => {
    const lock = takeLock(path, now)
    expect([lock.held(), lock.takenFrom]).toEqual([true, null])
    expect(lock.owner).toMatchObject({ pid: process.pid, host: hostname(), since: '2025-01-01T00:00:00.000Z' })
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(lock.owner)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(refusal()).toMatchObject({ code: 'FETTLE_LOCKED', exitCode: 75 })
    expect(refusal().message).toBe(
      `process ${process.pid} on ${hostname()} since 2025-01-01T00:00:00.000Z holds the lock ${path}`,
    )
    lock.release()
    expect(readdirSync(dirname(path))).toEqual([])
  })

  test('can take again what it let go', () => {
    takeLock(path, now).release()
    const lock = takeLock(path, now)
    expect(lock.held()).toBe(true)
    lock.release()
  })

  test('notices that it was judged dead, and does not let go of another’s lock', () => {
    const lock = takeLock(path, now)
    leave(owner({ pid: 1 }))
    expect(lock.held()).toBe(false)
    lock.beat()
    lock.release()
    expect(existsSync(path)).toBe(true)
  })

  test('cannot write where there is no folder: 73', () => {
    path = join(path, 'nowhere', 'run.lock')
    expect(refusal()).toMatchObject({ code: 'FETTLE_OUTPUT_WRITE', exitCode: 73 })
  })
})

describe('a lock that is left over', () => {
  test('of a process that ended here is taken over, at once and in silence on disk', async () => {
    const dead = owner({ pid: await deadPid() })
    leave(dead)
    const lock = takeLock(path, now)
    expect(lock.takenFrom).toEqual(dead)
    expect(readdirSync(dirname(path))).toEqual(['run.lock'])
    lock.release()
  })

  test('of an earlier process with our own number is taken over: in a container all are number 1', () => {
    leave(owner())
    const lock = takeLock(path, now)
    expect(lock.takenFrom?.token).toBe('theirs')
    lock.release()
  })

  test('of an earlier process with the number of a living one is taken over: numbers begin again with the machine', () => {
    const pid = process.ppid
    leave(owner({ pid, began: '1' }))
    const lock = takeLock(path, now)
    expect(lock.takenFrom).toMatchObject({ pid, began: '1' })
    lock.release()
  })

  test.runIf(process.platform === 'linux')('of a living process that began when the lock says is respected', () => {
    const pid = process.ppid
    const began = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19]
    leave(owner({ pid, began: began! }))
    expect(refusal().message).toContain(`process ${pid} on`)
    expect(lockHolder(path, now)).toMatchObject({ pid })
  })

  test('leaves drafts and wills of dead processes, which the next owner removes; files of living processes stay', async () => {
    const pid = await deadPid()
    writeFileSync(`${path}.draft`, JSON.stringify(owner({ pid })))
    writeFileSync(`${path}.after.long-ago`, JSON.stringify(owner({ pid })))
    writeFileSync(`${path}.living`, JSON.stringify(owner({ pid: 1 })))
    writeFileSync(`${path}.torn`, '{')
    utimesSync(`${path}.torn`, NOW / 1000, NOW / 1000)
    writeFileSync(`${path}-other`, JSON.stringify(owner({ pid })))
    const lock = takeLock(path, now)
    expect(readdirSync(dirname(path)).sort()).toEqual(['run.lock', 'run.lock-other', 'run.lock.living', 'run.lock.torn'])
    lock.release()
  })

  test('is taken over when a claimant died while taking it over', async () => {
    const pid = await deadPid()
    leave(owner({ pid, token: 'first' }))
    writeFileSync(`${path}.after.first`, JSON.stringify(owner({ pid, token: 'second' })))
    const lock = takeLock(path, now)
    expect([lock.held(), lock.takenFrom?.token]).toEqual([true, 'first'])
    expect(readdirSync(dirname(path))).toEqual(['run.lock'])
    lock.release()
  })

  test('with an heir that lives is the heir’s', async () => {
    leave(owner({ pid: await deadPid(), token: 'first' }))
    writeFileSync(`${path}.after.first`, JSON.stringify(owner({ pid: 1, token: 'second' })))
    expect(refusal().message).toContain('process 1 on')
  })

  test('stays with a process that took it over in the meantime', async () => {
    leave(owner({ pid: await deadPid(), token: 'first' }))
    const { kill } = process
    onTestFinished(() => {
      process.kill = kill
    })
    // The moment the owner is found dead, another process takes over from it, all the way.
    process.kill = (pid, signal) => {
      process.kill = kill
      leave(owner({ pid: 1, token: 'second' }))
      return kill.call(process, pid, signal)
    }
    expect(refusal().message).toContain('process 1 on')
    expect(JSON.parse(readFileSync(path, 'utf8')).token).toBe('second')
    expect(readdirSync(dirname(path))).toEqual(['run.lock'])
  })

  test('of a process that lives here is respected, also when we may not signal it (EPERM)', () => {
    // Number 1 always lives; unless we are root it belongs to somebody else.
    leave(owner({ pid: 1 }))
    expect(refusal().message).toContain('process 1 on')
    const kill = process.kill
    onTestFinished(() => {
      process.kill = kill
    })
    process.kill = () => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' })
    }
    leave(owner({ pid: 4_000_000 }))
    expect(refusal().message).toContain('process 4000000 on')
  })

  test.each([
    ['another host', JSON.stringify(owner({ host: 'elsewhere' }))],
    ['nobody who can be read', '{"pid":'],
  ])('of %s counts as alive for ten minutes after its last beat', (_, text) => {
    leave(text)
    utimesSync(path, NOW / 1000 - 599, NOW / 1000 - 599)
    expect(refusal().code).toBe('FETTLE_LOCKED')
    utimesSync(path, NOW / 1000 - 601, NOW / 1000 - 601)
    const lock = takeLock(path, now)
    expect(lock.held()).toBe(true)
    lock.release()
  })

  test('is kept fresh by a beat', () => {
    const lock = takeLock(path, now)
    utimesSync(path, 0, 0)
    lock.beat()
    expect(statSync(path).mtimeMs).toBe(NOW)
    lock.release()
  })
})

describe('a dead process that was not reaped yet', () => {
  // A container whose first process does not reap would hold the pipeline for good.
  test.runIf(process.platform === 'linux')('does not hold its lock', async () => {
    // The child ends after the shell has become a process that collects nobody: a shell would have.
    const parent = spawn('sh', ['-c', 'exec 3<&0; cat <&3 & echo $!; exec sleep 30'])
    onTestFinished(() => void parent.kill())
    const [line] = await once(parent.stdout, 'data')
    const pid = Number(String(line))
    while (readFileSync(`/proc/${parent.pid}/comm`, 'utf8') !== 'sleep\n') await setImmediate()
    parent.stdin.end()
    while (!/^ Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').at(-1) ?? '')) await setImmediate()
    writeFileSync(path, JSON.stringify(owner({ pid })))
    expect(takeLock(path, now).takenFrom).toMatchObject({ pid })
  })
})

describe('looking at a lock', () => {
  test('returns a living owner, and null for a free lock, a dead owner or an unreadable one', async () => {
    expect(lockHolder(path, now)).toBeNull()
    leave('{')
    expect(lockHolder(path, now)).toBeNull()
    leave(owner({ pid: await deadPid() }))
    expect(lockHolder(path, now)).toBeNull()
    leave(owner({ pid: 1 }))
    expect(lockHolder(path, now)).toMatchObject({ pid: 1 })
  })
})

describe('four processes', () => {
  let built: string
  let racers: ChildProcess[]

  beforeAll(async () => {
    // Node 20 cannot run TypeScript: the files the lock consists of are compiled for the children.
    built = mkdtempSync(join(tmpdir(), 'fettle-lock-'))
    for (const name of ['files', 'errors']) mkdirSync(join(built, name))
    writeFileSync(join(built, 'package.json'), '{"type":"module"}')
    for (const name of [...ERRORS, 'files/process-lock', 'process', 'files/kept-files', 'files/durable']) {
      const source = readFileSync(new URL(`../../../src/${name}.ts`, import.meta.url), 'utf8')
      const compilerOptions = {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2022,
        rewriteRelativeImportExtensions: true,
      }
      writeFileSync(join(built, `${name}.js`), ts.transpileModule(source, { compilerOptions }).outputText)
    }
    copyFileSync(fileURLToPath(new URL('lock-racer.js', import.meta.url)), join(built, 'files/racer.js'))
    racers = Array.from({ length: 4 }, () => fork(join(built, 'files/racer.js'), { execArgv: [] }))
    await Promise.all(racers.map(racer => once(racer, 'message')))
  })

  afterAll(async () => {
    await Promise.all(
      racers.map(racer => {
        const gone = once(racer, 'exit')
        racer.kill()
        return gone
      }),
    )
    rmSync(built, { recursive: true })
  })

  const all = (ask: 'take' | 'held' | 'release'): Promise<(string | boolean)[]> =>
    Promise.all(
      racers.map(async racer => {
        const answer = once(racer, 'message')
        racer.send({ ask, path })
        return (await answer)[0]
      }),
    )

  test('one wins, in twenty rounds of twenty', async () => {
    for (let round = 0; round < 20; round++) {
      const answers = await all('take')
      expect(answers.toSorted(), `round ${round}`).toEqual(['FETTLE_LOCKED', 'FETTLE_LOCKED', 'FETTLE_LOCKED', 'taken'])
      expect(JSON.parse(readFileSync(path, 'utf8')).pid).toBe(racers[answers.indexOf('taken')]?.pid)
      await all('release')
      expect(readdirSync(dirname(path))).toEqual([])
    }
  })

  test('one takes over from the dead, in twenty rounds of twenty', async () => {
    const pid = await deadPid()
    for (let round = 0; round < 20; round++) {
      leave(owner({ pid, token: `dead-${round}` }))
      await all('take')
      // Who was overtaken while taking over learns it from held(), which is asked again before every effect.
      expect(
        (await all('held')).filter(held => held === true),
        `round ${round}`,
      ).toHaveLength(1)
      await all('release')
      expect(readdirSync(dirname(path))).toEqual([])
    }
  })
})
