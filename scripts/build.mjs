/**
 * Builds the package. `node scripts/build.mjs` writes ./dist: bundled programs with source maps, the declarations of what they
 * export, and the list of what is bundled. `buildForTests()` writes the programs alone, and each source file as a module of
 * its own into ./build, for tests and benchmarks that need a part of fettle; only what is out of date is written.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { decode, encode } from '@jridgewell/sourcemap-codec'
import { rolldown } from 'rolldown'
import { transformSync } from 'rolldown/utils'
import { writePlainTypes } from './plain-types.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const [src, dist, modules] = ['src', 'dist', 'build'].map(name => join(root, name))

/** What users import or start, and the worker threads. */
const ENTRIES = {
  'cli/main': 'cli/main',
  index: 'index',
  'client/index': 'client/index',
  'service/index': 'service/index',
  'testing/index': 'testing/index',
  'match-thread': 'service/data-cleaning/processing/match-thread',
  'enrich-thread': 'service/data-cleaning/processing/enrich-thread',
  'row-thread': 'input/thread/row-thread',
  'dedupe-thread': 'dedupe/compare-thread',
}

/** Not bundled: WebAssembly and fonts that are read as files, what costs no time to load, and the optional packages (docs/architecture.md). */
const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const EXTERNAL = Object.keys({ ...dependencies, ...peerDependencies })

/**
 * Parts of packages that fettle never reaches, by package or file: the bundle leaves them out. undici's index also loads fetch, caches
 * and mocks, its clients HTTP/2 and SOCKS; fastify runs without schema compilers, logger and injector (service/app.ts), trusts no proxy,
 * has one plugin, of its own version, and no route with a regular expression; form-data gets its content type from us.
 */
const NOTHING = 'export default {}'
const SLIM = {
  undici: `
    import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
    import Agent from 'undici/lib/dispatcher/agent.js'
    import Pool from 'undici/lib/dispatcher/pool.js'
    import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js'
    import buildConnector from 'undici/lib/core/connect.js'
    import connect from 'undici/lib/api/api-connect.js'
    import request from 'undici/lib/api/api-request.js'
    Object.assign(Dispatcher.prototype, { connect, request })
    export { Agent, Pool, ProxyAgent, buildConnector }`,
  // Its parser twice, as text: the one without vector instructions runs everywhere, and is used where loading this one fails.
  '../llhttp/llhttp_simd-wasm.js': NOTHING,
  './client-h2.js': NOTHING,
  './socks5-proxy-agent': NOTHING,
  '../web/fetch/body.js': NOTHING,
  '@fastify/ajv-compiler': NOTHING,
  '@fastify/fast-json-stringify-compiler': NOTHING,
  'light-my-request': NOTHING,
  pino: NOTHING,
  semver: 'export const satisfies = () => true',
  '@fastify/proxy-addr': NOTHING,
  'safe-regex2': 'module.exports = () => true',
  'mime-db': NOTHING,
}
/** What the packages of yargs import instead. */
const YARGS = {
  // yargs checks its own arguments with these two: `node:assert` takes 5 ms to load.
  assert: `
  export const strictEqual = (found, expected) => { if (found !== expected) throw new Error(\`\${found} is not \${expected}\`) }
  export const notStrictEqual = (found, other) => { if (found === other) throw new Error(\`\${found} is not expected\`) }`,
  // The help is ASCII: it needs no table of wide characters and emoji, which takes longer to load than yargs.
  'string-width': 'export default text => text.length',
}
const slim = {
  name: 'slim',
  resolveId(id, importer = '') {
    if (Object.hasOwn(YARGS, id)) return /[\\/](?:yargs|cliui|wrap-ansi)[\\/]/.test(importer) ? `\0slim:${id}` : null
    return Object.hasOwn(SLIM, id) && (!id.startsWith('.') || importer.includes('undici')) ? `\0slim:${id}` : null
  },
  load: id => (id.startsWith('\0slim:') ? { ...SLIM, ...YARGS }[id.slice('\0slim:'.length)] : null),
}

/**
 * any-ascii transliterates all scripts with 550 kB of code. The bundle has what European names need (Latin, Greek, Cyrillic and
 * punctuation), and reads the other blocks from a file, a line for each, with the first text that has one.
 */
const NEAR = [0x00, 0x01, 0x02, 0x03, 0x04, 0x1e, 0x20, 0x21]
const LAST_BLOCK = 0x10ffff >> 8
const transliteration = {
  name: 'transliteration',
  async load(id) {
    if (!/any-ascii[\\/]block\.js$/.test(id)) return null
    const { default: block } = await import(pathToFileURL(id))
    const blocks = Array.from({ length: LAST_BLOCK + 1 }, (_, at) => block(at))
    const text = blocks.join('\n')
    // The digest of the engine is that of its file, and so has to change with the table.
    const name = `any-ascii-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.br`
    this.emitFile({ type: 'asset', fileName: `chunks/${name}`, source: brotliCompressSync(text) })
    return `
      import { readFileSync } from 'node:fs'
      import { brotliDecompressSync } from 'node:zlib'
      const near = ${JSON.stringify(Object.fromEntries(NEAR.map(at => [at, blocks[at]])))}
      let all
      const read = () => brotliDecompressSync(readFileSync(new URL('./${name}', import.meta.url))).toString().split('\\n')
      export default at => near[at] ?? (all ??= read())[at]`
  },
}

const GROUPS = [
  // One file, so that its digest is that of the engine (registers/engine-digest.ts).
  { name: 'matching', test: /src[\\/](?:service[\\/]matching|normalise|service[\\/]registers[\\/]engine-digest)\b/ },
  { name: 'zod', test: /node_modules[\\/]zod[\\/]/ },
]

const timeOf = path => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
const filesIn = (folder, ending) =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith(ending)) : []

/** The modules that a start loads: those that the chunk of `file` reaches without `import()`. */
function loadedBy(file, output) {
  const chunks = new Map(output.filter(({ type }) => type === 'chunk').map(chunk => [chunk.fileName, chunk]))
  const path = join(src, file)
  const own = [...chunks.values()].filter(({ moduleIds }) => moduleIds.includes(path))
  const reached = new Set(own.map(({ fileName }) => fileName))
  for (const name of reached) for (const other of chunks.get(name)?.imports ?? []) reached.add(other)
  return new Set([...reached].flatMap(name => chunks.get(name)?.moduleIds ?? []))
}

/**
 * Loading a file takes 0.7 ms, and a bundler makes one for each set of importers: seventy for a run. What each start of a program, of
 * the client, of the library and of `fettle run` loads is joined instead. The client is apart from the library, which imports optional
 * packages: a bundler that finds the import wants the package.
 */
function startGroups(output) {
  const files = ['cli/program.ts', 'client/index.ts', 'index.ts', 'cli/commands/run/run.ts']
  const [program, client, library, run] = files.map(file => loadedBy(file, output))
  const groups = {
    base: id => program.has(id) && client.has(id),
    client: id => client.has(id),
    start: id => program.has(id) && (library.has(id) || run.has(id)),
    library: id => library.has(id),
    run: id => run.has(id),
  }
  // An entry in a group would export what other chunks use of the group, too.
  const entries = new Set(Object.values(ENTRIES).map(file => join(src, `${file}.ts`)))
  // Not what the index files of folders import besides: it is left out above.
  return Object.entries(groups).map(([name, test]) => ({
    name,
    test: id => !entries.has(id) && test(id),
    includeDependenciesRecursively: false,
  }))
}

/** Bundles the programs into ./dist. */
async function bundle() {
  const built = await rolldown({
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(src, `${file}.ts`)])),
    platform: 'node',
    // Required by `includeDependenciesRecursively` below.
    preserveEntrySignatures: 'allow-extension',
    // The same code as modules, of which the unused ones are left out.
    resolve: { alias: { yaml: join(root, 'node_modules/yaml/browser/dist/index.js') } },
    plugins: [slim, transliteration],
    external: id => id.startsWith('node:') || EXTERNAL.some(name => id === name || id.startsWith(`${name}/`)),
    // Only entries do anything when they are loaded: a chunk reaches no more of a folder's index than it uses.
    treeshake: { moduleSideEffects: [{ test: /[\\/]src[\\/]/, sideEffects: false }] },
    checks: { circularDependency: false, ineffectiveDynamicImport: false },
  })
  const options = {
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    sourcemap: true,
    sourcemapExcludeSources: true,
    // Lines stay: Node prints the line of an uncaught error, which would be a whole file.
    minify: { mangle: true, compress: true, codegen: { removeWhitespace: false } },
    keepNames: true,
    // The declarations have them.
    comments: { jsdoc: false },
  }
  const parts = await built.generate({ ...options, codeSplitting: { groups: GROUPS } })
  const { output } = await built.write({ ...options, codeSplitting: { groups: [...GROUPS, ...startGroups(parts.output)] } })
  await built.close()
  const written = new Set(output.map(({ fileName }) => fileName))
  for (const name of ['.js', '.map', '.json', '.txt', '.br'].flatMap(ending => filesIn(dist, ending)))
    if (!written.has(name.replaceAll('\\', '/'))) rmSync(join(dist, name))
  // It uses nothing of it, and has to run on versions of Node that cannot.
  const entry = join(dist, 'cli/main.js')
  writeFileSync(entry, readFileSync(entry, 'utf8').replace(/^import "[^"]*rolldown-runtime\.js";$/m, ''))
  // A bundle of the client as CommonJS has no import.meta.
  const runtime = join(dist, 'chunks/rolldown-runtime.js')
  writeFileSync(runtime, readFileSync(runtime, 'utf8').replace('(import.meta.url)', '(import.meta.url ?? __filename)'))
  for (const name of filesIn(dist, '.map')) writeFileSync(join(dist, name), ownLines(readFileSync(join(dist, name), 'utf8')))
  writeFileSync(
    join(dist, 'bundled.json'),
    `${JSON.stringify(findBundled(output.flatMap(({ moduleIds = [] }) => moduleIds)), null, 1)}\n`,
  )
}

/** A source map of fettle's own modules and of lines alone, as a stack trace prints them: an eighth of the size. */
function ownLines(text) {
  const { sources, mappings } = JSON.parse(text)
  const own = sources.map(source => !source.includes('node_modules'))
  const lines = decode(mappings).map(segments => {
    const placed = segments.map(([column, source, line]) => (own[source] ? [column, source, line, 0] : [column]))
    return placed.filter(([, ...place], index) => String(place) !== String(placed[index - 1]?.slice(1)))
  })
  const kept = sources.map((source, index) => (own[index] ? source : null))
  return JSON.stringify({ version: 3, sources: kept, names: [], mappings: encode(lines) })
}

/** Every package of which a module is bundled; `path` from the root, `imported`: by fettle itself. */
function findBundled(ids) {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const folders = new Set(ids.flatMap(id => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? []))
  return [...folders].sort().map(folder => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return {
      name,
      version,
      license,
      path: relative(root, folder).replaceAll('\\', '/'),
      imported: Object.hasOwn(devDependencies, name),
    }
  })
}

/** Bundles the declarations that the entries reach into ./dist. `npm run typecheck` checks the types: here the optional packages are missing. */
async function declare() {
  // Inside the project, so that the types of zod are found.
  const draft = join(root, 'node_modules/.cache/declarations')
  rmSync(draft, { recursive: true, force: true })
  const typescript = join(root, 'node_modules/typescript/bin/tsc')
  const compile = [typescript, '-p', 'tsconfig.build.json', '--noCheck', '--outDir', draft]
  const { status } = spawnSync(process.execPath, compile, { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('the declarations cannot be written')
  writePlainTypes(draft, root)
  const { dts } = await import('rolldown-plugin-dts')
  const names = Object.keys(ENTRIES).filter(one => one.endsWith('index'))
  const built = await rolldown({
    input: Object.fromEntries(names.map(name => [name, join(draft, `${name}.d.ts`)])),
    plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false, resolver: 'oxc' })],
    external: id => !/^[./]/.test(id) && !isAbsolute(id),
    checks: { circularDependency: false },
  })
  await built.write({ dir: dist, format: 'esm', entryFileNames: '[name].d.ts', chunkFileNames: 'types/[name].d.ts' })
  await built.close()
  rmSync(draft, { recursive: true, force: true })
}

/** Removes the types of a source. Throws with file, line and column of a syntax error. */
export function compile(file, text) {
  const { code, errors } = transformSync(file, text, {
    target: 'node20',
    typescript: { rewriteImportExtensions: 'rewrite', onlyRemoveTypeImports: true },
    tsconfig: false,
  })
  if (errors.length > 0)
    throw new Error(`${file} cannot be compiled:\n${errors.map(error => error.codeframe ?? error.message).join('\n')}`)
  return code
}

/** Compiles each source file that is newer than its module in ./build. */
function compileModules() {
  const sources = filesIn(src, '.ts')
  for (const name of sources) {
    const [from, to] = [join(src, name), join(modules, `${name.slice(0, -3)}.js`)]
    if (timeOf(to) > timeOf(from)) continue
    const code = compile(from, readFileSync(from, 'utf8'))
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, code)
  }
  const tables = filesIn(src, '.json')
  for (const name of tables) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    if (timeOf(join(modules, name)) <= timeOf(join(src, name))) copyFileSync(join(src, name), join(modules, name))
  }
  const wanted = new Set([...sources.map(name => `${name.slice(0, -3)}.js`), ...tables])
  for (const name of [...filesIn(modules, '.js'), ...filesIn(modules, '.json')])
    if (!wanted.has(name)) rmSync(join(modules, name))
}

/** Brings ./dist (without declarations) and ./build up to date. */
export async function buildForTests() {
  compileModules()
  const inputs = [
    ...filesIn(src, '').map(name => join(src, name)),
    join(root, 'package-lock.json'),
    fileURLToPath(import.meta.url),
  ]
  const builtAt = timeOf(join(dist, 'bundled.json'))
  // A folder's time changes when a file in it is removed.
  if (inputs.some(path => timeOf(path) >= builtAt)) await bundle()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(dist, { recursive: true, force: true })
  await bundle()
  compileModules()
  await declare()
}
