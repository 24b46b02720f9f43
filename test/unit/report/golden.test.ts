/** Every format of every fixture against the files in golden/. `FETTLE_GOLDEN=1 npx vitest run test/unit/report` writes them anew. */
import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { RENDERERS } from '../../../src/report/index.ts'
import { type FixtureName, reportOf, STATES } from './fixtures.ts'

const EXTENSION = { json: 'json', html: 'html', markdown: 'md', junit: 'xml', openmetrics: 'metrics.txt', text: 'txt' } as const

/** Style sheet and script are the same in every page: the goldens show what differs. */
const withoutStyle = (text: string): string =>
  text
    .replace(/<style>[\s\S]*<\/style>/, '<style>…</style>')
    .replace(/<script>[\s\S]*?<\/script>/, '<script>…</script>')
    .replace(/sha256-[\w+/=]*/g, 'sha256-…')

describe.each(Object.keys(STATES) as FixtureName[])('%s', name => {
  it.each(Object.entries(RENDERERS))('%s', async (format, { render }) => {
    const file = new URL(`golden/${name}.${EXTENSION[format as keyof typeof EXTENSION]}`, import.meta.url)
    const text = withoutStyle(render(reportOf(name)))
    if (process.env.FETTLE_GOLDEN === '1') await writeFile(file, text)
    expect(text).toBe(await readFile(file, 'utf8'))
  })
})
