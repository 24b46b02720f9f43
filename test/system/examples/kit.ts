/**
 * Shared by the tests of examples/: a project with a list, its pipeline and fettle among its packages, and the results of a
 * single run. Commands of the examples run literally.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { atEnd, BINARY, ENVIRONMENT, type Ended, fettle, folderOf, follow, pipelineOf, ROOT, ROWS } from '../cli/fettle.ts'

/** What is worth keeping from one run of the tests to the next. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fettle-tests')
/** Compiled Python, which would else lie beside the examples. */
const COMPILED = join(CACHE, 'compiled')

/** The outputs of the pipeline. */
const FILES = ['suppliers.csv', 'unmatched.csv', 'review.csv']
const OUTPUT = `output: {path: out/${FILES[0]}, unmatched: out/${FILES[1]}, review: out/${FILES[2]}}
checks: {matched: {warn: "< 90%"}, duplicates: {fail: "> 50%"}}`

/** A project folder, and the environment of its commands. */
export interface Project {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** A fresh project; `more` changes its environment. */
export function project(more: Readonly<Record<string, string>> = {}): Project {
  const cwd = folderOf({
    'rows.csv': ROWS,
    'pipelines/suppliers.yml': pipelineOf('suppliers', OUTPUT),
    'package.json': '{"private": true}',
  })
  const bin = join(cwd, 'node_modules/.bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'fettle'), `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`)
  chmodSync(join(bin, 'fettle'), 0o755)
  return {
    cwd,
    env: { ...ENVIRONMENT, SUPPLIERS_PROJECT: cwd, PYTHONPYCACHEPREFIX: COMPILED, ...more, PATH: `${bin}:${ENVIRONMENT.PATH}` },
  }
}

/** The run keys in the journals of a project. */
export function runKeysOf({ cwd }: Project): Set<string> {
  const runs = join(cwd, 'fettle-runs')
  const journals = readdirSync(runs, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('journal.jsonl'))
  return new Set(
    journals.flatMap(name => [...readFileSync(join(runs, name), 'utf8').matchAll(/"runKey":"([^"]+)"/g)].map(([, key]) => key!)),
  )
}

/** Sends its command to the test's process and prints the answer. */
const client = (socket: string): string => `#!${process.execPath}
const socket = require('node:net').connect(${JSON.stringify(socket)})
let text = ''
socket.setEncoding('utf8').on('data', part => (text += part)).on('end', () => {
  const { code, stdout, stderr } = JSON.parse(text)
  process.stdout.write(stdout)
  process.stderr.write(stderr)
  process.exitCode = code
})
socket.end(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), env: process.env }))
`

/**
 * A project whose `fettle` and `npx` are small programs that have the command carried out in the test's process, one at a time:
 * for commands that need no process of their own.
 */
export async function projectHere(more: Readonly<Record<string, string>> = {}): Promise<Project> {
  const made = project(more)
  const socket = join(made.cwd, 'socket')
  const server = createServer({ allowHalfOpen: true }, connection => {
    let text = ''
    connection.setEncoding('utf8').on('data', part => {
      text += part
    })
    connection.on('end', async () => {
      const { args, cwd, env } = JSON.parse(text)
      connection.end(JSON.stringify(await fettle(args, { cwd, env })))
    })
  }).listen(socket)
  atEnd(() => server.close())
  await once(server, 'listening')
  const bin = join(made.cwd, 'node_modules/.bin')
  writeFileSync(join(bin, 'fettle'), client(socket))
  writeFileSync(join(bin, 'npx'), '#!/bin/sh\n[ "$1" = --no-install ] && shift\nexec "$@"\n', { mode: 0o755 })
  return made
}

/** Runs a program in a project. */
export const run = (command: string, args: readonly string[], { cwd, env }: Project): Promise<Ended> =>
  follow(spawn(command, [...args], { cwd, env })).ended

/** Runs shell commands as CI platforms do: the first that fails ends them. */
export const shell = (script: string, where: Project): Promise<Ended> => run('bash', ['-eo', 'pipefail', '-c', script], where)

/** All output files of a project. */
export const outputsOf = ({ cwd }: Project): string[] => FILES.map(name => readFileSync(join(cwd, 'out', name), 'utf8'))

/** What one run of the pipeline makes. */
export async function outputsOfOneRun(more: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const alone = project(more)
  const { code, stderr } = await fettle(['run', 'pipelines/suppliers.yml', '-q'], alone)
  if (code !== 0) throw new Error(stderr)
  return outputsOf(alone)
}

/** A YAML file of examples/, anchors resolved. */
export const example = (name: string) => parse(readFileSync(join(ROOT, 'examples', name), 'utf8'), { merge: true })
