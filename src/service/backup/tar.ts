/** Packs a folder as a tar archive (POSIX ustar) in constant memory: plain files and folders with short names. */
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

const BLOCK = 512

/** A numeric field: octal digits and a zero byte. */
const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`

/** The header of a file, or of a folder, whose name ends in a slash. The checksum is computed with its own field as spaces. */
function makeHeader(name: string, size: number, mtimeMs: number): Buffer {
  const isFolder = name.endsWith('/')
  const header = Buffer.alloc(BLOCK)
  // Eleven octal digits; larger files need another format.
  if (Buffer.byteLength(name) > 100 || size >= 8 ** 11) throw new Error(`${name} does not fit into a tar archive`)
  header.write(name, 0)
  header.write(octal(isFolder ? 0o700 : 0o600, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(size, 12), 124)
  header.write(octal(Math.floor(mtimeMs / 1000), 12), 136)
  header.write(' '.repeat(8), 148)
  header.write(isFolder ? '5' : '0', 156)
  header.write('ustar\0', 257)
  header.write('00', 263)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 7)} `, 148)
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
  const entries = await readdir(join(root, prefix), { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = `${prefix}${entry.name}`
    const path = join(root, name)
    const { size, mtimeMs } = await stat(path)
    if (entry.isDirectory()) {
      yield makeHeader(`${name}/`, 0, mtimeMs)
      yield* below(root, `${name}/`)
    } else {
      yield makeHeader(name, size, mtimeMs)
      for await (const chunk of createReadStream(path)) yield chunk as Buffer
      yield padding(size)
    }
  }
}
