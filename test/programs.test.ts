/** Programs as users write them: those of the documents type-check, and an editor completes what a pipeline may have. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { MAPPINGS } from '../src/contract/data-cleaning/mappings.ts'
import { OUTPUT_FORMAT_NAMES } from '../src/formats/index.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const documents = ['README.md', ...readdirSync(join(ROOT, 'docs'), { recursive: true }).map(name => `docs/${name}`)]
  .filter(name => name.endsWith('.md'))
  .map(name => readFileSync(join(ROOT, name), 'utf8'))
  .join('\n')

// `typescript` marks a program that needs Redis: it is checked here and not run by the test of examples.
const texts = [...new Set([...documents.matchAll(/^```(?:ts|typescript)\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text))]
// Programs of docs/client.md after the first use its client.
const [client = ''] = texts.flatMap(text => /^[\s\S]*?\nconst client = .*\n/.exec(text) ?? [])
const whole = (text: string): string => (/\bclient\./.test(text) && !text.startsWith(client) ? `${client}${text}` : text)
const documented = new Map(texts.map((text, n) => [join(ROOT, `test/program-${n}.ts`), whole(text)]))

const COMPLETED = join(ROOT, 'test/completed.ts')
const INCOMPLETE = `import { definePipeline } from 'fettle'
definePipeline({ name: 'a', input: 'a.csv', mappings: { name: 'n', /*mapping*/ }, output: { path: 'o.csv', format: '/*format*/' } })`

const programs = new Map([...documented, [COMPLETED, INCOMPLETE]])
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  ROOT,
)
// One service for all of them: most of the time goes into reading the sources and their packages.
const service = ts.createLanguageService({
  ...ts.sys,
  useCaseSensitiveFileNames: () => true,
  getCompilationSettings: () => ({
    ...options,
    declaration: false,
    moduleDetection: ts.ModuleDetectionKind.Force,
    paths: {
      fettle: [join(ROOT, 'src/index.ts')],
      'fettle/client': [join(ROOT, 'src/client/index.ts')],
      'fettle/service': [join(ROOT, 'src/service/index.ts')],
      'fettle/testing': [join(ROOT, 'src/testing/index.ts')],
    },
  }),
  getScriptFileNames: () => [...programs.keys()],
  getScriptVersion: () => '1',
  getScriptSnapshot: file => {
    const found = programs.get(file) ?? ts.sys.readFile(file)
    return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found)
  },
  fileExists: file => programs.has(file) || ts.sys.fileExists(file),
  getCurrentDirectory: () => ROOT,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
})

test('programs of the documents type-check', () => {
  expect(documented.size).toBeGreaterThan(0)
  for (const [name, text] of documented) {
    const problems = [...service.getSyntacticDiagnostics(name), ...service.getSemanticDiagnostics(name)]
    expect(
      problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
      text,
    ).toEqual([])
  }
})

test('types of a pipeline complete mapping names, keys and choices', () => {
  const offered = (mark: string): string[] =>
    (service.getCompletionsAtPosition(COMPLETED, INCOMPLETE.indexOf(mark), {})?.entries ?? []).map(entry => entry.name)
  expect(offered('/*mapping*/').sort()).toEqual(MAPPINGS.filter(mapping => mapping !== 'name').sort())
  expect(offered('/*format*/').sort()).toEqual([...OUTPUT_FORMAT_NAMES].sort())
})
