/** What events have of rows stands beside the journal: on disk before its event, proved by its digest, and removed without the journal. */
import fs, { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { issue } from '../../../src/errors.ts'
import { contentAt, contentsPath, digestContent, splitContent, writeContents } from '../../../src/journal/contents.ts'
import type { RunEventInput } from '../../../src/journal/events.ts'
import { openJournal, readJournal, writeJournal } from '../../../src/journal/file.ts'
import { replaceBuiltin } from '../../support/builtin.ts'
import { planOf, worldOf } from '../run/world.ts'
import { freshFolder } from './fresh-folder.ts'

const SECRET = 'Größe & Söhne'
const NOW = Date.UTC(2025, 0, 1)
const CANDIDATES = { for: ['review' as const], limit: 5, budget: null, fetch: null }
const SCREEN = { datasets: ['SAN'], threshold: 85, countries: [], budget: null } as const
const raised: RunEventInput = { type: 'issue.raised', issue: issue('FETTLE_INPUT_SUSPECT', `the cell ${SECRET}`, { rows: [2] }) }

let path: string
beforeEach(() => {
  path = join(freshFolder(), 'journal.jsonl')
})

/** Events of a run whose rows, companies and messages have the secret. */
async function eventsOfRun(): Promise<RunEventInput[]> {
  const world = worldOf(planOf({ candidates: CANDIDATES, screen: SCREEN, portfolio: { name: 'p', id: null, reference: null } }))
  world.results.found = [1, 2].map(row => ({ row, id: `GB-${row}`, name: `${SECRET} ${row}`, reference: '' }))
  world.results.asked = [{ id: 'q1', query: { name: SECRET, country: 'GB' } }]
  await world.run()
  const listed = [{ at: 'x', company: { id: 'GB-1', name: SECRET }, key: SECRET, rule: 'r', old: SECRET, new: 'b' }]
  return [
    ...world.journal.events.map(({ at, ...event }) => event as RunEventInput),
    raised,
    { type: 'events.read', portfolio: null, since: null, events: 1, companies: 1, kinds: {}, listed },
  ]
}

function write(events: readonly RunEventInput[]): void {
  const journal = openJournal(path, () => NOW, 'new')
  for (const event of events) journal.append(event)
  journal.close()
}

const refusal = (): unknown => {
  try {
    return readJournal(path).events.length
  } catch (error) {
    return error
  }
}

test('the journal has no cell and no name of a company, and is read with them', async () => {
  const events = await eventsOfRun()
  write(events)
  expect(readFileSync(path, 'utf8')).not.toMatch(/Söhne|GB-[12]/)
  expect(readFileSync(contentsPath(path), 'utf8')).toContain(SECRET)
  const read = readJournal(path).events.map(({ at, ...event }) => event)
  expect(read).toEqual(JSON.parse(JSON.stringify(events)))
  const again = openJournal(path, () => NOW, 'existing')
  expect(again.append(raised).issues).toHaveLength(2)
  again.close()
  expect(readJournal(path).events).toHaveLength(events.length + 1)
})

test('a journal that is written from events is the one that was appended', async () => {
  const events = await eventsOfRun()
  write(events)
  const [journal, contents] = [path, contentsPath(path)].map(file => readFileSync(file, 'utf8'))
  const read = readJournal(path).events
  path = join(freshFolder(), 'journal.jsonl')
  await writeJournal(path, read)
  expect([path, contentsPath(path)].map(file => readFileSync(file, 'utf8'))).toEqual([journal, contents])
})

test('a content is on disk before its event', async () => {
  const [started] = await eventsOfRun()
  write([started!])
  const done: string[] = []
  const { openSync, fsyncSync, writeSync } = fs
  const names = new Map<number, string>()
  const noted = {
    openSync: (file: string, ...rest: [number, number]) => {
      const descriptor = openSync(file, ...rest)
      names.set(descriptor, file === path ? 'journal' : 'contents')
      return descriptor
    },
    writeSync: (file: number, ...rest: [Buffer, number]) => {
      done.push(`write ${names.get(file)}`)
      return writeSync(file, ...rest)
    },
    fsyncSync: (file: number) => {
      done.push(`sync ${names.get(file)}`)
      fsyncSync(file)
    },
  }
  onTestFinished(replaceBuiltin(fs, noted))
  const journal = openJournal(path, () => NOW, 'existing')
  journal.append(raised)
  journal.close()
  const own = done.filter(call => !call.endsWith('undefined'))
  expect(own.slice(-4)).toEqual(['write contents', 'sync contents', 'write journal', 'sync journal'])
})

test.each([
  ['a torn content', '{"line":3,"content":{"issue.mess'],
  ['a content', '{"line":3,"content":{"issue.message":"other"}}\n'],
])('%s, whose event was not written, is replaced', async (_, left) => {
  const [started] = await eventsOfRun()
  write([started!, raised])
  const whole = readFileSync(contentsPath(path), 'utf8')
  appendFileSync(contentsPath(path), left)
  expect(refusal()).toBe(2)
  const journal = openJournal(path, () => NOW, 'existing')
  journal.append(raised)
  journal.close()
  expect(readJournal(path).events.slice(1)).toEqual([1, 2].map(() => expect.objectContaining(raised)))
  const last = whole.trimEnd().split('\n').at(-1)!.replace('"line":2,', '"line":3,')
  expect(readFileSync(contentsPath(path), 'utf8')).toBe(`${whole}${last}\n`)
})

test('a content that is missing, changed, repeated, or of a different line is damage, and its file is named', async () => {
  const events = await eventsOfRun()
  write(events)
  const whole = readFileSync(contentsPath(path), 'utf8')
  const lines = whole.trimEnd().split('\n')
  const line = lines.findIndex(text => text.includes(`the cell ${SECRET}`))
  const damage = (text: string | null): unknown => {
    if (text === null) rmSync(contentsPath(path))
    else writeFileSync(contentsPath(path), text)
    return refusal()
  }
  const at = (number: number | null) =>
    expect.objectContaining({
      code: 'FETTLE_JOURNAL_DAMAGED',
      at: { file: contentsPath(path), line: number, column: number && 1 },
    })
  const joined = (texts: readonly string[]): string => `${texts.join('\n')}\n`
  expect(damage(whole.replace(`the cell ${SECRET}`, 'the cell X'))).toEqual(at(line + 1))
  expect(damage(joined(lines.toSpliced(line, 1)))).toEqual(at(line + 1))
  expect(damage(joined(lines.with(line, lines[line]!.replace(/"line":\d+,/, '"line":999,'))))).toEqual(at(null))
  expect(damage(joined(lines.toSpliced(line, 0, lines[line]!)))).toEqual(at(null))
  expect(damage(joined(lines.with(line, lines[line]!.replace('"content"', '"contents"'))))).toEqual(at(null))
  expect(damage(joined(lines.with(line, lines[line]!.replace(',', ', '))))).toEqual(at(null))
  expect(damage(joined(lines.with(0, 'no JSON')))).toEqual(at(null))
  expect(damage(whole)).toBe(events.length)
  expect(damage(null)).toEqual(at(1))
})

test('rows are removed from the contents alone: the journal records the new digests first, and neither state is damage', async () => {
  const events = await eventsOfRun()
  write(events)
  const before = readFileSync(path, 'utf8')
  const contents = new Map(
    readJournal(path).events.flatMap((event, index) => {
      const { content } = splitContent(event)
      if (content === null) return []
      const kept = event.type === 'issue.raised' ? { ...event, issue: { ...event.issue, message: 'the cell …' } } : event
      return [[index + 1, contentAt(kept, Object.keys(content))] as const]
    }),
  )
  const digests = Object.fromEntries([...contents].map(([line, content]) => [line, digestContent(content)]))
  const journal = openJournal(path, () => NOW, 'existing')
  journal.append({ type: 'rows.forgotten', id: 'f', contents: digests })
  journal.close()
  expect(refusal()).toBe(events.length + 1)
  await writeContents(path, contents)
  expect(readJournal(path).events[events.indexOf(raised)]).toMatchObject({ issue: { message: 'the cell …', rows: [2] } })
  expect(readFileSync(path, 'utf8').startsWith(before)).toBe(true)
  writeFileSync(contentsPath(path), readFileSync(contentsPath(path), 'utf8').replace('the cell …', 'the cell -'))
  expect(refusal()).toMatchObject({ code: 'FETTLE_JOURNAL_DAMAGED' })
})
