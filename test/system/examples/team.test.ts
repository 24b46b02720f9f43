/** The example of a team, as its README says: on the target of every day, and every night against a service, with alerts. */
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse as parseCsv } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Company, monitored } from '../../support/monitored.ts'
import { atEnd, type Ended, fettle, folderOf, ROOT } from '../cli/fettle.ts'
import { counting, LOGIN, realService } from '../cli/servers.ts'

const team = (): string => {
  const cwd = folderOf()
  cpSync(join(ROOT, 'examples/team'), cwd, { recursive: true })
  return cwd
}

/** The words of a command; quotes hold one together. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
const README = readFileSync(join(ROOT, 'examples/team/README.md'), 'utf8')
const commandsOf = (language: string): string[] =>
  [...README.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  )

const type = (line: string, cwd: string, env: Record<string, string> = {}): Promise<Ended> => {
  const [program, ...args] = wordsOf(line)
  expect(program).toBe('fettle')
  return fettle(args, { cwd, env: { FETTLE_REGISTER: '', ...env } })
}

test('the commands of every day run on the embedded service, in the order of the README', async () => {
  const cwd = team()
  const commands = commandsOf('sh')
  expect(commands).toHaveLength(7)
  for (const line of commands) {
    const ended = await type(line, cwd)
    expect([line, ended.code, /^error|\berror FETTLE/m.exec(ended.stderr)?.[0]]).toEqual([line, 0, undefined])
  }
  for (const file of ['suppliers.csv', 'suppliers-review.csv', 'customers.csv'])
    expect(existsSync(join(cwd, 'out/dev', file))).toBe(true)
  expect(existsSync(join(cwd, 'out/prod'))).toBe(false)
  expect(readFileSync(join(cwd, 'out/runs.html'), 'utf8')).toContain('suppliers, target dev, the first 500 rows')
})

const WORKFLOWS = {
  github: () => {
    const { jobs } = parse(readFileSync(join(ROOT, 'examples/team/.github/workflows/nightly.yml'), 'utf8'))
    return jobs.nightly.steps.flatMap(({ run }: { run?: string }) => run ?? []) as string[]
  },
  gitlab: () => {
    const { nightly } = parse(readFileSync(join(ROOT, 'examples/team/.gitlab-ci.yml'), 'utf8'))
    return [...nightly.script, ...nightly.after_script] as string[]
  },
}

test('the nightly workflow of both platforms runs the nightly pipelines on the real target', async () => {
  expect(WORKFLOWS.gitlab()).toEqual(WORKFLOWS.github())
  const cwd = team()
  const { url } = await realService()
  const messages: string[] = []
  const receiver = await counting((_, body) => {
    messages.push(body)
    return { status: 200, body: {} }
  })
  const hook = `${new URL(receiver.url).origin}/hook`
  const env = { FETTLE_URL: url, FETTLE_USERNAME: LOGIN.username, FETTLE_PASSWORD: LOGIN.password, TEAM_ALERT_URL: hook }
  const lines = WORKFLOWS.github().filter(line => line !== 'npm ci')
  expect(lines).toHaveLength(3)
  const codes: number[] = []
  for (const line of lines) codes.push((await type(line.replace(/^npx --no-install /, ''), cwd, env)).code)
  // None of these companies is in the register of this service: the checks of both pipelines fail, which is reported.
  expect(codes).toEqual([0, 1, 0])
  expect(
    messages
      .map(text => JSON.parse(text))
      .map(({ type: kind, source }) => `${source} ${kind}`)
      .sort(),
  ).toEqual(['/fettle/customers fettle.run.fail', '/fettle/suppliers fettle.run.fail'])
  expect(readFileSync(join(cwd, 'out/runs.html'), 'utf8')).toMatch(/customers, target prod[\s\S]*suppliers, target prod/)
  const failed = await type('fettle plan pipelines --select failed --target prod', cwd, env)
  expect([...failed.stdout.matchAll(/^(\w+) {2}\(/gm)].map(([, name]) => name)).toEqual(['customers', 'suppliers'])
  const young = await type('fettle runs --pipeline suppliers --target prod --within 26h', cwd, env)
  expect(young.code).toBe(1)
  const asked = await type('fettle doctor pipelines/suppliers.yml --target prod --notify --trusted', cwd, env)
  expect(asked.stdout).toContain('accepted a test message')
})

const recordsOf = (cwd: string, path: string): Record<string, string>[] =>
  parseCsv(readFileSync(join(cwd, path)), { columns: true }) as Record<string, string>[]

/** The companies of both lists, except for those whose name would have to be quoted in the register. */
const companiesOf = (cwd: string): Company[] =>
  ['suppliers', 'customers'].flatMap((list, of) =>
    recordsOf(cwd, `lists/${list}.csv`).flatMap((row, at) => {
      const name = row['Company Name'] ?? row.name ?? ''
      const country = /^[A-Z]{2}$/.exec(row.Country ?? row.country ?? '')?.[0].replace('UK', 'GB') ?? 'GB'
      const one = { id: String(of * 1000 + at + 1), name, country, postcode: row['Post Code'] ?? '', status: 'active' }
      return /^[^",]+$/.test(name) ? [one] : []
    }),
  )

test('good nights are green; what happened to a supplier since the last one is in the file of the night and in the message', async () => {
  const cwd = team()
  const companies = companiesOf(cwd)
  const here = await monitored(companies)
  atEnd(() => here.close())
  const messages: string[] = []
  const receiver = await counting((_, body) => {
    messages.push(body)
    return { status: 200, body: {} }
  })
  const { FETTLE_USERNAME: user = '', FETTLE_PASSWORD: password = '', FETTLE_URL: url = '' } = here.env
  const hook = `${new URL(receiver.url).origin}/hook`
  const env = { FETTLE_URL: url, FETTLE_USERNAME: user, FETTLE_PASSWORD: password, TEAM_SLACK_URL: hook }
  const night = async (): Promise<string[]> => {
    const line = WORKFLOWS.github().find(one => one.includes('--target prod'))!
    expect(await type(line.replace(/^npx --no-install /, ''), cwd, env)).toMatchObject({ code: 0 })
    return recordsOf(cwd, 'out/prod/supplier-events.csv').map(row =>
      [row.company_name, row.reference, row.rule_name, row.old_value, row.new_value].join(' / '),
    )
  }
  expect(await night()).toEqual([])
  const [closed] = companies
  await here.importCompanies(
    companies.map(one => (one === closed ? { ...one, status: 'liquidation' } : one)),
    2,
  )
  messages.length = 0
  const key = recordsOf(cwd, 'lists/suppliers.csv').find(row => row['Company Name'] === closed!.name)?.['Supplier No']
  const events = await night()
  expect(events).toContain(`${closed!.name} / ${key} / Company Status / active / liquidation`)
  expect(messages.join('\n')).toContain('So far: 1 changed status')
  const within = (target: string) => type(`fettle runs --pipeline suppliers --target ${target} --within 26h`, cwd, env)
  expect([(await within('prod')).code, (await within('dev')).code]).toEqual([0, 1])
})
