/** Tests whether a path is inside a folder. On Windows a relative path has backslashes, and other drives have no relative path. */
import path, { type PlatformPath } from 'node:path'

/** True for the folder itself, too. Both paths are absolute and without symbolic links. */
export function isInside(folder: string, inner: string, { relative, isAbsolute, sep }: PlatformPath = path): boolean {
  const way = relative(folder, inner)
  return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`)
}
