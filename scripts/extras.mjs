/**
 * Installs the packages that only some tasks need: `node scripts/extras.mjs NAME…`, each a folder of scripts/extras with its own lock
 * file. They lie in node_modules/.cache/extras, linked into node_modules.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = join(root, 'node_modules')
const cache = join(modules, '.cache/extras')

/** Without the settings that npm passes on to its scripts: they would lead it elsewhere. */
export function runNpm(args, cwd) {
  const foreign = /^npm_config_(?:global|prefix|local_prefix|global_prefix|include|omit|location)$/i
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))
  execFileSync('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund'], { cwd, env, stdio: ['ignore', 2, 2] })
}

/** Another process may install the same group: the first one to rename its folder wins. */
function install(group, folder) {
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(join(cache, 'draft-'))
  try {
    for (const name of ['package.json', 'package-lock.json'])
      copyFileSync(join(root, 'scripts/extras', group, name), join(draft, name))
    console.error(`Installing the packages of scripts/extras/${group}`)
    runNpm(['ci', '--legacy-peer-deps'], draft)
    renameSync(draft, folder)
    for (const name of readdirSync(cache))
      if (name.startsWith(`${group}-`) && join(cache, name) !== folder) rmSync(join(cache, name), { recursive: true })
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function link(name, folder) {
  const path = join(modules, name)
  const target = relative(dirname(path), join(folder, 'node_modules', name))
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSymbolicLink() && readlinkSync(path) === target) return
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { force: true })
  try {
    symlinkSync(target, path, 'junction')
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
}

export function installExtras(...groups) {
  for (const group of groups) {
    const read = name => readFileSync(join(root, 'scripts/extras', group, name), 'utf8')
    const { dependencies } = JSON.parse(read('package.json'))
    const linked = Object.keys(dependencies).filter(
      name => !lstatSync(join(modules, name), { throwIfNoEntry: false })?.isDirectory(),
    )
    if (linked.length === 0) continue
    const folder = join(cache, `${group}-${createHash('sha256').update(read('package-lock.json')).digest('hex').slice(0, 12)}`)
    if (!existsSync(folder)) install(group, folder)
    for (const name of linked) link(name, folder)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) installExtras(...process.argv.slice(2))
