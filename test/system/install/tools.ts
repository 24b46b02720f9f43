/** Node 20, 22 and 24, package managers and bundlers from npm, once for all tests, in the cache. Without a network the tests are skipped with a message. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const call = promisify(execFile)

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fettle-tests/install')
const SYSTEM = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

export const NODES = ['node20', 'node22', 'node24'] as const
export type NodeName = (typeof NODES)[number]

const TOOLS = {
  ...Object.fromEntries(NODES.map(name => [name, `npm:node-${SYSTEM}@${name.slice(4)}`])),
  npm: '11',
  yarn: '1',
  '@yarnpkg/cli-dist': '4',
  pnpm: '10',
  [`@oven/bun-${SYSTEM.replace('win', 'windows').replace('arm64', 'aarch64')}`]: '1',
  esbuild: '^0.25.0',
  webpack: '5',
}

/** Settings of npm for the project that runs this test would reach the package managers. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_(?!config_(?:registry|.*proxy|cafile)$)|NODE_(?!EXTRA_CA_CERTS$)|FETTLE_|INIT_CWD)/i.test(name),
  ),
)

/** Runs a program by one of the Nodes; resolves with all it printed. */
export async function runWith(
  node: NodeName,
  program: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> {
  const bin = dirname(nodeOf(node))
  const PATH = [bin, process.env.PATH].join(delimiter)
  const [file = '', ...words] = program
  const fail = (error: Error & { stdout?: string }): never => {
    throw new Error(`${error.message}\n${error.stdout ?? ''}`, { cause: error })
  }
  const { stdout, stderr } = await call(file, words, { cwd, env: { ...ENVIRONMENT, ...env, PATH }, maxBuffer: 2 ** 26 }).catch(
    fail,
  )
  return stdout + stderr
}

export const toolPath = (name: string): string => join(CACHE, 'tools/node_modules', name)
export const nodeOf = (name: NodeName): string => join(toolPath(name), process.platform === 'win32' ? 'bin/node.exe' : 'bin/node')

async function install(): Promise<void> {
  if (existsSync(join(CACHE, 'tools'))) return
  mkdirSync(CACHE, { recursive: true })
  const draft = mkdtempSync(join(CACHE, 'making-'))
  try {
    writeFileSync(join(draft, 'package.json'), JSON.stringify({ private: true, dependencies: TOOLS }))
    await call('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: draft, env: ENVIRONMENT })
    renameSync(draft, join(CACHE, 'tools'))
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Why the tools are missing; null when they are there. */
export const toolsMissing: string | null = await install().then(
  () => null,
  (error: Error) => {
    const why = `the package managers cannot be installed: ${error.message.split('\n').slice(0, 3).join(' ')}`
    console.warn(`Tests of the installed package are skipped: ${why}`)
    return why
  },
)

/** The packed package, built from the sources in a folder of its own: other tests read ./dist meanwhile. */
export async function pack(folder: string): Promise<string> {
  const names = (await call('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })).stdout
  const copy = join(folder, 'source')
  mkdirSync(copy)
  for (const name of names
    .trim()
    .split('\n')
    .filter(one => !one.startsWith('test/') && existsSync(join(ROOT, one))))
    cpSync(join(ROOT, name), join(copy, name))
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  const { stdout } = await call('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: copy,
    env: ENVIRONMENT,
  })
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  return join(folder, filename)
}
