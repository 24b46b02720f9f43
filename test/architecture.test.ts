/** The design's rules as a scan of every source file: import arrows, cycles, doors for packages, time and chance, docs. */
import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { ARROWS, LAYERS } from './support/import-law.ts'

/** Packages with more than one door, and why. */
const SHARED_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  zod: Object.keys(ARROWS), // every folder's schemas
  'csv-parse': ['input', 'results', 'service'], // the service is a second implementation, with nothing of input's
  'csv-stringify': ['formats', 'results', 'service'],
}

/** Transport, multipart, S3 and PDF stand behind one file each. */
const ONE_FILE = ['undici', 'form-data', '@aws-sdk/client-s3', '@aws-sdk/lib-storage', 'pdfkit']

/** Where time, chance, the environment and the console are owned; everybody else takes them as parameters. */
const EDGES = [
  /^cli\//, // the terminal and its signals
  /^(?:library\/(?:calls|options)|prepare\/read-pipeline)\.ts$/, // the environment of a program that passes none
  /^observe\/lineage\.ts$/, // a receiver that does not answer is given up in real time
  /^service\/(?:serve|clock)\.ts$/, // the embedded service's own clock and timers
  /^files\/process-lock\.ts$/, // a lock beats in real time
  /^client\/clock\.ts$/, // the clock of a client used without a run
  /^testing\/(?:faults\/perform|virtual-clock)\.ts$/, // faults happen in real time, and rest is judged by it
]
const AMBIENT = /^(?:process\.env|Date\.now|Math\.random|console\..+|(?:global(?:This)?\.)?set(?:Timeout|Interval))$/

/** Whether an import's target is a file of src: code, or a table of data in JSON. */
const isOwn = (target: string): boolean => /\.(?:ts|json)$/.test(target)

type Files = ReadonlyMap<string, string>
interface Import {
  from: string
  to: string
  typeOnly: boolean
}

const folderOf = (file: string): string =>
  file.startsWith('service/matching/')
    ? 'service/matching'
    : file.startsWith('reuse/files/')
      ? 'reuse/files'
      : file === 'formats/index.ts'
        ? 'formats/index'
        : (file.split('/')[0] ?? '').replace(/\.ts$/, '')
const packageOf = (name: string): string => name.split('/', name.startsWith('@') ? 2 : 1).join('/')

function importsOf(file: string, source: ts.SourceFile): Import[] {
  const found: Import[] = []
  const add = (to: ts.Node | undefined, typeOnly: boolean): void => {
    if (to !== undefined && ts.isStringLiteral(to)) {
      const target = to.text.startsWith('.') ? posix.join(posix.dirname(file), to.text) : to.text
      found.push({ from: file, to: target, typeOnly })
    }
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const names = node.importClause?.namedBindings
      const each = names !== undefined && ts.isNamedImports(names) && node.importClause?.name === undefined ? names.elements : []
      add(node.moduleSpecifier, node.importClause?.isTypeOnly === true || (each.length > 0 && each.every(one => one.isTypeOnly)))
    } else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly)
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0], false)
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function arrowFault({ from, to, typeOnly }: Import): string | null {
  const folder = folderOf(from)
  if (isOwn(to) && folderOf(to) === folder) return null
  const target = isOwn(to) ? folderOf(to) : to.startsWith('node:') ? to : packageOf(to)
  const may = ARROWS[folder]
  if (may === undefined) return `${from}: the folder ${folder} is not in the design`
  if (may.includes(target) || (target.startsWith('node:') && may.includes('node:'))) return null
  if (typeOnly && may.includes(`${target}:types`)) return null
  const isPlugin = folder === 'service' && (target.startsWith('@fastify/') || target.startsWith('fastify-'))
  return isPlugin ? null : `${from}: may not import ${target}${may.includes(`${target}:types`) ? ' but for types' : ''}`
}

/** `service/matching/blocking/a.ts` -> ['service/matching', 'blocking']; null for a loose file of its folder. */
function layerOf(file: string): readonly [folder: string, layer: string] | null {
  const folder = folderOf(file)
  const [layer, ...rest] = file.slice(folder.length + 1).split('/')
  return layer === undefined || rest.length === 0 || !(folder in LAYERS) ? null : [folder, layer]
}

function layerFault({ from, to }: Import): string | null {
  const [mine, theirs] = [layerOf(from), isOwn(to) ? layerOf(to) : null]
  if (mine === null || theirs === null || mine[0] !== theirs[0] || mine[1] === theirs[1]) return null
  const order = LAYERS[mine[0]] ?? []
  const unknown = [mine[1], theirs[1]].find(layer => !order.includes(layer))
  if (unknown !== undefined) return `${from}: ${mine[0]}/${unknown} has no place in the order of its folder`
  return order.indexOf(theirs[1]) < order.indexOf(mine[1])
    ? null
    : `${from}: may not import ${theirs.join('/')}, which is above it`
}

function doorFaults(imports: readonly Import[]): string[] {
  const outside = imports.filter(({ to }) => !isOwn(to) && !to.startsWith('node:'))
  return [...new Set(outside.map(({ to }) => packageOf(to)))].flatMap(name => {
    const users = outside.filter(({ to }) => packageOf(to) === name).map(({ from }) => from)
    const doors = new Set(ONE_FILE.includes(name) ? users : users.map(folderOf))
    const allowed = SHARED_PACKAGES[name]
    const tooMany = allowed === undefined ? doors.size > 1 : [...doors].some(door => !allowed.includes(door))
    return tooMany ? [`${name} enters by more than one door: ${[...doors].sort().join(', ')}`] : []
  })
}

function cycleFaults(imports: readonly Import[]): string[] {
  const next = new Map<string, string[]>()
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to])
  const left = new Set<string>()
  const faults: string[] = []
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) faults.push(`cycle: ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`)
    else if (!left.has(file)) {
      for (const to of next.get(file) ?? []) walk(to, [...path, file])
      left.add(file)
    }
  }
  for (const file of next.keys()) walk(file, [])
  return faults
}

const isExported = (node: ts.Statement): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(one => one.kind === ts.SyntaxKind.ExportKeyword)

/** Modules of the package's `exports`: what they re-export is the public surface. */
const ENTRIES = ['index.ts', 'client/index.ts', 'service/index.ts', 'testing/index.ts']

/** File -> the names of its own that an entry exports, through any number of re-exports. */
function publicNames(sources: ReadonlyMap<string, ts.SourceFile>): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  const add = (file: string, names: readonly string[] | null): void => {
    const source = sources.get(file)
    if (source === undefined) return
    for (const node of source.statements) {
      if (!ts.isExportDeclaration(node) || node.moduleSpecifier === undefined || !ts.isStringLiteral(node.moduleSpecifier))
        continue
      const to = posix.join(posix.dirname(file), node.moduleSpecifier.text)
      if (node.exportClause === undefined) add(to, names)
      else if (ts.isNamedExports(node.exportClause)) {
        const passed = node.exportClause.elements.filter(one => names === null || names.includes(one.name.text))
        if (passed.length > 0)
          add(
            to,
            passed.map(one => (one.propertyName ?? one.name).text),
          )
      }
    }
    const own = source.statements.filter(isExported).flatMap(namesOf)
    const known = found.get(file) ?? new Set()
    for (const name of names ?? own) if (own.includes(name)) known.add(name)
    found.set(file, known)
  }
  for (const entry of ENTRIES) add(entry, null)
  return found
}

const namesOf = (node: ts.Statement): string[] =>
  ts.isVariableStatement(node)
    ? node.declarationList.declarations.map(one => one.name.getText())
    : 'name' in node && ts.isIdentifier(node.name as ts.Node)
      ? [(node.name as ts.Identifier).text]
      : []

function fileFaults(file: string, text: string, source: ts.SourceFile, publics: ReadonlySet<string> = new Set()): string[] {
  const faults: string[] = []
  const say = (node: ts.Node, what: string): void => {
    faults.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}: ${what}`)
  }
  if (!/^(?:#!.*\n)?\/\*\* ?\S?/.test(text)) faults.push(`${file}: does not open with a /** comment`)
  source.statements.forEach((node, index) => {
    if (!isExported(node) || !namesOf(node).some(name => publics.has(name))) return
    const docs = (ts.getLeadingCommentRanges(text, node.pos) ?? []).filter(range => text.startsWith('/**', range.pos))
    // The head of a file is not the comment of the export that happens to come first.
    if (docs.length < (index === 0 ? 2 : 1)) say(node, 'a public export without a TSDoc comment')
  })
  const isEdge = EDGES.some(edge => edge.test(file))
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) || ts.isIdentifier(node)) {
      const name = node.getText(source)
      const isUse = !ts.isIdentifier(node) || (ts.isCallExpression(node.parent) && node.parent.expression === node)
      if (isUse && AMBIENT.test(name) && !isEdge) say(node, `${name} outside the edges`)
      // The second Ctrl-C on Windows, which has no signal to die of.
      if (name === 'process.exit' && file !== 'cli/program.ts') say(node, 'process.exit: set process.exitCode instead')
    }
    if (ts.isNewExpression(node) && node.expression.getText(source) === 'Date' && !node.arguments?.length && !isEdge)
      say(node, 'new Date() outside the edges')
    ts.forEachChild(node, visit)
  }
  visit(source)
  return faults
}

function scan(files: Files): string[] {
  const sources = [...files].map(
    ([file, text]) => [file, text, ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true)] as const,
  )
  const publics = publicNames(new Map(sources.map(([file, , source]) => [file, source])))
  const imports = sources.flatMap(([file, , source]) => importsOf(file, source))
  const arrows = imports.flatMap(one => arrowFault(one) ?? [])
  const layers = imports.flatMap(one => layerFault(one) ?? [])
  return [
    ...arrows,
    ...layers,
    ...doorFaults(imports),
    ...cycleFaults(imports),
    ...sources.flatMap(one => fileFaults(...one, publics.get(one[0]))),
  ]
}

test('src follows the design', () => {
  const root = new URL('../src/', import.meta.url)
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
  const files = new Map(names.map(name => [name, readFileSync(new URL(name, root), 'utf8')]))
  expect(files.size).toBeGreaterThan(30)
  expect(scan(files)).toEqual([])
})

const HEAD = '/** Head. */\n'
const file = (body: string): string => `${HEAD}import type {} from 'zod'\n${body}\n`

test.each<[string, Record<string, string>, string]>([
  ['run imports Node', { 'run/a.ts': `${HEAD}import 'node:fs'` }, 'run/a.ts: may not import node:fs'],
  ['run imports client', { 'run/a.ts': `${HEAD}import type { x } from '../client/b.ts'` }, 'run/a.ts: may not import client'],
  ['a dynamic import', { 'run/a.ts': `${HEAD}await import('../input/b.ts')` }, 'run/a.ts: may not import input'],
  ['an inline type import', { 'client/a.ts': `${HEAD}type A = import('../run/b.ts').B` }, 'client/a.ts: may not import run'],
  [
    'a value where types are allowed',
    { 'input/a.ts': `${HEAD}import { type b, c } from '../pipeline/b.ts'` },
    'input/a.ts: may not import pipeline but for types',
  ],
  [
    'matching is not pure',
    { 'service/matching/a.ts': `${HEAD}import 'node:crypto'` },
    'service/matching/a.ts: may not import node:crypto',
  ],
  [
    'data of another folder',
    { 'run/a.ts': `${HEAD}import a from '../input/a.json' with { type: 'json' }` },
    'run/a.ts: may not import input',
  ],
  ['the island reaches over', { 'service/a.ts': `${HEAD}export * from '../input/b.ts'` }, 'service/a.ts: may not import input'],
  ['runs imports cli', { 'runs/a.ts': `${HEAD}import '../cli/b.ts'` }, 'runs/a.ts: may not import cli'],
  [
    'an import against the order of subfolders',
    { 'input/scan/a.ts': `${HEAD}import '../table/b.ts'` },
    'input/scan/a.ts: may not import input/table, which is above it',
  ],
  [
    'a subfolder without a place',
    { 'input/misc/a.ts': `${HEAD}import '../scan/b.ts'` },
    'input/misc/a.ts: input/misc has no place in the order of its folder',
  ],
  ['a new folder', { 'utils/a.ts': `${HEAD}import '../errors.ts'` }, 'utils/a.ts: the folder utils is not in the design'],
  [
    'a second file with undici',
    { 'client/a.ts': `${HEAD}import 'undici'`, 'client/b.ts': `${HEAD}import 'undici'` },
    'undici enters by more than one door: client/a.ts, client/b.ts',
  ],
  [
    'a cycle',
    { 'run/a.ts': `${HEAD}import './b.ts'`, 'run/b.ts': `${HEAD}import type { a } from './a.ts'` },
    'cycle: run/a.ts -> run/b.ts -> run/a.ts',
  ],
  ['the environment', { 'contract/a.ts': file('const a = process.env.HOME') }, 'contract/a.ts:3: process.env outside the edges'],
  ['the wall clock', { 'contract/a.ts': file('const a = [Date.now()]') }, 'contract/a.ts:3: Date.now outside the edges'],
  [
    'the wall clock, by constructor',
    { 'contract/a.ts': file('const a = new Date()') },
    'contract/a.ts:3: new Date() outside the edges',
  ],
  ['chance', { 'contract/a.ts': file('const a = Math.random') }, 'contract/a.ts:3: Math.random outside the edges'],
  ['a timer', { 'contract/a.ts': file('setTimeout(() => {}, 1)') }, 'contract/a.ts:3: setTimeout outside the edges'],
  ['the console', { 'contract/a.ts': file('console.log(1)') }, 'contract/a.ts:3: console.log outside the edges'],
  ['an exit', { 'cli/a.ts': `${HEAD}process.exit(1)` }, 'cli/a.ts:2: process.exit: set process.exitCode instead'],
  ['a file without a head', { 'contract/a.ts': 'let a' }, 'contract/a.ts: does not open with a /** comment'],
  [
    'a public export without a comment',
    {
      'index.ts': `${HEAD}export { a } from './contract/a.ts'\n`,
      'contract/a.ts': file('export const a = 1\nexport const b = 1'),
    },
    'contract/a.ts:3: a public export without a TSDoc comment',
  ],
  [
    'a head that is no export’s comment',
    { 'index.ts': `${HEAD}export * from './contract/a.ts'\n`, 'contract/a.ts': `${HEAD}export const a = 1` },
    'contract/a.ts:2: a public export without a TSDoc comment',
  ],
])('the scan catches %s', (_, files, fault) => {
  expect(scan(new Map(Object.entries(files)))).toEqual([fault])
})

test('the scan accepts what the design allows', () => {
  const fine = {
    'library/options.ts': `${HEAD}import '../runs/b.ts'\nconst now = Date.now()`,
    'client/b.ts': `${HEAD}import 'undici'\nimport { setTimeout as wait } from 'node:timers/promises'`,
    'input/c.ts': `${HEAD}import type { d } from '../pipeline/d.ts'\nconst at = new Date(0)`,
    'pipeline/d.ts': `${HEAD}import { createHash } from 'node:crypto'\n/** A d. */\nexport type d = 1`,
    'service/e.ts': `${HEAD}import '@fastify/multipart'\nimport 'fastify-type-provider-zod'\nimport './matching/f.ts'`,
    'service/matching/f.ts': `${HEAD}import '../../normalise/g.ts'\nimport g from './g.json' with { type: 'json' }\nconst text = 'Date.now() and process.env are words here'`,
  }
  expect(scan(new Map(Object.entries(fine)))).toEqual([])
})
