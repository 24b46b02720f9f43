/**
 * JSONTestSuite as pipeline files: every `n_` file (invalid JSON) is rejected with a position, no `y_` file (valid JSON) is
 * rejected for its syntax, and none ends the process. CORPORA names the folder of the suite; without it the test is skipped
 * with a message.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ParsedPipeline, parsePipeline } from '../../../src/pipeline/parse.ts'
import { decodePipeline } from '../../../src/pipeline/source/decode.ts'

const corpora = process.env.CORPORA
const filesIn = (path: string): string[] =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap(name => filesIn(join(path, name))) : [path]
const files = corpora === undefined ? [] : filesIn(corpora).filter(path => /^[nyi]_.*\.json$/.test(basename(path)))

/** The codes that a file gives; none for one that is not decoded. */
function codesOf(path: string): readonly string[] {
  const decoded = decodePipeline(readFileSync(path), basename(path))
  if ('issue' in decoded) return [decoded.issue.code]
  const options = { file: basename(path), env: {}, vars: {}, run: { date: '2026-03-31' }, format: 'json' } as const
  const parsed: ParsedPipeline = parsePipeline(decoded.text, options)
  expect(parsed.pipeline, path).toBeNull()
  for (const issue of parsed.issues) if (issue.code === 'FETTLE_PIPELINE_SYNTAX') expect(issue.at?.line, path).toBeGreaterThan(0)
  return parsed.issues.map(issue => issue.code)
}

/** What says that a file is no JSON, too deep, or no text at all. */
const UNREADABLE = /_(SYNTAX|DEPTH|READ|EMPTY)$/

describe.skipIf(files.length === 0)('JSONTestSuite as pipeline files', () => {
  test('every file has the right outcome', () => {
    const tally = { n: 0, y: 0, i: 0 }
    for (const path of files) {
      const codes = codesOf(path)
      const kind = basename(path)[0] as keyof typeof tally
      expect(codes.length, path).toBeGreaterThan(0)
      if (kind === 'n') expect(codes.join(), path).toMatch(UNREADABLE)
      if (kind === 'y') expect(codes.join(), path).not.toMatch(/_SYNTAX/)
      tally[kind]++
    }
    console.info(`JSONTestSuite as pipeline files: ${JSON.stringify(tally)}, all answered`)
    expect(tally.n).toBeGreaterThan(0)
  })
})

test.runIf(files.length === 0)('JSONTestSuite as pipeline files: skipped, CORPORA does not contain it', context => {
  console.info('JSONTestSuite as pipeline files: not run (set CORPORA to a folder that holds it)')
  context.skip('not run')
})
