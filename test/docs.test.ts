/** Compares the documents with the product: commands, flags, keys, codes and files they name exist, and their examples run. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { type Command, nameOf } from '../src/cli/command.ts'
import { COMMANDS } from '../src/cli/commands/index.ts'
import { helpOf } from '../src/cli/parse-argv.ts'
import { REPORTERS } from '../src/cli/reporters/registry.ts'
import { ERRORS, EXIT } from '../src/errors.ts'
import { parseProject, pipelineJsonSchema, projectJsonSchema } from '../src/pipeline/index.ts'
import { ENVIRONMENT, fettle, folderOf, ROOT, start } from './system/cli/fettle.ts'

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8')
const README = read('README.md')
const DOCS = readdirSync(join(ROOT, 'docs'))
  .filter(name => name.endsWith('.md'))
  .map(name => `docs/${name}`)
const EXAMPLES_DOCS = [
  'examples/README.md',
  ...readdirSync(join(ROOT, 'examples')).flatMap(name => (name.includes('.') ? [] : [`examples/${name}/README.md`])),
]
const COMMAND_LINE = read('docs/command-line.md')
const PIPELINE = read('docs/pipeline.md')
const EVERYTHING = [README, ...DOCS.map(read)].join('\n')

/** Blocks of code in a language, of all documents, each once. */
const blocks = (language: string): string[] => [
  ...new Set(
    [...EVERYTHING.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code),
  ),
]

/** The text of a section, without its deeper heading marks. */
const section = (title: string, document: string): string => {
  const [, text = ''] = new RegExp(`^#+ ${title}$([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(document) ?? []
  expect(text, `section ${title}`).not.toBe('')
  return text
}

const flagsOf = ({ options }: Command): string[] =>
  options.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]))
const NAMES = COMMANDS.map(nameOf)

describe('what exists is in the documents', () => {
  test.each(COMMANDS)('fettle $usage, with its flags', command => {
    expect(section('Overview', COMMAND_LINE)).toContain(`| \`fettle ${nameOf(command)}`)
    const text =
      section('Commands', COMMAND_LINE)
        .split(`### fettle ${nameOf(command)}\n`)[1]
        ?.split('\n### ')[0] ?? ''
    const groups = [...text.matchAll(/\b(list|pipeline|run) flags\b/g)].map(
      ([, group = '']) => COMMAND_LINE.split(new RegExp(`^${group} flags:$`, 'im'))[1]?.split('\n```\n')[0],
    )
    const all = [text, ...groups].join('\n')
    for (const { name } of command.options) expect(all).toMatch(new RegExp(`\\s--${name}\\b`))
  })

  test.each(NAMES)('fettle %s has examples, in its help too, and they can be typed', async name => {
    const command = COMMANDS.find(one => nameOf(one) === name)!
    const { examples } = command
    expect(examples.length).toBeGreaterThan(0)
    const help = await helpOf(command, 110)
    for (const [line, what] of examples) {
      expect(line).toMatch(new RegExp(`^fettle ${name}\\b`))
      expect(help.replace(/\s+/g, ' ')).toContain(line)
      expect(help).toContain(what.split(' ')[0])
      for (const [, flag = ''] of line.matchAll(/ --([a-z-]+)/g)) expect(flagsOf(command), line).toContain(flag)
    }
  })

  test.each(COMMANDS)('fettle $usage describes each of its positionals, in their order', ({ usage, positionals = [] }) =>
    expect(positionals.map(({ name }) => name)).toEqual([...usage.matchAll(/[<[]([\w-]+)/g)].map(([, name]) => name)),
  )

  test('every reporter, with its default path', () => {
    const rows = section('Reporters', read('docs/reports.md'))
      .split('\n')
      .filter(line => line.startsWith('| `'))
      .map(line => line.split('|').map(cell => cell.trim().replaceAll('`', '')))
    const expected = Object.entries(REPORTERS).map(([name, { defaultPath }]) => [
      name,
      defaultPath === null ? '' : `fettle-runs/${defaultPath}`,
    ])
    expect(rows.map(([, name, , path]) => [name, path]).sort()).toEqual(expected.sort())
  })

  test('every key of a pipeline', () => {
    const text = PIPELINE
    const keys = new Set<string>()
    const walk = (schema: Record<string, unknown>): void => {
      for (const [name, property] of Object.entries((schema.properties ?? {}) as Record<string, Record<string, unknown>>)) {
        keys.add(name)
        walk(property)
      }
      for (const one of (schema.anyOf ?? []) as Record<string, unknown>[]) walk(one)
    }
    walk(pipelineJsonSchema())
    expect(keys.size).toBeGreaterThan(60)
    for (const key of keys) expect(text, key).toMatch(new RegExp(`(?<![\\w])${key.replace('$', '\\$')}(?![\\w])`))
  })

  test('every key of the project file', () => {
    const text = read('docs/project.md')
    const { properties } = projectJsonSchema() as { properties: Record<string, { properties?: object }> }
    for (const [name, one] of Object.entries(properties))
      for (const key of [name, ...Object.keys(one.properties ?? {})]) expect(text, key).toContain(key)
  })

  test('every key of a report, with its meaning', () => {
    // A line may name several keys of one object: the first in full, the others by their last part. A long line is wrapped.
    const [, ...tables] = read('docs/report-json.md').split('```text\n')
    const lines = tables.flatMap(table => (table.split('\n```')[0] ?? '').replaceAll(/\n {6,}/g, '  ').split('\n'))
    const rows = new Map(
      lines.flatMap(line => {
        const [names = '', , meaning = ''] = line.split(/ {2,}/)
        const [first = '', ...others] = names.split(', ')
        return [first, ...others.map(name => `${first.slice(0, first.lastIndexOf('.') + 1)}${name}`)].map(key => [key, meaning])
      }),
    )
    const walk = (value: unknown, path: string, documented: string): void => {
      if (Array.isArray(value)) for (const one of value) walk(one, `${path}[]`, documented)
      if (Array.isArray(value) || value === null || typeof value !== 'object') return
      const like = / keys as in (\S+)$/.exec(rows.get(documented) ?? '')?.[1] ?? documented
      const prefix = like === '' ? '' : `${like}.`
      if (![...rows.keys()].some(key => key.startsWith(prefix))) return
      for (const [name, below] of Object.entries(value)) {
        const key = ['', '[]', '[][]'].map(ending => `${prefix}${name}${ending}`).find(one => rows.has(one))
        expect(key, `${path}.${name}`).toBeDefined()
        expect(rows.get(key!)).toMatch(/\w{2}/)
        walk(below, `${path}.${name}`, key!)
      }
    }
    const { results, ...report } = JSON.parse(read('test/unit/report/golden/finished.json'))
    walk(report, '', '')
    expect(results).toHaveLength(1)
    walk(results[0], 'results[]', '')
  })

  test('exit codes, as a table with all of them and no others', () => {
    const rows = [...section('Exit codes', COMMAND_LINE).matchAll(/^\| ([\d /]+?) \| (\w+) \|/gm)].flatMap(
      ([, codes = '', name = '']) => codes.split(' / ').map(code => [Number(code), name] as const),
    )
    const expected = Object.entries(EXIT).map(([name, code]) => [code, code >= 130 ? 'signal' : name])
    expect(rows).toEqual(expected)
    expect(section('Exit codes', COMMAND_LINE)).toContain('`fettle explain CODE` explains every `FETTLE_…` code')
  })

  test('every variable of the environment that is read', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true })
      .map(String)
      .filter(name => name.endsWith('.ts'))
    const read = sources.flatMap(name => [
      ...readFileSync(join(ROOT, 'src', name), 'utf8').matchAll(
        /\benv\.([A-Z][A-Z_]+)\b(?! \?\?=)|text\(env, '([A-Z_]+)'\)|io\.env\['([A-Z_]+)'\]/g,
      ),
    ])
    const names = new Set(read.map(([, one, two, three]) => one ?? two ?? three))
    expect(names.size).toBeGreaterThan(8)
    for (const name of names) expect(COMMAND_LINE, name).toContain(`\`${name}\``)
  })

  test('every file of a run directory, every report format and every result key', async () => {
    const text = EVERYTHING
    const { RENDERERS, resultLine } = await import('../src/report/index.ts')
    const { reportOf } = await import('./unit/report/fixtures.ts')
    for (const [format, { file }] of Object.entries(RENDERERS)) {
      expect(text).toContain(format)
      if (file !== null) expect(text).toContain(`\`${file}\``)
    }
    for (const key of Object.keys(JSON.parse(resultLine(reportOf('finished'))))) expect(text).toContain(`"${key}":`)
  })
})

describe('what the documents name exists', () => {
  const documents = [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'samples/README.md',
    ...EXAMPLES_DOCS,
    ...DOCS,
  ]
  const hints = Object.values(ERRORS).flatMap(({ text, hint }) => [text, hint])

  test('commands and their flags, in documents and in hints', () => {
    const prose = [EVERYTHING, read('CHANGELOG.md'), read('SECURITY.md')].join('\n')
    const code = [...prose.matchAll(/^```\w+\n([\s\S]*?)^```$|`([^`\n]+)`|^ {4,}(fettle .*)$/gm)].map(found =>
      found.slice(1).find(text => text !== undefined),
    )
    const named = [...[...code, ...hints].join('\n').matchAll(/(?:`|^ *|: )fettle ([a-z][a-z-]*)((?: [^`|\n#]*)?)/gm)]
    expect(named.length).toBeGreaterThan(100)
    for (const [whole, name = '', rest = ''] of named) {
      const command = COMMANDS.find(one => nameOf(one) === name)
      expect(NAMES, whole).toContain(name)
      for (const [, flag = ''] of rest.matchAll(/(?<![\w-])--([a-z-]+)/g)) expect(flagsOf(command!), whole).toContain(flag)
    }
  })

  test('flags in the text, and FETTLE_ names', () => {
    const all = new Set([...COMMANDS.flatMap(flagsOf), 'debug', 'help', 'version'])
    for (const [, flag = ''] of EVERYTHING.matchAll(/`--([a-z-]+)/g)) expect(all, flag).toContain(flag)
    const settings = section('Settings', COMMAND_LINE)
    // Walks of tests have variables of their own.
    const walks = [
      'test/support/stride.ts',
      'test/system/kill/commands/every-operation.ts',
      'test/unit/execution/event-nights.deep.test.ts',
    ]
      .map(read)
      .join('\n')
    for (const file of documents)
      for (const [name] of read(file).matchAll(/\bFETTLE_[A-Z_]*[A-Z]\b/g)) {
        const isOfTests = file === 'CONTRIBUTING.md' && walks.includes(name)
        expect(isOfTests || Object.hasOwn(ERRORS, name) || settings.includes(`\`${name}\``), name).toBe(true)
      }
  })

  test('scripts, files and links', () => {
    const { scripts } = JSON.parse(read('package.json'))
    for (const [, script = ''] of EVERYTHING.matchAll(/npm (?:run )?(start|test|[a-z]+:[a-z]+)/g))
      expect(scripts).toHaveProperty([script])
    const anchors = (name: string): string[] =>
      [...read(name).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      )
    for (const document of documents)
      for (const [, link = ''] of read(document).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
        const [file = '', anchor] = link.split('#')
        const target = file === '' ? document : relative(ROOT, join(ROOT, document, '..', file))
        expect(existsSync(join(ROOT, target)), link).toBe(true)
        if (anchor !== undefined) expect(anchors(target), link).toContain(anchor)
      }
    for (const [, path = ''] of EVERYTHING.matchAll(/(?<![\w/])((?:pipelines|samples|docs|schema)\/[\w./-]+\.\w+)/g))
      expect(existsSync(join(ROOT, path)), path).toBe(true)
  })

  test('every table of every page is rendered as a table', () => {
    for (const document of documents) {
      const page = micromark(read(document), { extensions: [gfm()], htmlExtensions: [gfmHtml()] })
      const prose = page.replace(/<(pre|table|code)\b[\s\S]*?<\/\1>/g, '')
      expect([document, /^.*\|.*$/m.exec(prose)?.[0] ?? '']).toEqual([document, ''])
      // Of a row with too many cells, as by a bare | in code, the last ones are not shown.
      const cellsOf = (row: string): number => row.replace(/\|$/, '').split(/(?<!\\)\|/).length
      for (const table of read(document)
        .replace(/^ *```[\s\S]*?^ *```/gm, '')
        .match(/(?:^\|.*\n)+/gm) ?? []) {
        const [head = '', ...rows] = table.trimEnd().split('\n')
        expect([document, rows.find(row => cellsOf(row) !== cellsOf(head)) ?? '']).toEqual([document, ''])
      }
    }
  })

  test('the change log has a section for this version', () => {
    const { version } = JSON.parse(read('package.json'))
    expect(read('CHANGELOG.md')).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b`, 'm'))
    expect(read('LICENSE')).toMatch(/MIT/)
  })

  test('nothing is left to be filled in', () => {
    expect(/@[A-Z]+@|\bTODO\b|\bTBD\b|lorem/i.exec(EVERYTHING)?.[0] ?? '').toBe('')
  })

  test('no path of one machine stands anywhere', () => {
    const files = execFileSync('git', ['ls-files', '-z', '*.ts', '*.mjs', '*.md', '*.json', '*.yml', '*.csv', '.ci/*'], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    const machine = /(?<![\w.~:/\\-])\/(?:home|root|Users|mnt|srv|work|workspace|tmp)\/\w|registry\.npm|npmjs\.org/
    for (const file of files.split('\0').filter(name => name !== '' && existsSync(join(ROOT, name)))) {
      const found = file === 'package-lock.json' ? null : machine.exec(read(file))
      expect(found?.[0] ?? '', file).toBe('')
    }
    for (const document of documents) expect(read(document)).not.toMatch(/\b(?:session|helper|prompt)s?\b/i)
  })
})

/** A working directory with the samples and pipelines of the repository. */
const withSamples = (files: Record<string, string> = {}): string => {
  const table = 'rules: [{ name: found, when: { match.outcome: matched }, decision: accept }]\notherwise: refer\n'
  const cwd = folderOf({ 'decisions/limit.yml': table, ...files })
  for (const name of ['samples', 'pipelines', 'examples/onboarding'])
    cpSync(join(ROOT, name), join(cwd, name), { recursive: true })
  return cwd
}

/** Tests of pipelines and project files differ from pipelines by their keys. */
const isTest = (text: string): boolean => /^tests:/m.test(text)
const isProject = (text: string): boolean => /^targets:/m.test(text)

describe.concurrent('what the documents show works', () => {
  const yaml = blocks('yaml').filter(text => !isTest(text) && !isProject(text))
  test('there is a smallest and a full pipeline', () => expect(yaml.length).toBeGreaterThanOrEqual(2))

  test.each(yaml.map((text, n) => [n + 1, text] as const))('pipeline %i passes the check', async (_, text) => {
    const ended = await fettle(['check', 'p.yml'], { cwd: withSamples({ 'p.yml': text }) })
    expect(ended.stderr).not.toMatch(/^error/m)
    expect(ended.code).toBe(0)
  })

  test('the project file is valid', () => {
    const [text = ''] = blocks('yaml').filter(isProject)
    expect(parseProject(text, 'fettle.yml', {}).issues).toEqual([])
  })

  test('the test of a pipeline passes', async () => {
    const [text = ''] = blocks('yaml').filter(isTest)
    const pipeline =
      'name: p\ninput: { path: in.csv, key: Supplier No }\nmappings: { name: Company Name, country: Country }\noutput: out.csv\n'
    const ended = await fettle(['test'], { cwd: folderOf({ 'suppliers.yml': pipeline, 'suppliers.test.yml': text }) })
    expect(blocks('text')).toContain(`$ fettle test\n${ended.stdout}`)
  })

  test('the README runs from the empty folder of a project, in its order', async () => {
    const cwd = folderOf({})
    mkdirSync(join(cwd, 'node_modules'))
    symlinkSync(ROOT, join(cwd, 'node_modules/fettle'))
    const [copy = '', copied = ''] = /cp -r node_modules\/fettle\/\{(.+?)\} \./.exec(README) ?? []
    expect((JSON.parse(read('package.json')) as { files: string[] }).files).toEqual(expect.arrayContaining(copied.split(',')))
    execFileSync('bash', ['-c', copy], { cwd })
    const block = (language: string): string =>
      new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(README)?.[1] ?? ''
    writeFileSync(join(cwd, 'clean.yml'), block('yaml'))
    writeFileSync(join(cwd, 'program.mjs'), block('ts'))
    const [, run = ''] = /`fettle (run clean\.yml [^`]*)`/.exec(README) ?? []
    for (const command of [
      block('sh')
        .trim()
        .replace(/^fettle /, ''),
      run,
    ]) {
      const ended = await fettle(command.split(' '), { cwd })
      expect(ended.code, `${command}: ${ended.stderr}`).toBe(0)
    }
    for (const file of ['out/companies-clean.csv', 'out/clean.csv', 'result.json']) expect(existsSync(join(cwd, file))).toBe(true)
    expect(execFileSync(process.execPath, ['program.mjs'], { cwd, env: { ...process.env, ...ENVIRONMENT } }).toString()).toMatch(
      /^success 0\./,
    )
  })

  test('the smallest pipeline runs', async () => {
    const [text = ''] = yaml
    const ended = await fettle(['run', 'p.yml', '-q'], { cwd: withSamples({ 'p.yml': text }) })
    expect(ended).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('workflows name existing files and flags, have a time limit, and upload artifacts after a failure', () => {
    const workflows = ['examples/github/nightly.yml', 'examples/gitlab/nightly.gitlab-ci.yml'].map(read)
    for (const text of workflows) {
      parseYaml(text, { strict: true })
      const [, name = '', rest = ''] = /npx --no-install fettle (\w+)(.*)/.exec(text) ?? []
      const command = COMMANDS.find(one => nameOf(one) === name)
      for (const [, flag = ''] of rest.matchAll(/ --([a-z-]+)/g)) expect(flagsOf(command!)).toContain(flag)
      expect(rest).toContain('--timeout')
      expect(text).toMatch(/always/)
      expect(text).toContain('fettle-runs/')
    }
  })

  test('scripts of other languages can be read by them', () => {
    for (const text of blocks('bash')) execFileSync('bash', ['-n'], { input: text })
    expect(blocks('bash').length).toBeGreaterThan(0)
  })

  test('JSON can be read', () => {
    for (const text of blocks('json'))
      expect(() =>
        text
          .trim()
          .split('\n')
          .map(line => JSON.parse(line)),
      ).not.toThrow()
  })

  test('every block has a language that a test checks', () => {
    const languages = new Set([...EVERYTHING.matchAll(/^```(\S+)$/gm)].map(([, language]) => language))
    // The fronts are run by test/system/cli/fronts.deep.test.ts.
    expect([...languages].sort()).toEqual(['bash', 'caddyfile', 'nginx', 'sh', 'text', 'ts', 'typescript', 'yaml'])
  })

  test('commands run', async () => {
    const lines = blocks('sh').flatMap(block => block.trim().split('\n'))
    const commands = [...new Set(lines.flatMap(line => line.split(' && ')))].filter(line => !line.startsWith('npm '))
    const [, columns = ''] = /columns `([a-zA-Z0-9,]+)`/.exec(EVERYTHING) ?? []
    const cwd = withSamples({
      'companies.csv': `${columns}\n1,Acme Ltd,GB${','.repeat(columns.split(',').length - 3)}\n`,
      'targets.simple.csv': 'id,schema,name,aliases,countries,dataset\n1,Company,Acme,,gb,Made-up Sanctions\n',
      'SDN.XML':
        '<sdnList><publshInformation><Record_Count>1</Record_Count></publshInformation><sdnEntry><uid>1</uid><lastName>Acme</lastName></sdnEntry></sdnList>',
      'consolidated.xml':
        '<CONSOLIDATED_LIST><ENTITIES><ENTITY><DATAID>1</DATAID><FIRST_NAME>Acme</FIRST_NAME></ENTITY></ENTITIES></CONSOLIDATED_LIST>',
      'UK-Sanctions-List.csv': 'Unique ID,Name 6,Name type,Designation Type,Regime Name\nX1,Acme,Primary Name,Entity,Made-up\n',
      'ours.csv': 'name,datasets\nAcme,SAN\n',
    })
    const env = { FETTLE_DATA: join(cwd, 'data') }
    for (const command of commands) {
      const [program, ...args] = command.split(' ')
      expect(program).toBe('fettle')
      if (args[0] === 'serve') {
        const serving = start(
          args.map(word => (/^\d+$/.test(word) ? '0' : word)),
          { cwd, env },
        )
        await serving.seen(/listening on/)
        serving.child.kill('SIGTERM')
        expect((await serving.ended).code).toBe(0)
      } else {
        const ended = await fettle(args, { cwd, env })
        expect(ended.code, `${command}: ${ended.stderr}`).toBe(0)
      }
    }
    expect(commands.length).toBeGreaterThanOrEqual(3)
  })
})
