/**
 * A portfolio kept in step: a run adds a long list of companies to a portfolio of a service that allows a few requests a second, and the
 * next night adds and removes some. Prints how long the portfolio stage took, and the requests it sent.
 *
 *   npm run build && npm run bench -- portfolio [--companies 50000] [--rate 5]
 */
import { spawnSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { run } from '../dist/index.js'
import { serve } from '../dist/service/index.js'

const { values } = parseArgs({
  options: { companies: { type: 'string', default: '50000' }, rate: { type: 'string', default: '5' } },
})
const [companies, rate] = [Number(values.companies), Number(values.rate)]
const folder = await mkdtemp(join(tmpdir(), 'fettle-portfolio-'))
const user = { username: 'bench', password: 'the password of the bench' }

const word = at =>
  [...String(at).padStart(6, '0')].map(digit => ['ha', 'be', 'do', 'fe', 'gi', 'lo', 'ma', 'ne', 'po', 'ru'][digit]).join('')
const company = at => ({ number: String(10_000_000 + at), name: `${word(at)} ${word(companies * 2 - at)} Limited` })

function* table(header, from, to, line) {
  yield `${header}\n`
  for (let at = from; at < to; at++) yield `${line(company(at))}\n`
}
const write = (path, ...rest) => pipeline(Readable.from(table(...rest)), createWriteStream(path))

try {
  const file = join(folder, 'register.csv')
  const last = Math.ceil(companies * 1.02)
  await write(file, 'id,name,country,orgNumber', 0, last, one => `${one.number},${one.name},GB,${one.number}`)
  const registerDir = join(folder, 'registers')
  const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
  const args = ['register', 'import', 'csv', file, '--name', 'bench']
  const imported = spawnSync(process.execPath, [main, ...args], {
    env: { ...process.env, FETTLE_DATA: folder },
    encoding: 'utf8',
  })
  if (imported.status !== 0) throw new Error(imported.stderr)
  const service = await serve({ port: 0, dataDir: join(folder, 'data'), registerDir, registers: [], users: [user] })
  const job = {
    name: 'bench',
    service: { url: service.url, rate: { requests: rate, per: '1s' } },
    input: { path: 'in.csv', key: 'number' },
    mappings: { name: 'name', orgNumber: 'number', countryCode: { value: 'GB' } },
    enrich: { product: 'basic', tags: ['general.connectId', 'general.companyName'] },
    output: 'out.csv',
    portfolio: { name: 'Bench', reference: 'number', rules: { XX: 'default' }, sync: true, remove: { max: '5%' } },
  }
  const env = { FETTLE_USERNAME: user.username, FETTLE_PASSWORD: user.password, FETTLE_DATA: folder }
  const night = async (name, from, to) => {
    await write(join(folder, 'in.csv'), 'number,name', from, to, one => `${one.number},${one.name}`)
    let requests = 0
    const reporter = {
      name: 'bench',
      onEvent: event => {
        if (event.type === 'stage.finished' && event.stage === 'portfolio') requests = event.http.requests
      },
    }
    const report = await run(job, { cwd: folder, env, fresh: true, reporters: [reporter] })
    const [{ portfolio, stages }] = report.results
    const { elapsedMs } = stages.find(stage => stage.name === 'portfolio')
    process.stdout.write(
      `${name.padEnd(14)}${String(portfolio.companies).padStart(8)} companies  ${String(portfolio.added).padStart(6)} added  ${String(portfolio.removed).padStart(5)} removed  ${(elapsedMs / 1000).toFixed(1).padStart(6)} s  ${requests} requests at ${rate} a second\n`,
    )
    if (portfolio.refused > 0 || portfolio.added + portfolio.present !== portfolio.companies) process.exitCode = 1
  }
  await night('first night', 0, companies)
  await night('the same list', 0, companies)
  await night('the next list', last - companies, last)
  await service.close()
} finally {
  await rm(folder, { recursive: true, force: true })
}
