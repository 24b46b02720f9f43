/**
 * Rules for the sources: S7 no way around TLS verification, S21 no deep merge, S22 no slow regular expression and none built
 * from user text, S38 no shell and no dump of the environment, S40 no way from the product to the faults of tests.
 */
import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { buildIndex, match } from '../../../src/service/matching/index.ts'
import { company } from '../../unit/service/matching/companies.ts'

const root = new URL('../../../src/', import.meta.url)
const FILES = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts'))
  .map(name => ({ name, text: readFileSync(new URL(name, root), 'utf8') }))

interface Found {
  /** `folder/file.ts: what` */
  readonly faults: readonly string[]
  readonly patterns: readonly { readonly place: string; readonly pattern: RegExp }[]
}

/** Names that would be a way to start a program, switch a proof off, or copy a foreign object key by key. */
const FORBIDDEN = /^(?:rejectUnauthorized|checkServerIdentity|secureOptions|child_process|execSync|spawnSync|eval|__proto__)$/
const MODULES = /^(?:node:)?(?:child_process|vm|repl|inspector|worker_threads|cluster|dgram)$/

/** Where one of them stands for a reason. */
const ALLOWED = new Set([
  // The key is named so that it can be dropped.
  'client/http/reply.ts: __proto__',
  'service/http/json-body.ts: __proto__',
  // The doctor looks at a bad certificate to say what is wrong with it; nothing is sent over that connection.
  'doctor/network.ts: rejectUnauthorized',
  // Names alone, to find those that are misspelled.
  'doctor/doctor.ts: dumps the environment: Object.keys(env)',
  // The variables that a pipeline under test may name, without the settings of fettle.
  'pipeline-tests/run-tests.ts: dumps the environment: Object.keys(env)',
  // Always true; a URL with sslmode=verify-ca asks for the authority alone.
  'client/database/postgres.ts: rejectUnauthorized',
  'client/database/postgres.ts: checkServerIdentity',
  // Threads of our own code, named in that file, share an index.
  'service/data-cleaning/processing/threads.ts: imports node:worker_threads',
  'service/data-cleaning/processing/match-thread.ts: imports node:worker_threads',
  'service/data-cleaning/processing/enrich-thread.ts: imports node:worker_threads',
  'dedupe/compare-companies.ts: imports node:worker_threads',
  'dedupe/compare-thread.ts: imports node:worker_threads',
  'input/thread/parse-aside.ts: imports node:worker_threads',
  'input/thread/row-thread.ts: imports node:worker_threads',
])

/** Patterns built at run time, and of what. */
const BUILT: ReadonlySet<string> = new Set([
  'service/http/route.ts', // paths of the table of operations
  'service/monitoring/events.ts', // patterns of rules.json, anchored, without repeats of repeats
  'privacy/forget-contents.ts', // cells of a row, every sign escaped: alternatives without repeats
  'formats/formula-guard.ts', // signs and separators written out in that file; its test has a cell of two megabytes
  'pipeline/propose/surroundings.ts', // words of totals and remarks written out in that file, anchored, without repeats of repeats
  'normalise/company-name.ts', // endings written out in that file, tried below
  'normalise/name-readings.ts', // words and signs written out in that file, for cells of at most 160 characters, tried below
])

function scan(name: string, text: string): Found {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true)
  const faults: string[] = []
  const patterns: { place: string; pattern: RegExp }[] = []
  const say = (what: string): void => {
    if (!ALLOWED.has(`${name}: ${what}`)) faults.push(`${name}: ${what}`)
  }
  const visit = (node: ts.Node): void => {
    if ((ts.isIdentifier(node) || ts.isStringLiteral(node)) && FORBIDDEN.test(node.text)) say(node.text)
    if (ts.isStringLiteral(node) && MODULES.test(node.text)) say(`imports ${node.text}`)
    if (ts.isRegularExpressionLiteral(node)) {
      const [, body = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? []
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
      patterns.push({ place: `${name}:${line} ${node.text}`, pattern: new RegExp(body, flags) })
    }
    const isBuilt = (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp'
    if (isBuilt && !BUILT.has(name)) say(`builds a pattern: ${node.getText()}`)
    // The environment is asked for one name at a time: spread, listed or written out it would be a dump.
    const env = /^(?:process|io|options|settings|surroundings|needs)\.env$|^env$/
    if (ts.isSpreadAssignment(node) && env.test(node.expression.getText())) say(`spreads ${node.expression.getText()}`)
    if (
      ts.isCallExpression(node) &&
      node.arguments.some(one => env.test(one.getText())) &&
      /^(?:JSON\.stringify|Object\.(?:entries|keys|values|assign)|structuredClone|inspect)$/.test(node.expression.getText())
    )
      say(`dumps the environment: ${node.getText()}`)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return { faults, patterns }
}

const scans = FILES.map(({ name, text }) => scan(name, text))

test('no forbidden name, module, pattern or dump anywhere in src', () => {
  expect(FILES.length).toBeGreaterThan(150)
  expect(scans.flatMap(one => one.faults)).toEqual([])
})

test.each([
  ['const a = { rejectUnauthorized: false }', 'x.ts: rejectUnauthorized'],
  ["import { spawn } from 'node:child_process'", 'x.ts: imports node:child_process'],
  ['new RegExp(user)', 'x.ts: builds a pattern: new RegExp(user)'],
  ['const a = { ...process.env }', 'x.ts: spreads process.env'],
  ['JSON.stringify(io.env)', 'x.ts: dumps the environment: JSON.stringify(io.env)'],
  ["target['__proto__'] = value", 'x.ts: __proto__'],
])('the scan sees %s', (text, fault) => {
  expect(scan('x.ts', text).faults).toEqual([fault])
})

test('only fettle/testing and tests of pipelines reach the faults, and no setting of the product turns them on', () => {
  const reaches = FILES.filter(({ name, text }) => !name.startsWith('testing/') && /(?:from |import\()'[./]*testing\//.test(text))
  expect(reaches.map(({ name }) => name)).toEqual(['pipeline-tests/run-tests.ts'])
  const offered = FILES.filter(({ name, text }) => !name.startsWith('testing/') && /__faults|FETTLE_FAULT|x-fault/i.test(text))
  expect(offered.map(({ name }) => name)).toEqual([])
})

/** A repeat of something that holds a repeat: the shape that takes exponential time. Classes and escapes are blanked first. */
function nested(pattern: string): boolean {
  const bare = pattern
    .replace(/\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|[\s\S])/gi, 'a')
    .replace(/\[[^\]]*\]/g, 'a')
    .replace(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, '(')
  const open: boolean[] = []
  let holds = false
  for (let at = 0; at < bare.length; at++) {
    const char = bare[at]
    if (char === '(') {
      open.push(holds)
      holds = false
    } else if (char === ')') {
      const repeats = /^(?:[*+]|\{\d+,\d*\})/.test(bare.slice(at + 1))
      if (repeats && holds) return true
      holds = (open.pop() ?? false) || holds || repeats
    } else if (char === '*' || char === '+' || (char === '{' && /^\{\d*,\d*\}/.test(bare.slice(at)))) holds = true
  }
  return false
}

test.each(['(a+)+', '(a*)*b', '((a+)+)+', '(?:x[^"]*)+', '(a|b+)*', '(?:(?:ab)+c?)*', '([a-z]+){2,}'])('%s is seen', pattern => {
  expect(nested(pattern)).toBe(true)
})
test.each(['a+b+', '(ab)+', '[(a+)+]+', '(?:a|b)*', '\\(a+\\)+', '(a+)b', '(?<name>a)+'])('%s is let through', pattern => {
  expect(nested(pattern)).toBe(false)
})

/** Repeats within repeats whose inner part cannot meet the outer one: each step eats a character nothing else takes. */
const UNAMBIGUOUS: ReadonlySet<string> = new Set([
  '^(\\*\\.)?([\\w-]+\\.)*[\\w-]+$', // a dot ends each label and is in none
  '^(?:(?:company|co|reg|regd|registration|registered|registry|number|no|nr|num|crn|siren|siret|kvk|cvr|ein|krs|nip|ico|vat|ust|idnr|tva|btw|mwst|org)[\\s.:#°-]{1,3}){1,3}(?=[A-Z]{0,2}\\s?\\d)', // three at most
])

/** Patterns that take time by the square over a text no stranger writes, or a short one. */
const SHORT: ReadonlySet<string> = new Set([
  'pipeline/propose/draft.ts /-+$/', // sixty characters of a name
  'client/http/links.ts /\\/+$/', // the address in one's own settings
  'counted.ts /\\B(?=(\\d{3})+(?!\\d))/g', // the digits of a number
])

/** A file whose patterns see cells of at most 160 characters, which the matcher is tried with below. */
const OF_CELLS = 'normalise/name-readings.ts'

test('S22: the matcher handles a hostile name in linear time', () => {
  const index = buildIndex([company({ id: '1', name: 'Acme Limited', country: 'GB', orgNumber: '1' })])
  const began = performance.now()
  // Up to 160 characters, a cell is read a second time.
  for (const pump of [
    'a',
    ' ',
    '(',
    '((a+)+)+',
    '.',
    'ltd ',
    '-',
    '0',
    '/',
    'ord ',
    ' sp',
    '\u0301',
    '&',
    "'",
    '[',
    '{',
    '\t',
    'a/',
    't/a ',
  ])
    for (const size of [160, 10_000]) {
      const text = pump.repeat(size / pump.length)
      expect(match(index, { name: text, country: 'GB', orgNumber: text, address1: text, postcode: text }).decision).toBe(
        'unmatched',
      )
    }
  // By the square it would take minutes.
  expect(performance.now() - began).toBeLessThan(10_000)
})

describe('S22: regular expressions', () => {
  const patterns = scans.flatMap(one => one.patterns)

  test('none repeats a repeat', () => {
    expect(patterns.length).toBeGreaterThan(80)
    const faults = patterns.filter(({ pattern }) => nested(pattern.source) && !UNAMBIGUOUS.has(pattern.source))
    expect(faults.map(({ place }) => place)).toEqual([])
  })

  test('none takes more than linear time on text like its matches', () => {
    const SIZE = 40_000
    const slow: string[] = []
    for (const { place, pattern } of patterns) {
      if (place.startsWith('testing/') || place.startsWith(OF_CELLS) || SHORT.has(place.replace(/:\d+ /, ' '))) continue
      // Its own letters, one and two at a time, and what text is made of.
      const letters = new Set([...pattern.source.replace(/\\[a-z]/gi, ''), ' ', 'a', '0', '\t', '"', '\u001b', '/', '.', ':'])
      for (const one of letters)
        for (const pump of [one, `${one}a`]) {
          const text = `${pump.repeat(SIZE / pump.length)}\u0001`
          const began = process.cpuUsage()
          text.replace(new RegExp(pattern.source, pattern.flags), '')
          // Quadratic time over so much is some seconds; linear is under a millisecond. By the processor's clock: others may be using it.
          if (process.cpuUsage(began).user > 250_000) slow.push(`${place} on ${JSON.stringify(pump)}`)
        }
    }
    expect(slow).toEqual([])
  })
})
