/** Clients that generators make of the description run a job without an edit by hand. */
import { execFile, execFileSync } from 'node:child_process'
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { pythonMissing, pythonWith } from '../../system/examples/python.ts'
import { send, startService, temporaryFolder } from '../../unit/service/kit.ts'

const HERE = import.meta.dirname
const call = promisify(execFile)

const has = (program: string): boolean => {
  try {
    execFileSync('which', [program])
    return true
  } catch {
    return false
  }
}

/** In a folder with the description in `openapi.json`: makes the client, and gives the command that runs the job. */
type Make = (cwd: string) => Promise<readonly [program: string, ...args: string[]]>

const generate = async (cwd: string, ...args: readonly string[]): Promise<void> => {
  const bin = await pythonWith('test/contract/generated/openapi-generator.txt')
  await call(join(bin, 'openapi-generator-cli'), ['generate', '-i', 'openapi.json', '-o', 'made', ...args], {
    cwd,
    maxBuffer: 2 ** 26,
  })
}

async function python(cwd: string): ReturnType<Make> {
  const bin = await pythonWith('test/contract/generated/requirements.txt')
  const args = ['generate', '--path', 'openapi.json', '--output-path', 'made', '--meta', 'none']
  await call(join(bin, 'openapi-python-client'), args, { cwd })
  return [join(bin, 'python'), join(HERE, 'job.py')]
}

async function go(cwd: string): ReturnType<Make> {
  const repository = ['--git-host', 'example.org', '--git-user-id', 'fettle', '--git-repo-id', 'made']
  await generate(cwd, '-g', 'go', '--package-name', 'made', ...repository)
  await mkdir(join(cwd, 'made/job'))
  await copyFile(join(HERE, 'job.go'), join(cwd, 'made/job/main.go'))
  await call('go', ['build', '-o', join(cwd, 'job'), './job'], { cwd: join(cwd, 'made') })
  return [join(cwd, 'job')]
}

async function java(cwd: string): ReturnType<Make> {
  await generate(cwd, '-g', 'java', '--library', 'native')
  await copyFile(join(HERE, 'Job.java'), join(cwd, 'made/src/main/java/Job.java'))
  const paths = join(cwd, 'classpath')
  const goals = ['compile', 'dependency:build-classpath', `-Dmdep.outputFile=${paths}`]
  await call('mvn', ['-q', '-B', ...goals], { cwd: join(cwd, 'made') })
  return ['java', '-cp', [join(cwd, 'made/target/classes'), await readFile(paths, 'utf8')].join(delimiter), 'Job']
}

/** Newtonsoft.Json 12, which the client needs, from npm; the one of Debian is older. */
const JSON_PACKAGE = 'jillejr.newtonsoft.json-for-unity@12.0.101'

async function csharp(cwd: string): ReturnType<Make> {
  const settings = 'targetFramework=netstandard2.0,packageName=Made,nullableReferenceTypes=false,supportsRetry=false'
  await generate(cwd, '-g', 'csharp', '--library', 'httpclient', `--additional-properties=${settings}`)
  const { stdout } = await call('npm', ['pack', '--silent', JSON_PACKAGE], { cwd })
  await call('tar', ['xzf', stdout.trim(), 'package/Plugins/Newtonsoft.Json Editor'], { cwd })
  await rename(join(cwd, 'package/Plugins/Newtonsoft.Json Editor/Newtonsoft.Json.dll'), join(cwd, 'Newtonsoft.Json.dll'))
  await copyFile(join(HERE, 'Job.cs'), join(cwd, 'made/src/Made/Job.cs'))
  const system = ['Net.Http', 'Runtime.Serialization', 'ComponentModel.DataAnnotations'].map(name => `-r:System.${name}.dll`)
  const libraries = [`-r:${join(cwd, 'Newtonsoft.Json.dll')}`, ...system]
  const args = ['-langversion:7.2', `-out:${join(cwd, 'job.exe')}`, ...libraries, '-recurse:*.cs']
  await call('mcs', args, { cwd: join(cwd, 'made/src/Made') })
  return ['mono', join(cwd, 'job.exe')]
}

const LANGUAGES: Readonly<Record<string, { readonly programs: readonly string[]; readonly make: Make }>> = {
  Python: { programs: [], make: python },
  Go: { programs: ['java', 'go'], make: go },
  Java: { programs: ['java', 'mvn'], make: java },
  'C#': { programs: ['java', 'mcs', 'mono', 'npm', 'tar'], make: csharp },
}

for (const [language, { programs, make }] of Object.entries(LANGUAGES)) {
  const missing = programs.filter(program => !has(program))
  if (missing.length > 0)
    process.stderr.write(`\n\nNO JOB IS RUN BY A CLIENT IN ${language}: ${missing.join(', ')} missing\n\n\n`)
  const isSkipped = pythonMissing !== null || missing.length > 0
  test.skipIf(isSkipped)(`a generated client in ${language} runs a job`, async () => {
    const { url, username, password } = await startService()
    const cwd = await temporaryFolder()
    await writeFile(join(cwd, 'openapi.json'), JSON.stringify((await send(`${url}/openapi.json`)).body))
    const [program, ...args] = await make(cwd)
    const { stdout } = await call(program, [...args, url, username, password], { cwd })
    expect(stdout).toMatch(/^1 http\S+\/files\//)
  })
}
