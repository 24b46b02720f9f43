/**
 * A disk that loses what was not synced: bytes written since the last fsync of their file, and names changed since the last
 * fsync of their folder. It is the one extreme a power cut may leave; a kill, which loses nothing, is the other.
 */
import { dirname, join } from 'node:path'
import { Disk, type DiskOptions, type Fate } from '../disk/operations.mjs'
import { unguarded } from './guard.ts'

const {
  closeSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} = unguarded

/** The bytes of a file at its last sync, and a descriptor that follows the file under any name. */
interface Unsynced {
  readonly file: number
  readonly bytes: Buffer
}

/** A changed name, and how it becomes what it was. */
interface Renamed {
  readonly folder: string
  undo(): void
}

export class LosingDisk extends Disk {
  readonly #unsynced = new Map<number, Unsynced>()
  readonly #renamed: Renamed[] = []
  readonly #kept: string
  #count = 0

  /** `folder`: the folder of the run; names that were removed are kept beside it. */
  constructor(options: DiskOptions, folder: string) {
    super(options)
    this.#kept = `${folder}-kept`
  }

  override meet(operation: string, path: string | null, args: readonly unknown[] = []): Fate {
    const fate = super.meet(operation, path, args)
    if (path !== null && this.watches(path)) this.#note(operation, path, args)
    return fate
  }

  /** Makes the disk what it would be after a power cut. */
  override lose(): void {
    for (const { file, bytes } of this.#unsynced.values()) {
      ftruncateSync(file, 0)
      writeSync(file, bytes, 0, bytes.length, 0)
      closeSync(file)
    }
    for (const { undo } of this.#renamed.reverse()) undo()
    rmSync(this.#kept, { recursive: true, force: true })
  }

  #note(operation: string, path: string, args: readonly unknown[]): void {
    const found = statSync(path, { throwIfNoEntry: false })
    const folder = dirname(path)
    const changed = (undo: () => void): void => void this.#renamed.push({ folder, undo: () => attempt(undo) })
    if (operation === 'fsync') this.#synced(path)
    else if (operation === 'mkdir' && found === undefined) changed(() => rmSync(path, { recursive: true, force: true }))
    else if (operation === 'unlink' && found?.isFile()) {
      const kept = this.#keep(path)
      changed(() => renameSync(kept, path))
    } else if (operation === 'link') changed(() => rmSync(path, { force: true }))
    else if (operation === 'rename') {
      const kept = found === undefined ? null : this.#keep(path)
      changed(() => {
        renameSync(path, String(args[0]))
        if (kept !== null) renameSync(kept, path)
      })
    } else if (operation === 'open' && found === undefined) changed(() => rmSync(path, { force: true }))
    else if (found?.isFile() && ['open', 'write', 'truncate'].includes(operation)) this.#written(path)
  }

  #written(path: string): void {
    const file = openSync(path, 'r+')
    const { ino } = fstatSync(file)
    if (this.#unsynced.has(ino)) closeSync(file)
    else this.#unsynced.set(ino, { file, bytes: readFileSync(path) })
  }

  #synced(path: string): void {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return
    if (found.isDirectory()) {
      const others = this.#renamed.filter(({ folder }) => folder !== path)
      this.#renamed.splice(0, this.#renamed.length, ...others)
      return
    }
    const one = this.#unsynced.get(found.ino)
    if (one !== undefined) closeSync(one.file)
    this.#unsynced.delete(found.ino)
  }

  #keep(path: string): string {
    mkdirSync(this.#kept, { recursive: true })
    const kept = join(this.#kept, `${this.#count++}`)
    linkSync(path, kept)
    return kept
  }
}

const attempt = (action: () => void): void => {
  try {
    action()
  } catch {
    // The name was changed again since.
  }
}
