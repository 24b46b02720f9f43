/** Packs a folder as a tar archive (POSIX ustar) in constant memory: plain files and folders with short names. */
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

const BLOCK = 512

/** A numeric field: octal digits and a zero byte. */
const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`

interface Entry {
  /** The name of a folder ends in a slash. */
  readonly name: string
  readonly size: number
  readonly mode: number
  /** Seconds since 1970. */
  readonly modified: number
}

/** The header of an entry. The checksum is computed with its own field as spaces. */
function headerOf({ name, size, mode, modified }: Entry): Buffer {
  const isFolder = name.endsWith('/')
  const header = Buffer.alloc(BLOCK)
  // Eleven octal digits; larger files need another format.
  if (Buffer.byteLength(name) > 100 || size >= 8 ** 11) throw new Error(`${name} does not fit into a tar archive`)
  header.write(name, 0)
  header.write(octal(mode, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(size, 12), 124)
  header.write(octal(modified, 12), 136)
  header.write(' '.repeat(8), 148)
  header.write(isFolder ? '5' : '0', 156)
  header.write('ustar\0', 257)
  header.write('00', 263)
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    )} `,
    148,
  )
  return header
}

const padding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)

/** The archive of everything below a folder, in chunks. Modes are 0600 and 0700. */
export async function* tarOf(folder: string): AsyncGenerator<Buffer> {
  yield* below(folder, '')
  // Two empty blocks end an archive.
  yield Buffer.alloc(2 * BLOCK)
}

async function* below(root: string, prefix: string): AsyncGenerator<Buffer> {
  for (const one of (await readdir(join(root, prefix), { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = `${prefix}${one.name}`
    const path = join(root, name)
    const { size, mtimeMs } = await stat(path)
    const modified = Math.floor(mtimeMs / 1000)
    if (one.isDirectory()) {
      yield headerOf({ name: `${name}/`, size: 0, mode: 0o700, modified })
      yield* below(root, `${name}/`)
    } else {
      yield headerOf({ name, size, mode: 0o600, modified })
      for await (const chunk of createReadStream(path)) yield chunk as Buffer
      yield padding(size)
    }
  }
}
