/** The example of a team, as its README says: on the target of every day, and every night against a service, with alerts. */
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Ended, fettle, folderOf, ROOT } from '../cli/fettle.ts'
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

test.each(['github', 'gitlab'] as const)(
  'the nightly workflow of %s runs the nightly pipelines on the real target',
  async platform => {
    const cwd = team()
    const { url } = await realService()
    const messages: string[] = []
    const receiver = await counting((_, body) => {
      messages.push(body)
      return { status: 200, body: {} }
    })
    const hook = `${new URL(receiver.url).origin}/hook`
    const env = { PROD_URL: url, PROD_USERNAME: LOGIN.username, PROD_PASSWORD: LOGIN.password, TEAM_ALERT_URL: hook }
    const lines = WORKFLOWS[platform]().filter(line => line !== 'npm ci')
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
    const young = await type('fettle runs --pipeline suppliers --within 26h', cwd, env)
    expect(young.code).toBe(1)
    const asked = await type('fettle doctor pipelines/suppliers.yml --target prod --notify', cwd, env)
    expect(asked.stdout).toContain('accepted a test message')
  },
)
