/**
 * The packed package in an empty folder, as a user has it: installed by each package manager on each Node without a warning, small,
 * and working: Excel in the box, PDFs after the command that the service names, programs in strict TypeScript, bundled programs.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NODES, type NodeName, nodeOf, pack, ROOT, runWith, toolPath, toolsMissing } from './tools.ts'

const SIZE_MB = 30
const MOST_PACKAGES = 60
const LIST = 'Company,Country\nHarrow Optics Ltd,GB\nUnlisted Works Ltd,GB\n'
const REGISTER = 'id,name,country\n1,Harrow Optics Limited,GB\n2,Other Works Limited,GB\n'

interface Manager {
  readonly nodes: readonly NodeName[]
  readonly files?: Readonly<Record<string, string>>
  install(tarball: string): readonly string[]
  /** How a program of the project is started. */
  exec(node: NodeName): readonly string[]
}

const script = (name: string, file: string) => (node: NodeName) => [nodeOf(node), join(toolPath(name), file)]
const npm = script('npm', 'bin/npm-cli.js')
const yarn1 = script('yarn', 'bin/yarn.js')
const yarn4 = script('@yarnpkg/cli-dist', 'bin/yarn.js')
const pnpm = script('pnpm', 'bin/pnpm.cjs')
const bun = join(toolPath('@oven'), existsSync(toolPath('@oven')) ? (readdirSync(toolPath('@oven'))[0] ?? '') : '', 'bin/bun')

const YARN_SETTINGS = 'enableTelemetry: false\nenableGlobalCache: false\n'
const installed = (node: NodeName): readonly string[] => [nodeOf(node), 'node_modules/fettle/dist/cli/main.js']
const ENDS: readonly NodeName[] = ['node20', 'node24']
const managers: Readonly<Record<string, (node: NodeName) => Manager>> = {
  npm: node => ({
    nodes: NODES,
    install: of => [...npm(node), 'install', '--engine-strict', '--no-audit', '--no-fund', of],
    exec: installed,
  }),
  'Yarn 1': node => ({
    nodes: NODES,
    install: of => [...yarn1(node), 'add', '--non-interactive', `file:${of}`],
    exec: installed,
  }),
  'Yarn 4': node => ({
    nodes: ENDS,
    files: { 'yarn.lock': '', '.yarnrc.yml': `${YARN_SETTINGS}nodeLinker: node-modules\n` },
    install: of => [...yarn4(node), 'add', `fettle@file:${of}`],
    exec: installed,
  }),
  pnpm: node => ({ nodes: ENDS, install: of => [...pnpm(node), 'add', of], exec: installed }),
  Bun: () => ({ nodes: ENDS, install: of => [bun, 'add', of], exec: installed }),
}
const CASES = Object.entries(managers).flatMap(([name, manager]) => manager('node20').nodes.map(node => [name, node] as const))

let base: string
let tarball: string
beforeAll(async () => {
  if (toolsMissing !== null) return
  base = mkdtempSync(join(tmpdir(), 'fettle-install-'))
  tarball = await pack(base)
})
afterAll(() => {
  if (base !== undefined) rmSync(base, { recursive: true, force: true })
})

function emptyFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(base, 'app-'))
  const manifest = { name: 'app', version: '1.0.0', private: true, license: 'MIT', type: 'module' }
  const all = { 'package.json': JSON.stringify(manifest), 'companies.csv': LIST, 'register.csv': REGISTER, ...files }
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text)
  return folder
}

async function withNpm(node: NodeName, files?: Readonly<Record<string, string>>): Promise<string> {
  const folder = emptyFolder(files)
  await runWith(node, managers.npm!(node).install(tarball), folder)
  return folder
}

const env = { FETTLE_DATA: 'data' }
/** What a package manager says about any project in an empty folder. */
const USUAL =
  /^npm warn Unknown (?:user|env) config|^warning \.\.\/.*package\.json: No license field|No lockfile found|\d+ new version|Update available/

describe.skipIf(toolsMissing !== null)('the installed package', () => {
  test.each(CASES)('%s on %s installs it without a warning, and it reads and writes Excel', async (name, node) => {
    const { install, exec, files = {} } = managers[name]!(node)
    const folder = emptyFolder(files)
    const said = await runWith(node, install(tarball), folder)
    expect(
      said.split('\n').filter(line => /warn|error|incompatible|EBADENGINE|deprecated/i.test(line) && !USUAL.test(line)),
    ).toEqual([])
    const fettle = (...words: string[]): Promise<string> => runWith(node, [...exec(node), ...words], folder, env)
    await fettle('register', 'import', 'csv', 'register.csv')
    await fettle('clean', 'companies.csv', '-o', 'first.xlsx', '-q')
    const text = await fettle('clean', 'first.xlsx', '--map', 'name=Company', '-o', 'second.csv')
    expect(text).toContain('1 of 2 rows matched')
    expect(readFileSync(join(folder, 'second.csv'), 'utf8')).toContain('Harrow Optics Limited')
  })

  test('under Plug’n’Play the command names the setting that Yarn needs', async () => {
    const folder = emptyFolder({ 'yarn.lock': '', '.yarnrc.yml': YARN_SETTINGS })
    await runWith('node24', [...yarn4('node24'), 'add', `fettle@file:${tarball}`], folder)
    const refused = runWith('node24', [...yarn4('node24'), 'run', 'fettle', 'clean', 'companies.csv'], folder)
    await expect(refused).rejects.toThrow('nodeLinker: node-modules')
  })

  test('it is small, and its manifest has no scripts', async () => {
    const folder = await withNpm('node22')
    const packages = Object.keys(JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')).packages)
    expect(packages.length).toBeLessThanOrEqual(MOST_PACKAGES)
    const files = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' })
    const bytes = files
      .map(file => statSync(join(folder, 'node_modules', file)))
      .reduce((sum, one) => sum + (one.isFile() ? one.size : 0), 0)
    console.log(
      `${packages.length} packages, ${(bytes / 1e6).toFixed(1)} MB, ${(statSync(tarball).size / 1e6).toFixed(2)} MB packed`,
    )
    expect(bytes / 1e6).toBeLessThan(SIZE_MB)
    const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/fettle/package.json'), 'utf8'))
    expect(['scripts', 'devDependencies', 'overrides'].filter(key => Object.hasOwn(manifest, key))).toEqual([])
  })

  test('PDFs work after the command that the service names', async () => {
    const program = `
      import { serve } from 'fettle/service'
      const service = await serve({ dataDir: 'service', registerDir: 'data/registers' })
      const { token } = await (await fetch(service.url + '/authenticate', { method: 'POST', headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: service.username, password: service.password }) })).json()
      const headers = { authorization: token, accept: 'application/json+pdf' }
      const { companies } = await (await fetch(service.url + '/companies?countries=GB&name=Harrow', { headers })).json()
      const answer = await fetch(service.url + '/companies/' + companies[0].id + '?template=full', { headers })
      const { pdf } = await (await fetch(new URL('/health', service.url))).json()
      console.log(answer.status, pdf, JSON.stringify(await answer.json()))
      await service.close()`
    const folder = await withNpm('node20', { 'pdf.mjs': program })
    await runWith('node20', [...installed('node20'), 'register', 'import', 'csv', 'register.csv'], folder, env)
    const ask = (): Promise<string> => runWith('node20', [nodeOf('node20'), 'pdf.mjs'], folder)
    const refused = await ask()
    expect(refused).toMatch(/^501 false .*npm install pdfkit dejavu-fonts-ttf/)
    await runWith(
      'node20',
      [...npm('node20'), 'install', '--engine-strict', ...(refused.match(/pdfkit dejavu-fonts-ttf/)?.[0] ?? '').split(' ')],
      folder,
    )
    expect(await ask()).toMatch(/^200 true .*"pdfReportStream":"JVBERi0/)
  })

  const PROGRAM = `
import { run, type InputRow, type RunReport } from 'fettle'
import { connect, type ConnectOptions } from 'fettle/client'
import { serve } from 'fettle/service'
import { startFaultServer } from 'fettle/testing'

async function* rows(): AsyncGenerator<InputRow> {
  yield { name: 'Harrow Optics Ltd', country: 'GB' }
}
const report: RunReport = await run({ name: 'rows', input: rows(), mappings: { name: 'name', country: 'country' } })
for await (const row of report.rows()) console.log(row['match.outcome'])
export const options: ConnectOptions = { url: 'https://connect.example/v1', username: 'u', password: 'p' }
export const name: string = [connect, serve, startFaultServer].map(one => one.name).join(' ')
console.log(name)
`

  test('a program in strict TypeScript compiles with the types of libraries checked, and runs', async () => {
    const folder = await withNpm('node22', { 'program.ts': PROGRAM })
    const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node', '--lib', 'es2023,esnext.disposable']
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false', ...types]
    const compile = (...how: string[]): Promise<string> =>
      runWith(
        'node22',
        [nodeOf('node22'), join(ROOT, 'node_modules/typescript/bin/tsc'), 'program.ts', ...strict, '--target', 'es2022', ...how],
        folder,
      )
    await compile('--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit')
    await compile('--module', 'esnext', '--moduleResolution', 'node10', '--ignoreDeprecations', '6.0', '--noEmit')
    await compile('--module', 'nodenext')
    await runWith('node22', [...installed('node22'), 'register', 'import', 'csv', 'register.csv'], folder, env)
    expect(await runWith('node22', [nodeOf('node22'), 'program.js'], folder, env)).toBe(
      'matched\nconnect serve startFaultServer\n',
    )
  })

  const BUNDLERS: Readonly<Record<string, string>> = {
    esbuild: `import { build } from 'TOOL'
      await build({ entryPoints: ['app.mjs'], bundle: true, platform: 'node', format: 'esm', outfile: 'out/app.mjs', plugins: [{ name: 'outside', setup: one => one.onResolve({ filter: /^fettle(\\/service)?$/ }, ({ path }) => ({ path, external: true })) }] })`,
    rolldown: `import { rolldown } from 'TOOL'
      const built = await rolldown({ input: 'app.mjs', platform: 'node', external: ['fettle', 'fettle/service'] })
      await built.write({ file: 'out/app.mjs', format: 'esm', codeSplitting: false })`,
    webpack: `import webpack from 'TOOL'
      const config = { entry: './app.mjs', mode: 'development', module: { parser: { javascript: { createRequire: false } } }, devtool: false, target: 'node20', experiments: { outputModule: true },
        externalsType: 'module', externals: ['fettle', 'fettle/service'], output: { path: process.cwd() + '/out', filename: 'app.mjs', module: true, chunkFormat: 'module' } }
      await new Promise((done, fail) => webpack(config, (error, stats) => error || stats.hasErrors() ? fail(error ?? new Error(stats.toString())) : done()))`,
  }
  const APP = `
import { connect } from 'fettle/client'
import { serve } from 'fettle/service'
const running = await serve({ dataDir: 'service', registerDir: 'data/registers' })
const client = connect(running)
console.log('companies', (await client.api.searchCompanies({ query: { countries: 'GB', name: 'Harrow' } })).companies.length)
await running.close()
`

  test('esbuild bundles the client as CommonJS', async () => {
    const app = `import { connect } from 'fettle/client'\nconsole.log(typeof connect({ url: 'http://127.0.0.1:9/v1', username: 'a', password: 'b' }).request)`
    const bundle = `import { build } from ${JSON.stringify(join(toolPath('esbuild'), 'lib/main.js'))}
      await build({ entryPoints: ['app.mjs'], bundle: true, platform: 'node', format: 'cjs', outfile: 'app.cjs', logLevel: 'error' })`
    const folder = await withNpm('node22', { 'app.mjs': app, 'bundle.mjs': bundle })
    await runWith('node22', [nodeOf('node22'), 'bundle.mjs'], folder)
    expect(await runWith('node22', [nodeOf('node22'), 'app.cjs'], folder)).toBe('function\n')
  })

  test.each(Object.keys(BUNDLERS))('%s bundles the client into a program that runs', async name => {
    const tool =
      name === 'rolldown'
        ? join(ROOT, 'node_modules/rolldown/dist/index.mjs')
        : join(toolPath(name), 'lib', name === 'webpack' ? 'index.js' : 'main.js')
    const folder = await withNpm('node22', { 'app.mjs': APP, 'bundle.mjs': (BUNDLERS[name] ?? '').replace('TOOL', tool) })
    await runWith('node22', [...installed('node22'), 'register', 'import', 'csv', 'register.csv'], folder, env)
    mkdirSync(join(folder, 'out'))
    await runWith('node22', [nodeOf('node22'), 'bundle.mjs'], folder)
    expect(await runWith('node22', [nodeOf('node22'), 'out/app.mjs'], folder)).toBe('companies 1\n')
    expect(/from ['"]fettle\/client/.test(readFileSync(join(folder, 'out/app.mjs'), 'utf8'))).toBe(false)
  })
})
