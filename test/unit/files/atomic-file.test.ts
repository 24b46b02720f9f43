import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { afterEach, describe, expect, it } from 'vitest'
import { checkWritable, openSink, removeFile, writeAtomic } from '../../../src/files/atomic-file.ts'
import { sweepBeside, sweepFolder, temporaryName } from '../../../src/files/stale-temp-files.ts'
import { ERRORS } from '../../support/error-sources.ts'
import { folder, names, sha256, shell, text } from '../input/kit.ts'

const refusal = (path: string, why: string) => ({
  code: 'FETTLE_OUTPUT_WRITE',
  exitCode: 73,
  message: expect.stringMatching(`${path}.*${why}`),
})

describe('a sink', () => {
  it('shows the file only when it is whole, synced and named', async () => {
    const root = folder()
    writeFileSync(join(root, 'out.csv'), 'old')
    const sink = await openSink('out.csv', { root })
    await sink.write(Buffer.from('new '))
    await sink.write(Buffer.from('text'))
    expect(text(join(root, 'out.csv'))).toBe('old')
    expect(await sink.finish()).toBe(sha256('new text'))
    expect(text(join(root, 'out.csv'))).toBe('old')
    await sink.publish()
    await sink.discard()
    expect([text(join(root, 'out.csv')), sink.bytes, names(root)]).toEqual(['new text', 8, ['out.csv']])
  })

  it('does not create a missing root, which may be a volume that is not mounted', async () => {
    const root = folder()
    const [away, there] = [join(folder(), 'away'), folder()]
    await expect(openSink(join(away, 'a/out.csv'), { root, roots: [away] })).rejects.toMatchObject({
      ...refusal('out.csv', `its folder ${away} does not exist`),
      hint: expect.stringContaining('Create or mount this folder'),
    })
    const sink = await openSink(join(there, 'a/out.csv'), { root, roots: [away, there] })
    await sink.discard()
    expect(names(there)).toEqual(['a'])
  })

  it('leaves nothing behind when it is discarded', async () => {
    const root = folder()
    const sink = await openSink('a/out.csv', { root })
    await sink.write(Buffer.from('half'))
    await sink.discard()
    expect(names(join(root, 'a'))).toEqual([])
  })

  it('S4: makes files 0600 and folders 0700 under any umask; shared ones as the umask leaves them', async () => {
    const modesUnder = async (umask: number, isShared: boolean): Promise<string[]> => {
      const before = process.umask(umask)
      try {
        const root = folder()
        const sink = await openSink('a/b/out.csv', { root, isShared })
        await sink.finish()
        await sink.publish()
        return ['a/b/out.csv', 'a', 'a/b'].map(name => (statSync(join(root, name)).mode & 0o777).toString(8))
      } finally {
        process.umask(before)
      }
    }
    expect(await modesUnder(0, false)).toEqual(['600', '700', '700'])
    expect(await modesUnder(0o022, true)).toEqual(['644', '755', '755'])
    expect(await modesUnder(0o077, true)).toEqual(['600', '700', '700'])
  })

  it('S5: does not follow a link planted at the temporary name', async () => {
    const root = folder()
    const victim = join(folder(), 'victim')
    writeFileSync(victim, 'untouched')
    symlinkSync(victim, temporaryName(join(root, 'out.csv'), 'tag'))
    const sink = await openSink('out.csv', { root, tag: 'tag' })
    await sink.write(Buffer.from('data'))
    await sink.finish()
    await sink.publish()
    expect([text(victim), text(join(root, 'out.csv')), names(root)]).toEqual(['untouched', 'data', ['out.csv']])
  })

  it('S14: replaces only a regular file, and stays inside the root', async () => {
    const root = folder()
    const outside = folder()
    mkdirSync(join(root, 'dir'))
    writeFileSync(join(outside, 'file'), 'x')
    symlinkSync(join(outside, 'file'), join(root, 'link'))
    symlinkSync(outside, join(root, 'way-out'))
    await expect(openSink('dir', { root })).rejects.toMatchObject(refusal('dir', 'not a regular file'))
    await expect(openSink('link', { root })).rejects.toMatchObject(refusal('link', `a symbolic link to ${outside}/file`))
    await expect(openSink('way-out/x.csv', { root })).rejects.toMatchObject(refusal('way-out', `really ${outside}, outside`))
    await expect(openSink('way-out/new/x.csv', { root })).rejects.toMatchObject(refusal('way-out', 'outside'))
    await expect(openSink('../x.csv', { root })).rejects.toMatchObject(refusal('x.csv', 'outside'))
    await expect(openSink('/etc/x.csv', { root })).rejects.toMatchObject(refusal('/etc/x.csv', 'outside'))
    expect([names(outside), text(join(outside, 'file'))]).toEqual([['file'], 'x'])
  })

  it('names path and reason when the folder cannot be written', async () => {
    await expect(writeAtomic('/proc/nothing/report.json', '{}')).rejects.toMatchObject(
      refusal('/proc/nothing/report.json', 'ENOENT'),
    )
    await expect(writeAtomic('/dev/null/report.json', '{}')).rejects.toMatchObject(
      refusal('/dev/null/report.json', 'ENOTDIR|EEXIST'),
    )
  })

  it('writeAtomic replaces a text', async () => {
    const path = join(folder(), 'report.json')
    await writeAtomic(path, 'one')
    await writeAtomic(path, 'two')
    expect([text(path), statSync(path).mode & 0o777]).toEqual(['two', 0o600])
  })
})

describe('what a kill left beside a file', () => {
  const HOUR = 3600
  /** A file last written so many seconds before now. */
  const leave = (root: string, name: string, seconds: number): void => {
    const at = Date.now() / 1000 - seconds
    writeFileSync(join(root, name), 'half')
    utimesSync(join(root, name), at, at)
  }
  /** Above the highest number that Linux gives (pid_max). */
  const NOBODY = 99_999_999

  it('is removed by the next write: after a day in any case', async () => {
    const root = folder()
    leave(root, `.report.json.${process.ppid}-1.tmp`, 23 * HOUR)
    leave(root, `.report.json.${process.ppid}-2.tmp`, 25 * HOUR)
    leave(root, '.report.json.another-run.tmp', 23 * HOUR)
    leave(root, '.report.json.older-run.tmp', 25 * HOUR)
    leave(root, `.report.html.${NOBODY}-1.tmp`, 25 * HOUR)
    leave(root, `.report.json.${NOBODY}-1.csv`, 25 * HOUR)
    leave(root, `report.json.${NOBODY}-1.tmp`, 25 * HOUR)
    await writeAtomic(join(root, 'report.json'), '{}')
    expect(names(root)).toEqual(
      [
        `.report.html.${NOBODY}-1.tmp`,
        `.report.json.${NOBODY}-1.csv`,
        `.report.json.${process.ppid}-1.tmp`,
        '.report.json.another-run.tmp',
        'report.json',
        `report.json.${NOBODY}-1.tmp`,
      ].sort(),
    )
  })

  /** The name of a file as a process of this machine gives it. */
  const nameOf = (target: string, tag: string, pid: number, began: string): string =>
    basename(temporaryName(target, tag)).replace(/-\d+-\d*\.tmp$/, `-${pid}-${began}.tmp`)

  it('is removed by the next write once its process is dead, and stays while it lives', async () => {
    const root = folder()
    const own = basename(temporaryName('out.csv', 'other'))
    const alive = nameOf('out.csv', '1', process.ppid, '')
    const foreign = nameOf('out.csv', '1', NOBODY, '1').replace(/\.[0-9a-f]{8}-/, '.00000000-')
    leave(root, nameOf('out.csv', '1', NOBODY, '77'), 0)
    // The number of a process that lives, given to it after another one had it.
    leave(root, nameOf('out.csv', '2', process.ppid, '1'), 0)
    leave(root, alive, 25 * HOUR)
    leave(root, own, 25 * HOUR)
    leave(root, foreign, 23 * HOUR)
    leave(root, foreign.replace('.1.', '.2.'), 25 * HOUR)
    await writeAtomic(join(root, 'out.csv'), 'x')
    expect(names(root)).toEqual([alive, foreign, own, 'out.csv'].sort())
  })

  it('of a run is removed by its resumption on any machine', async () => {
    const root = folder()
    const ofRun = nameOf('out.csv', 'run', NOBODY, '1').replace(/\.[0-9a-f]{8}-/, '.00000000-')
    leave(root, ofRun, 0)
    leave(root, ofRun.replace('.run.', '.another.'), 0)
    const sink = await openSink('out.csv', { root, tag: 'run' })
    await sink.discard()
    expect(names(root)).toEqual([ofRun.replace('.run.', '.another.')])
  })

  it('is removed without a write too: beside a file, or in a folder', async () => {
    const root = folder()
    leave(root, nameOf('a.csv', '1', NOBODY, '1'), 0)
    leave(root, nameOf('b.csv', '1', NOBODY, '1'), 0)
    const alive = nameOf('a.csv', '1', process.ppid, '')
    leave(root, alive, 0)
    leave(root, '.their.tmp', 48 * HOUR)
    await sweepBeside(join(root, 'a.csv'))
    expect(names(root)).toEqual([alive, nameOf('b.csv', '1', NOBODY, '1'), '.their.tmp'].sort())
    await sweepFolder(root)
    expect(names(root)).toEqual([alive, '.their.tmp'].sort())
    await sweepFolder(join(root, 'not there'))
  })

  it('is ignored when it cannot be removed', async () => {
    const root = folder()
    mkdirSync(join(root, '.report.json.old.tmp'))
    utimesSync(join(root, '.report.json.old.tmp'), 0, 0)
    await writeAtomic(join(root, 'report.json'), '{}')
    expect(text(join(root, 'report.json'))).toBe('{}')
  })

  it('of a write check is removed by the next check or write', async () => {
    const root = folder()
    leave(root, '.out.csv.probe.tmp', 0)
    await checkWritable('out.csv', { root })
    expect(names(root)).toEqual([])
    leave(root, '.out.csv.probe.tmp', 0)
    await writeAtomic(join(root, 'out.csv'), 'x')
    expect(names(root)).toEqual(['out.csv'])
  })
})

describe('a full disk', () => {
  const mounted: string[] = []
  afterEach(() => {
    for (const path of mounted.splice(0)) shell('umount "$0"', path)
  })
  const tinyDisk = (): string | null => {
    const path = folder()
    try {
      shell('mount -t tmpfs -o size=64k tmpfs "$0"', path)
    } catch {
      return null
    }
    mounted.push(path)
    return path
  }

  it('is FETTLE_OUTPUT_WRITE, keeps the old file and leaves nothing half-written', async context => {
    const root = tinyDisk()
    if (root === null) return context.skip('not run: no right to mount a small file system')
    writeFileSync(join(root, 'out.csv'), 'old')
    await expect(writeAtomic(join(root, 'out.csv'), 'x'.repeat(1_000_000))).rejects.toMatchObject(refusal('out.csv', 'ENOSPC'))
    expect([text(join(root, 'out.csv')), names(root)]).toEqual(['old', ['out.csv']])
  })
})

/** A program that writes by a sink, compiled from the sources so that a child process can run it. */
function program(body: string): { script: string; root: string } {
  const root = folder()
  for (const name of ['files', 'errors']) mkdirSync(join(root, 'src', name), { recursive: true })
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  const files = ['kept-files', 'durable', 'stale-temp-files', 'file-chunks', 'paths', 'atomic-file'].map(name => `files/${name}`)
  for (const name of [...ERRORS, 'process', ...files]) {
    const source = readFileSync(new URL(`../../../src/${name}.ts`, import.meta.url), 'utf8')
    const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2023, rewriteRelativeImportExtensions: true }
    writeFileSync(join(root, 'src', `${name}.js`), transpileModule(source, { compilerOptions }).outputText)
  }
  const script = join(root, 'main.js')
  writeFileSync(script, `import { checkWritable, openSink, removeFile, writeAtomic } from './src/files/atomic-file.js'\n${body}`)
  mkdirSync(join(root, 'out'))
  writeFileSync(join(root, 'out/out.csv'), 'old')
  return { script, root }
}

describe('a process that dies', () => {
  it('by SIGKILL leaves the old file whole, and its resumption clears up', async () => {
    const { script, root } = program(`
      const sink = await openSink('out/out.csv', { root: import.meta.dirname, tag: 'run' })
      for (;;) { await sink.write(Buffer.alloc(65536, 'x')); process.stdout.write('.') }`)
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'close')
    expect([text(join(root, 'out/out.csv')), readdirSync(join(root, 'out')).length]).toEqual(['old', 2])
    const again = await openSink('out/out.csv', { root, tag: 'run' })
    await again.write(Buffer.from('new'))
    await again.finish()
    await again.publish()
    expect([text(join(root, 'out/out.csv')), names(join(root, 'out'))]).toEqual(['new', ['out.csv']])
  })

  it('at a limit of file size gets FETTLE_OUTPUT_WRITE and leaves nothing', () => {
    const { script, root } = program(`
      try { await writeAtomic(import.meta.dirname + '/out/out.csv', 'x'.repeat(1_000_000)) }
      catch (error) { process.stdout.write(error.code + ' ' + error.message) }`)
    const out = shell('ulimit -f 64; exec "$0" "$1"', process.execPath, script)
    expect(out).toMatch(/^FETTLE_OUTPUT_WRITE cannot write .*out\.csv: EFBIG/)
    expect([text(join(root, 'out/out.csv')), names(join(root, 'out'))]).toEqual(['old', ['out.csv']])
  })
})

it('a file that is removed may be missing; one that cannot be removed is an error of the output', async () => {
  const root = folder()
  writeFileSync(join(root, 'there'), '')
  mkdirSync(join(root, 'folder'))
  for (const name of ['there', 'missing']) await removeFile(join(root, name))
  expect(names(root)).toEqual(['folder'])
  await expect(removeFile(join(root, 'folder'))).rejects.toMatchObject(refusal('folder', 'directory'))
})
