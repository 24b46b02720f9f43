/** The README against the product: what it names exists, what exists it names, and what it shows works. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import yargs from 'yargs'
import { COMMANDS } from '../src/cli/commands.ts'
import { pipelineJsonSchema } from '../src/compose.ts'
import { ERRORS, EXIT } from '../src/errors.ts'
import { fettle, folderOf, ROOT, start } from './cli/fettle.ts'

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8')
const README = read('README.md')

/** Blocks of code in a language. */
const blocks = (language: string): string[] =>
  [...README.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code)

/** The text of a section, without its deeper heading marks. */
const section = (title: string): string => {
  const [, text = ''] = new RegExp(`^#+ ${title}$([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(README) ?? []
  expect(text, `section ${title}`).not.toBe('')
  return text
}

const nameOf = (usage: string): string => usage.split(' ')[0] as string
const flagsOf = (command: (typeof COMMANDS)[number]): string[] => {
  const { key, alias } = (
    command.flags(yargs()) as unknown as { getOptions(): { key: object; alias: Record<string, string[]> } }
  ).getOptions()
  const positional = [...command.usage.matchAll(/[<[]([\w-]+)/g)].map(([, name]) => name)
  return Object.keys(key)
    .flatMap(name => [name, ...(alias[name] ?? [])])
    .filter(name => !['help', 'version', ...positional].includes(name))
}
const NAMES = COMMANDS.map(({ usage }) => nameOf(usage))

describe('what exists is in the README', () => {
  test.each(COMMANDS)('fettle $usage, with its flags', command => {
    const text = section('Command line')
    expect(text).toContain(`| \`fettle ${nameOf(command.usage)}`)
    for (const flag of flagsOf(command)) expect(text).toMatch(new RegExp(`\`-{1,2}${flag}\\b`))
  })

  test('every key of a pipeline', () => {
    const text = section('Pipeline file')
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

  test('exit codes, as a table with all of them and no others', () => {
    const rows = [...section('Exit codes').matchAll(/^\| ([\d /]+?) \| (\w+) \|/gm)].flatMap(([, codes = '', name = '']) =>
      codes.split(' / ').map(code => [Number(code), name] as const),
    )
    const expected = Object.entries(EXIT).map(([name, code]) => [code, code >= 130 ? 'signal' : name])
    expect(rows).toEqual(expected)
    expect(section('Exit codes')).toContain('`fettle explain CODE` explains every `FETTLE_…` code')
  })

  test('every variable of the environment that is read', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true })
      .map(String)
      .filter(name => name.endsWith('.ts'))
    const read = sources.flatMap(name => [
      ...readFileSync(join(ROOT, 'src', name), 'utf8').matchAll(
        /\benv\.([A-Z][A-Z_]+)|text\(env, '([A-Z_]+)'\)|io\.env\['([A-Z_]+)'\]/g,
      ),
    ])
    const names = new Set(read.map(([, one, two, three]) => one ?? two ?? three))
    expect(names.size).toBeGreaterThan(8)
    for (const name of names) expect(README, name).toContain(`\`${name}\``)
  })

  test('every file of a run directory, every report format and every result key', async () => {
    const text = README
    const { RENDERERS, resultLine } = await import('../src/report/index.ts')
    const { reportOf } = await import('./report/fixtures.ts')
    for (const [format, { file }] of Object.entries(RENDERERS)) {
      expect(text).toContain(format)
      if (file !== null) expect(text).toContain(`\`${file}\``)
    }
    for (const key of Object.keys(JSON.parse(resultLine(reportOf('finished'))))) expect(text).toContain(`"${key}":`)
  })
})

describe('what the documents name exists', () => {
  const documents = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'samples/README.md']
  const hints = Object.values(ERRORS).flatMap(({ text, hint }) => [text, hint])

  test('commands and their flags, in documents and in hints', () => {
    const words = [README, read('CHANGELOG.md'), read('SECURITY.md'), ...hints].join('\n')
    const named = [...words.matchAll(/(?:`|^ *|: )fettle ([a-z][a-z-]*)((?: [^`|\n#]*)?)/gm)]
    expect(named.length).toBeGreaterThan(20)
    for (const [whole, name = '', rest = ''] of named) {
      const command = COMMANDS.find(one => nameOf(one.usage) === name)
      expect(NAMES, whole).toContain(name)
      for (const [, flag = ''] of rest.matchAll(/(?<![\w-])--([a-z-]+)/g)) expect(flagsOf(command!), whole).toContain(flag)
    }
  })

  test('flags in the text, and FETTLE_ names', () => {
    const all = new Set([...COMMANDS.flatMap(flagsOf), 'debug', 'help', 'version'])
    for (const [, flag = ''] of section('Command line').matchAll(/`--([a-z-]+)/g)) expect(all, flag).toContain(flag)
    const settings = section('Settings')
    for (const [name] of documents
      .map(read)
      .join('\n')
      .matchAll(/\bFETTLE_[A-Z_]*[A-Z]\b/g))
      expect(Object.hasOwn(ERRORS, name) || settings.includes(`\`${name}\``), name).toBe(true)
  })

  test('scripts, files and links', () => {
    const { scripts } = JSON.parse(read('package.json'))
    for (const [, script = ''] of README.matchAll(/npm (?:run )?(start|test|[a-z]+:[a-z]+)/g))
      expect(scripts).toHaveProperty([script])
    for (const document of documents)
      for (const [, link = ''] of read(document).matchAll(/\]\((?!https?:|#)([^)\s]+)\)/g))
        expect(existsSync(join(ROOT, document, '..', link)), link).toBe(true)
    for (const [, path = ''] of README.matchAll(/(?<![\w/])((?:pipelines|samples|docs|schema)\/[\w./-]+\.\w+)/g))
      expect(existsSync(join(ROOT, path)), path).toBe(true)
  })

  test('the change log knows this version', () => {
    const { version } = JSON.parse(read('package.json'))
    expect(read('CHANGELOG.md')).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b`, 'm'))
    expect(read('LICENSE')).toMatch(/MIT/)
  })

  test('nothing is left to be filled in', () => {
    expect(/@[A-Z]+@|\bTODO\b|\bTBD\b|lorem/i.exec(README)?.[0] ?? '').toBe('')
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
  const cwd = folderOf(files)
  for (const name of ['samples', 'pipelines']) symlinkSync(join(ROOT, name), join(cwd, name))
  return cwd
}

describe.concurrent('what the README shows works', () => {
  const yaml = blocks('yaml')
  test('there is a smallest and a full pipeline', () => expect(yaml.length).toBeGreaterThanOrEqual(2))

  test.each(yaml.map((text, n) => [n + 1, text] as const))('pipeline %i passes the check', async (_, text) => {
    const ended = await fettle(['check', 'p.yml'], { cwd: withSamples({ 'p.yml': text }) })
    expect(ended.stderr).not.toMatch(/^error/m)
    expect(ended.code).toBe(0)
  })

  test('the smallest pipeline runs', async () => {
    const [text = ''] = yaml
    const ended = await fettle(['run', 'p.yml', '-q'], { cwd: withSamples({ 'p.yml': text }) })
    expect(ended).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('programs type-check', () => {
    const name = join(ROOT, 'test/readme-program.ts')
    const options: ts.CompilerOptions = {
      ...ts.parseJsonConfigFileContent(ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile).config, ts.sys, ROOT)
        .options,
      noEmit: true,
      paths: {
        fettle: [join(ROOT, 'src/index.ts')],
        'fettle/client': [join(ROOT, 'src/client/index.ts')],
        'fettle/service': [join(ROOT, 'src/service/index.ts')],
        'fettle/testing': [join(ROOT, 'src/testing/index.ts')],
      },
    }
    const programs = blocks('ts')
    expect(programs.length).toBeGreaterThan(0)
    for (const text of programs) {
      const host = ts.createCompilerHost(options)
      const { getSourceFile, fileExists } = host
      host.getSourceFile = (file, ...rest) =>
        file === name ? ts.createSourceFile(file, text, ts.ScriptTarget.ES2023) : getSourceFile.call(host, file, ...rest)
      host.fileExists = file => file === name || fileExists.call(host, file)
      const program = ts.createProgram([name], options, host)
      const problems = ts.getPreEmitDiagnostics(program, program.getSourceFile(name))
      expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
    }
  })

  test('commands run', async () => {
    const lines = blocks('sh').flatMap(block => block.trim().split('\n'))
    const commands = lines.flatMap(line => line.split(' && ')).filter(line => !line.startsWith('npm '))
    const [, columns = ''] = /columns `([a-zA-Z0-9,]+)`/.exec(README) ?? []
    const cwd = withSamples({
      'companies.csv': `${columns}\n1,Acme Ltd,GB${','.repeat(columns.split(',').length - 3)}\n`,
      'targets.simple.csv': 'id,schema,name,aliases,countries,dataset\n1,Company,Acme,,gb,Made-up Sanctions\n',
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
      } else expect(await fettle(args, { cwd, env }), command).toMatchObject({ code: 0 })
    }
    expect(commands.length).toBeGreaterThanOrEqual(3)
  })
})
