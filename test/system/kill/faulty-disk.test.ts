/** The faulty disk counts every operation on a watched file and no other, and applies the planned fault at operation N. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const preload = fileURLToPath(new URL('../../support/faulty-disk.mjs', import.meta.url))

/** Touches files in every way there is; tells what failed, as `name code`. */
const PROGRAM = `
import fs, { closeSync, createWriteStream, fsyncSync, ftruncateSync, linkSync, mkdirSync, openSync, renameSync, unlinkSync, writeFileSync, writeSync } from 'node:fs'
import { open, rename, writeFile } from 'node:fs/promises'
const at = name => process.argv[2] + '/' + name
const attempt = async (name, action) => { try { return await action() } catch (error) { console.log(name, error.code) } }
await attempt('mkdir', () => mkdirSync(at('d')))
const file = await attempt('open', () => openSync(at('d/a'), 'w'))
await attempt('write', () => { for (let left = Buffer.from('0123456789'); left.length > 0; ) left = left.subarray(writeSync(file, left)) })
await attempt('fsync', () => fsyncSync(file))
await attempt('truncate', () => ftruncateSync(file, 8))
closeSync(file)
const handle = await attempt('open', () => open(at('b'), 'w'))
await attempt('write', () => handle.writeFile('abcdefgh'))
await attempt('sync', () => handle.sync())
await handle.close()
await attempt('rename', () => rename(at('b'), at('c')))
await attempt('link', () => linkSync(at('c'), at('e')))
await attempt('unlink', () => unlinkSync(at('e')))
await attempt('file', () => writeFileSync(at('f'), 'whole'))
await attempt('file', () => writeFile(at('g'), 'whole'))
await attempt('callback', () => new Promise((done, fail) => fs.writeFile(at('h'), 'whole', error => (error ? fail(error) : done()))))
await attempt('stream', () => new Promise((done, fail) => createWriteStream(at('i')).on('error', fail).on('close', done).end('whole')))
openSync(at('f'), 'r')
fs.readFileSync(at('f'))
writeFileSync(process.argv[3], 'elsewhere')
`

function run(fault: string, ops = '') {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-preload-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const watched = join(folder, 'watched')
  writeFileSync(join(folder, 'program.mjs'), PROGRAM)
  spawnSync('mkdir', [watched])
  const env = { FAULT: fault, FAULT_OPS: ops, FAULT_PATHS: watched, FAULT_LOG: join(folder, 'log') }
  const child = spawnSync(process.execPath, ['--import', preload, join(folder, 'program.mjs'), watched, join(folder, 'other')], {
    env,
  })
  const lines = readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n')
  const text = (name: string): string => readFileSync(join(watched, name), 'utf8')
  return { signal: child.signal, said: String(child.stdout).trimEnd(), lines: lines.map(line => line.replace(watched, '')), text }
}

const ALL = [
  '1 mkdir /d',
  '2 open /d/a',
  '3 write /d/a',
  '4 fsync /d/a',
  '5 truncate /d/a',
  '6 open /b',
  '7 write /b',
  '8 fsync /b',
  '9 rename /c',
  '10 link /e',
  '11 unlink /e',
  ...['f', 'g', 'h', 'i'].flatMap((name, at) => [`${12 + 2 * at} open /${name}`, `${13 + 2 * at} write /${name}`]),
]

test('counts every call that changes a watched file, and no other', () => {
  expect(run('')).toMatchObject({ signal: null, said: '', lines: ALL })
})

test('a short write writes half and returns the number: a caller that writes the rest has the whole file', () => {
  for (const at of [3, 7, 13, 15, 17, 19]) {
    const { said, lines, text } = run(`short@${at}`)
    expect([said, lines.length]).toEqual(['', ALL.length + 1])
    expect(lines[at - 1]).toBe(`${ALL[at - 1]} short`)
    expect([text('d/a'), text('c'), text('f'), text('g'), text('h'), text('i')]).toEqual([
      '01234567',
      'abcdefgh',
      'whole',
      'whole',
      'whole',
      'whole',
    ])
  }
})

test('an error happens once or from then on; a full disk still renames, removes and syncs', () => {
  expect(run('EIO@4')).toMatchObject({ said: 'fsync EIO', lines: ALL.with(3, '4 fsync /d/a EIO') })
  expect(run('ENOSPC@10+').said.split('\n')).toEqual([
    'link ENOSPC',
    'unlink ENOENT',
    'file ENOSPC',
    'file ENOSPC',
    'callback ENOSPC',
    'stream ENOSPC',
  ])
})

test('SIGKILL happens before the operation, killed after it, cut in the middle', () => {
  const before = run('SIGKILL@3')
  expect([before.signal, before.lines.at(-1), before.text('d/a')]).toEqual(['SIGKILL', '3 write /d/a SIGKILL', ''])
  const after = run('killed@3')
  expect([after.signal, after.text('d/a')]).toEqual(['SIGKILL', '0123456789'])
  const within = run('cut@1', 'write')
  expect([within.signal, within.lines, within.text('d/a')]).toEqual(['SIGKILL', ['1 write /d/a cut'], '01234'])
})
