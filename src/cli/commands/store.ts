/** The actions of commands that store imported files under a name: import, list, info and remove. */
import { type Env, findDataDir } from '../../env/environment.ts'
import { EXIT } from '../../errors.ts'
import { escapeTerminal, safeJson } from '../../report/index.ts'
import type { Flags } from '../command.ts'
import { isOn, needText } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'

export interface Store<T> {
  readonly dirOf: (dataDir: string) => string
  readonly add: (flags: Flags, dir: string, io: Io) => Promise<T>
  readonly list: (dir: string) => Promise<readonly T[]>
  readonly read: (dir: string, name: string) => Promise<T>
  readonly remove: (dir: string, name: string) => Promise<void>
  /** Further actions on a name. */
  readonly actions?: Readonly<Record<string, (name: string, dir: string, io: Io) => Promise<void>>>
  /** Lines for people; they are escaped here. */
  readonly describe: (info: T, env: Env) => readonly string[]
  /** `no register in`, and the command that imports one. */
  readonly empty: { readonly what: string; readonly command: string }
}

export async function runStore<T>({ empty, ...store }: Store<T>, flags: Flags, io: Io): Promise<number> {
  const dir = store.dirOf(findDataDir(io.env))
  const action = needText(flags, 'action')
  const format = (info: T): string => store.describe(info, io.env).map(escapeTerminal).join('\n')
  const print = (info: T): void => (isOn(flags, 'json') ? io.out(safeJson(info)) : io.text(format(info)))
  const isQuiet = isOn(flags, 'quiet')
  if (action === 'import') {
    const info = await store.add(flags, dir, io)
    if (!isQuiet || isOn(flags, 'json')) print(info)
  } else if (action === 'list') {
    const infos = await store.list(dir)
    if (isOn(flags, 'json')) io.out(safeJson(infos))
    else if (infos.length === 0) io.err(escapeTerminal(`no ${empty.what} in ${dir}: ${empty.command}`))
    else io.text(infos.map(format).join('\n'))
  } else {
    const name = needText(flags, 'kind-or-name')
    const own = store.actions?.[action]
    if (own !== undefined) await own(name, dir, io)
    else if (action === 'info') print(await store.read(dir, name))
    else {
      await store.remove(dir, name)
      if (!isQuiet) io.err(`removed ${escapeTerminal(name)}`)
    }
  }
  return EXIT.ok
}

/** A name from a file name without its extensions. */
export const storedName = (stem: string): string =>
  stem
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)
