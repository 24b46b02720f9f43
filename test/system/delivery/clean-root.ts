/**
 * Runs the steps of a Dockerfile without a container engine: each stage in a root folder with nothing but the programs that every
 * Debian has, Node and npm, in namespaces of its own. Network access is the machine's. Needs root, for chroot, and dpkg.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Copy, DockerfileParser, type Env, type Instruction, type JSONInstruction } from 'dockerfile-ast'
import { type Ended, follow } from '../cli/fettle.ts'
import { nodeOf, toolPath } from '../install/tools.ts'

/** Why steps cannot be run here, null if they can. */
export const rootMissing: string | null = ((): string | null => {
  try {
    execFileSync('unshare', ['--mount', '--pid', '--fork', 'dpkg', '--version'], { stdio: 'ignore' })
    return process.getuid?.() === 0 ? null : 'only root may change its root folder'
  } catch {
    return 'namespaces of Linux and dpkg are needed'
  }
})()
if (rootMissing !== null) console.warn(`The steps of the Dockerfile are not run: ${rootMissing}`)

/** A stage as far as it is built; the last one is the image. */
export interface Stage {
  readonly root: string
  readonly env: Record<string, string>
  readonly labels: Record<string, string>
  workdir: string
  user: string
  entrypoint: readonly string[]
  health: readonly string[]
  volumes: readonly string[]
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Programs of the packages without which dpkg lets no system be. */
function essentialPrograms(): string[] {
  const names = execFileSync('dpkg-query', ['-Wf', '${Essential} ${Package}\\n'], { encoding: 'utf8' })
    .split('\n')
    .flatMap(line => (line.startsWith('yes ') ? [line.slice(4)] : []))
  const files = execFileSync('dpkg', ['-L', ...names], { encoding: 'utf8' }).split('\n')
  return files.filter(file => /^(?:\/usr)?\/bin\/[^/]+$/.test(file) && existsSync(file))
}

/** The root folder of `node:22-slim`, without its libraries, which are mounted. */
function baseRoot(root: string): void {
  for (const folder of ['usr/bin', 'usr/lib', 'usr/lib64', 'usr/local/bin', 'usr/local/lib', 'etc', 'proc', 'dev', 'tmp', 'root'])
    mkdirSync(join(root, folder), { recursive: true })
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name))
  chmodSync(join(root, 'tmp'), 0o1777)
  for (const file of essentialPrograms()) {
    const to = join(root, 'usr/bin', basename(file))
    if (lstatSync(file).isSymbolicLink()) cpSync(file, to, { verbatimSymlinks: true })
    else copyFileSync(file, to)
  }
  // dash is what `sh` is on Debian; its package makes the link when it is set up.
  if (!existsSync(join(root, 'usr/bin/sh'))) symlinkSync('dash', join(root, 'usr/bin/sh'))
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
  const certificates = process.env.NODE_EXTRA_CA_CERTS
  for (const file of ['/etc/resolv.conf', '/etc/hosts', ...(certificates === undefined ? [] : [certificates])]) {
    if (!existsSync(file)) continue
    mkdirSync(dirname(join(root, file)), { recursive: true })
    copyFileSync(file, join(root, file))
  }
  copyFileSync(nodeOf('node22'), join(root, 'usr/local/bin/node'))
  cpSync(toolPath('npm'), join(root, 'usr/local/lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name))
  for (const name of ['npm', 'npx']) chmodSync(join(root, `usr/local/lib/node_modules/npm/bin/${name}-cli.js`), 0o755)
}

/** How npm reaches its registry, and where it keeps what it got. */
const OUTSIDE = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(?:npm_config_(?:registry|.*proxy|cafile)|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i.test(name),
  ),
) as Record<string, string>

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Starts a command in a stage as its first process. */
function start(stage: Stage, command: readonly string[], more: Readonly<Record<string, string>> = {}): ChildProcess {
  const { root, user, workdir } = stage
  const env = { PATH, HOME: user === '0:0' ? '/root' : '/tmp', ...OUTSIDE, ...stage.env, ...more }
  const mounts = [
    ...['lib', 'lib64'].map(name => `mount -o bind,ro /usr/${name} ${quoted(join(root, 'usr', name))}`),
    `mount -t proc proc ${quoted(join(root, 'proc'))}`,
    `mount --rbind /dev ${quoted(join(root, 'dev'))}`,
  ]
  const variables = Object.entries(env).map(([name, value]) => quoted(`${name}=${value}`))
  const inside = `cd ${quoted(workdir)} && exec "$@"`
  const script = [
    'set -e',
    ...mounts,
    `exec chroot --userspec=${user} ${quoted(root)} /usr/bin/env -i ${variables.join(' ')} /bin/sh -c ${quoted(inside)} sh "$@"`,
  ].join('\n')
  return spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, 'sh', ...command])
}

export const follows = (stage: Stage, command: readonly string[], env?: Readonly<Record<string, string>>) =>
  follow(start(stage, command, env))

/** Runs a command of the image to its end. */
export const runIn = (stage: Stage, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended> =>
  follows(stage, [...stage.entrypoint, ...args], env).ended

/** Runs a command beside the first process of a container, as a health check does. */
export const runBeside = (first: number, stage: Stage, command: readonly string[]): Promise<Ended> => {
  const [user = '', group = ''] = stage.user.split(':')
  const where = ['--target', String(first), '--mount', '--pid', '--root', '--wd', '-S', user, '-G', group]
  return follow(spawn('nsenter', [...where, '--', '/usr/bin/env', '-i', `PATH=${PATH}`, ...command])).ended
}

/** The first process of a container, by the process that started it. */
export const firstProcess = ({ pid }: ChildProcess): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])

/** What `COPY . .` leaves out: each line of .dockerignore names an entry of the top folder. */
function ignored(context: string): Set<string> {
  const lines = readFileSync(join(context, '.dockerignore'), 'utf8')
    .split('\n')
    .filter(line => line !== '')
  const odd = lines.filter(line => /[*?!#/[]/.test(line))
  if (odd.length > 0) throw new Error(`.dockerignore: only names of the top folder are supported, not ${odd.join(', ')}`)
  return new Set(lines)
}

export async function build(file: string, context: string, folder: string): Promise<Stage> {
  const stages = new Map<string, Stage>()
  let stage: Stage | null = null
  const leftOut = ignored(context)
  const copy = (instruction: Copy, to: Stage): void => {
    const from = instruction
      .getFlags()
      .find(flag => flag.getName() === 'from')
      ?.getValue()
    const words = instruction.getArguments().map(word => word.getValue())
    const target = words.pop() ?? ''
    const source = from == null ? context : (stages.get(from)?.root ?? '')
    if (source === '') throw new Error(`COPY --from=${from}: there is no such stage`)
    const isFolder = target.endsWith('/') || words.length > 1
    const place = join(to.root, target.startsWith('/') ? '' : to.workdir, target)
    for (const word of words) {
      const path = join(source, word)
      const into = lstatSync(path).isDirectory() || !isFolder ? place : join(place, basename(word))
      mkdirSync(dirname(into), { recursive: true })
      cpSync(path, into, {
        recursive: true,
        verbatimSymlinks: true,
        filter: one => from != null || !leftOut.has(one.slice(context.length).replace(/^\//, '')),
      })
    }
  }
  const run = async (instruction: Instruction, on: Stage): Promise<void> => {
    const text = instruction.getRawArgumentsContent() ?? ''
    const { code, stdout, stderr } = await follows(on, ['/bin/sh', '-c', text], { npm_config_cache: '/npm-cache' }).ended
    if (code !== 0) throw new Error(`RUN ${text} ended with ${code}\n${stdout}\n${stderr}`)
  }
  const strings = (instruction: Instruction): string[] =>
    (instruction as JSONInstruction).getJSONStrings().map(one => one.getJSONValue())
  for (const instruction of DockerfileParser.parse(readFileSync(file, 'utf8')).getInstructions()) {
    const keyword = instruction.getKeyword()
    const words = instruction.getArguments().map(word => word.getValue())
    if (keyword === 'FROM') {
      if (words[0] !== 'node:22-slim') throw new Error(`FROM ${words[0]}: only node:22-slim can be made here`)
      const name = words[2] ?? 'image'
      stage = {
        root: join(folder, name),
        env: {},
        labels: {},
        workdir: '/',
        user: '0:0',
        entrypoint: [],
        health: [],
        volumes: [],
      }
      baseRoot(stage.root)
      stages.set(name, stage)
      continue
    }
    if (stage === null) throw new Error(`${keyword} before FROM`)
    if (keyword === 'WORKDIR') {
      stage.workdir = words[0] ?? '/'
      mkdirSync(join(stage.root, stage.workdir), { recursive: true })
    } else if (keyword === 'COPY') copy(instruction as Copy, stage)
    else if (keyword === 'RUN') await run(instruction, stage)
    else if (keyword === 'ENV' || keyword === 'LABEL') {
      const values = (instruction as Env).getProperties().map(one => [one.getName(), one.getValue() ?? ''] as const)
      Object.assign(keyword === 'ENV' ? stage.env : stage.labels, Object.fromEntries(values))
    } else if (keyword === 'USER') stage.user = words[0] ?? ''
    else if (keyword === 'VOLUME') stage.volumes = strings(instruction)
    else if (keyword === 'ENTRYPOINT') stage.entrypoint = strings(instruction)
    else if (keyword === 'HEALTHCHECK')
      stage.health = JSON.parse(/CMD\s+(\[.*\])/.exec(instruction.getRawArgumentsContent() ?? '')?.[1] ?? '[]')
    else if (keyword !== 'EXPOSE' && keyword !== 'CMD') throw new Error(`${keyword} is not known here`)
  }
  if (stage === null) throw new Error(`${file} has no FROM`)
  return stage
}
