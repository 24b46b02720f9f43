/** Digest of the matching code and its data files: an index that other code built is rebuilt. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Paths of the files: the folders of the source, or the one file that the bundler makes of them. */
export async function engineFiles(): Promise<string[]> {
  const own = fileURLToPath(import.meta.url)
  if (basename(dirname(own)) !== 'registers') return [own]
  const folders = ['../matching', '../../normalise'].map(name => join(dirname(own), name))
  const lists = await Promise.all(
    folders.map(async folder => (await readdir(folder, { recursive: true })).map(name => join(folder, name))),
  )
  return lists
    .flat()
    .filter(file => /\.(?:[jt]s|json)$/.test(file))
    .sort()
}

/** SHA-256 of these files, in hex. */
export async function engineDigest(): Promise<string> {
  const digest = createHash('sha256')
  for (const file of await engineFiles()) digest.update(await readFile(file))
  return digest.digest('hex')
}
