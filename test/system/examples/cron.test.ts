/** The lines for cron in docs/nights.md: what the first prints is the expected mail, and the second resumes a stopped run. */

import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { packageFile } from '../../../src/package-file.ts'
import { startCharging } from '../../support/charging-service.ts'
import { atEnd, BINARY, ENVIRONMENT, fettle, folderOf } from '../cli/fettle.ts'

const DOC = readFileSync(packageFile('docs/nights.md'), 'utf8')
const SECTION = /\n## In cron\n([\s\S]*?)\n## /.exec(DOC)?.[1] ?? ''
const [, cron = ''] = /```text\n([\s\S]*?)```/.exec(SECTION) ?? []
const MAIL = readFileSync(new URL('cron-mail.txt', import.meta.url), 'utf8')
const [pipeline = ''] = [...DOC.matchAll(/```yaml\n(name: nightly\n[\s\S]*?)```/g)].map(([, text]) => text ?? '')

/** Run ids, times, sizes and reads of the job differ from night to night. */
const steady = (text: string): string =>
  text
    .replace(/\d{8}T\d{6}Z(-[\w-]*?)-[0-9a-f]{6}/g, 'RUN$1')
    .replace(/\b\d+(\.\d+)? ?(ms|s|min)\b/g, 'TIME')
    .replace(/\d{4}-\d\d-\d\d/g, 'DAY')
    .replace(/https?:\/\/[\w.:-]+/g, 'URL')
    .replace(/\d+(\.\d+)? (kB|MB)/g, 'SIZE')
    .replace(/\d+ requests/g, 'REQUESTS')
    .replace(/ +$/gm, '')
    .trim()

test('the lines for cron run with sh: the mail of the first is the expected one, the second resumes a stopped run', async () => {
  const suppliers = readFileSync(packageFile('samples/suppliers.csv'), 'utf8')
  const home = folderOf({})
  const cwd = join(home, 'suppliers')
  for (const folder of [cwd, join(cwd, 'samples'), join(home, 'bin')]) mkdirSync(folder)
  writeFileSync(join(cwd, 'nightly.yml'), pipeline)
  const service = await startCharging(ENVIRONMENT.FETTLE_DATA!)
  atEnd(service.close)
  const settings = Object.entries(service.env).map(([name, value]) => `export ${name}='${value}'\n`)
  writeFileSync(join(cwd, 'settings.env'), settings.join(''))
  writeFileSync(join(cwd, 'samples/suppliers.csv'), suppliers)
  writeFileSync(join(home, 'bin/fettle'), `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`, { mode: 0o755 })
  expect((await fettle(['run', 'nightly.yml', '-q'], { cwd, env: service.env })).code).toBe(0)
  const lines = suppliers.trimEnd().split('\n')
  const next = [...lines.slice(0, 20), ...lines.slice(21), 'N1,Harrow Optics Ltd,,,,,GB,,', 'N2,Zyxwv Utsrqp Ltd,,,,,GB,,', '']
  writeFileSync(join(cwd, 'samples/suppliers.csv'), next.join('\n'))
  const commandAt = (times: string): string => {
    const found = cron.split('\n').flatMap(line => (line.startsWith(`${times}  `) ? [line.slice(times.length).trim()] : []))
    expect(found).toHaveLength(1)
    return found[0]!
  }
  const env = { PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home, NO_COLOR: '1' }
  const sh = (command: string) => promisify(execFile)('sh', ['-c', command], { env, cwd: home })
  // A % ends the command of a line of cron.
  expect(cron).not.toContain('%')
  const { stdout } = await sh(commandAt('17 3 * * *'))
  expect(steady(stdout)).toBe(steady(MAIL))

  // The second line has nothing to do, and then a run that was stopped.
  const resume = commandAt('47 5,7 * * *')
  expect(await sh(resume)).toEqual({ stdout: '', stderr: '' })
  const newest = async (): Promise<unknown> => {
    const { stdout: lines } = await fettle(['runs', '--json'], { cwd })
    const [first = '{}'] = lines.split('\n')
    const { runId, exitCode } = JSON.parse(first) as { readonly runId?: string; readonly exitCode?: number }
    return { runId, exitCode }
  }
  const before = await newest()
  expect(
    (await fettle(['run', 'nightly.yml', '-q', '--new', '--refresh', '--timeout', '1s'], { cwd, env: service.env })).code,
  ).toBe(75)
  const stopped = (await newest()) as { readonly runId: string }
  expect(stopped).toMatchObject({ exitCode: 75 })
  expect(stopped.runId).not.toBe((before as { readonly runId: string }).runId)
  expect(await sh(resume)).toEqual({ stdout: expect.stringMatching(/^! Done, with warnings {2}nightly/), stderr: '' })
  expect(await newest()).toEqual({ runId: stopped.runId, exitCode: 0 })
})
