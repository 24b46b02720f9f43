/**
 * Damaged journals of a run that was killed with a job at the service: the next `run` or `resume` ends with that one job, or with 73, a
 * hint and no request.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type FettleError, type Report, resume, run } from '../../../src/index.ts'
import { contentsPath } from '../../../src/journal/index.ts'
import { runDirectory } from '../../../src/runs/run-directory.ts'
import type { FaultyService } from '../../../src/testing/index.ts'
import { recorded } from '../../system/kill/judge.ts'
import { makePlace, outputsOf, type Place, start } from '../../system/kill/kit.ts'
import { useService } from '../../system/kill/use-service.ts'

let data: string
let service: FaultyService
let killed: Place
let runId: string
let kill = (): void => {}
const home = process.cwd()
const folders: string[] = []

useService(
  started => {
    ;({ data, service } = started)
  },
  { onKill: () => kill() },
)
beforeAll(async () => {
  killed = makePlace(data, service)
  service.server.arm([{ operation: 'enrich', effect: { kind: 'killClient', at: 'answered' } }])
  const { child, ended } = start(killed, ['run', 'pipeline.yml', '--json'])
  kill = () => void child.kill('SIGKILL')
  expect((await ended).signal).toBe('SIGKILL')
  service.server.arm([])
  runId = recorded(killed)!.runId
  expect(service.server.effects()).toMatchObject({ creates: 1, uploads: 1, submits: 1, enriches: 1 })
})
afterEach(() => process.chdir(home))
afterAll(() => {
  for (const folder of [killed.folder, ...folders]) rmSync(folder, { recursive: true, force: true })
})

/** The folder as the kill left it, to be damaged. */
function copyOf(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-damage-'))
  folders.push(folder)
  cpSync(killed.folder, folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  process.chdir(folder)
  return { ...killed, folder, runsDir: join(folder, 'fettle-runs') }
}

const goOn = ({ env }: Place, how: 'run' | 'resume'): Promise<Report> =>
  Promise.resolve(how === 'run' ? run('pipeline.yml', { env }) : resume(runId, { env }))

type Lines = readonly string[]
type Damage = (journal: string, lines: Lines) => void
const written =
  (change: (lines: Lines) => Lines): Damage =>
  (journal, lines) =>
    writeFileSync(
      journal,
      change(lines)
        .map(line => `${line}\n`)
        .join(''),
    )
const before = (type: string) =>
  written(lines =>
    lines.slice(
      0,
      lines.findIndex(line => line.includes(`"type":"${type}"`)),
    ),
  )
const inLine = (part: string, change: (line: string) => string) =>
  written(lines => {
    const at = lines.findIndex(line => line.includes(part))
    expect(change(lines[at]!)).not.toBe(lines[at])
    return lines.with(at, change(lines[at]!))
  })

/** No whole line is left that could be trusted, or one of them is not as it was written. */
const REFUSED: Readonly<Record<string, Damage>> = {
  emptied: journal => truncateSync(journal, 0),
  'filled with NULs': (journal, lines) => writeFileSync(journal, Buffer.alloc(lines.join('\n').length + 1)),
  'filled with NULs, and its last line end left': (journal, lines) =>
    writeFileSync(journal, `${'\0'.repeat(lines.join('\n').length)}\n`),
  'cut to its first byte': journal => truncateSync(journal, 1),
  'cut within its first line': (journal, [first = '']) => truncateSync(journal, first.length >> 1),
  'cut before its first line end': (journal, [first = '']) => truncateSync(journal, Buffer.byteLength(first)),
  removed: journal => rmSync(journal),
  'emptied, and report.json removed': journal => {
    truncateSync(journal, 0)
    rmSync(join(dirname(journal), 'report.json'))
  },
  'a link to nothing': journal => {
    rmSync(journal)
    symlinkSync('nothing', journal)
  },
  'a folder in its place': journal => {
    rmSync(journal)
    mkdirSync(journal)
  },
  'its first line lost': written(lines => lines.slice(1)),
  'a line in the middle lost': written(lines => lines.toSpliced(8, 1)),
  'the lines of the job lost': written(lines => lines.filter(line => !/"type":"(?:job|upload)\./.test(line))),
  'a line cut in half': written(lines => lines.with(8, lines[8]!.slice(0, 30))),
  'a line of NULs': written(lines => lines.with(8, '\0'.repeat(lines[8]!.length))),
  'an empty line': written(lines => lines.toSpliced(8, 0, '')),
  'a line doubled': written(lines => lines.toSpliced(8, 0, lines[8]!)),
  'the last line doubled': written(lines => [...lines, lines.at(-1)!]),
  'two lines swapped': written(lines => lines.with(8, lines[9]!).with(9, lines[8]!)),
  'a whole line of garbage at the end': written(lines => [...lines, 'x7$']),
  'one digit flipped in the id of the job': inLine('"type":"job.created"', line =>
    line.replace(/"id":"([^"]*)(\d)([^"0-9]*)"/, (_, head, digit, tail) => `"id":"${head}${(Number(digit) + 1) % 10}${tail}"`),
  ),
  'one digit flipped in the plan': inLine('"type":"run.started"', line => line.replace('"rows":31', '"rows":32')),
  'one digit flipped in a time': inLine('"type":"match.requested"', line => line.replace(/"at":"2/, '"at":"1')),
  'its rows lost': journal => rmSync(contentsPath(journal)),
  'one sign flipped in its rows': journal =>
    writeFileSync(contentsPath(journal), readFileSync(contentsPath(journal), 'utf8').replace('"name"', '"nome"')),
  'a checksum stripped': inLine('"type":"upload.requested"', line => line.replace(/,"sum":"\w+"/, '')),
}

/** What was lost can be found: by the service, or because nothing depends on it. */
const FOUND: Readonly<Record<string, Damage>> = {
  'its last line torn': (journal, lines) => truncateSync(journal, Buffer.byteLength(lines.join('\n')) - 9),
  'NULs behind its last line': (journal, lines) => writeFileSync(journal, `${lines.join('\n')}\n${'\0'.repeat(512)}`),
  'its last line lost': written(lines => lines.slice(0, -1)),
  'cut to its first line': written(lines => lines.slice(0, 1)),
  'cut before the job was asked for': before('job.requested'),
  'cut before the job was created': before('job.created'),
  'cut before the upload': before('upload.requested'),
  'cut before the mappings': before('mapping.accepted'),
  'cut before the matching was asked for': before('match.requested'),
  'cut before the enriching was asked for': before('enrich.requested'),
  'its reports removed': journal => rmSync(join(dirname(journal), 'report.json')),
}

function damage(place: Place, how: Damage): string {
  const { journal } = runDirectory(place.runsDir, runId)
  how(journal, readFileSync(journal, 'utf8').trimEnd().split('\n'))
  return journal
}

test('the table has damages by a power cut, a disk and a user', () => {
  const count = Object.keys(REFUSED).length + Object.keys(FOUND).length
  console.log(`${count} damages, each met by run and by resume`)
  expect(count).toBeGreaterThanOrEqual(26)
})

describe.each(['run', 'resume'] as const)('%s', how => {
  test.each(Object.keys(REFUSED))('rejects a damaged journal with 73 and a hint: %s', async name => {
    const place = copyOf()
    const journal = damage(place, REFUSED[name]!)
    const asked = service.server.requests.length
    const error = await goOn(place, how).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'FETTLE_JOURNAL_DAMAGED', exitCode: 73 })
    const { message, hint, action, at } = error as FettleError
    expect(message).toMatch(/journal(?:-rows)?\.jsonl/)
    expect(at).toMatchObject({ file: expect.stringMatching(/journal(?:-rows)?\.jsonl$/), line: expect.any(Number) })
    expect(action).toEqual({ command: 'resume', args: [runId] })
    expect(hint).toContain(`fettle-${runId} at the service`)
    expect(service.server.requests).toHaveLength(asked)
    // The way out: the journal from a backup, and resume.
    if (name !== 'emptied') return
    rmSync(journal, { recursive: true, force: true })
    cpSync(runDirectory(killed.runsDir, runId).journal, journal)
    expect(await resume(runId, { env: place.env })).toMatchObject({ status: 'success', metadata: { runId } })
    expect(service.server.effects()).toMatchObject({ creates: 1, uploads: 1, submits: 1, enriches: 1 })
  })

  test.each(Object.keys(FOUND))('resumes the existing job from a damaged journal: %s', async name => {
    const place = copyOf()
    damage(place, FOUND[name]!)
    expect(await goOn(place, how)).toMatchObject({ status: 'success', exitCode: 0, metadata: { runId } })
    expect(service.server.effects()).toMatchObject({ creates: 1, uploads: 1, submits: 1, enriches: 1 })
    expect(outputsOf(place)[0]).toContain('general.connectId')
  })
})
