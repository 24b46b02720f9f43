/** A base for temporary folders, in memory if the machine has such a file system: thousands of runs sync their journals. */
import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'

export function memoryFolder(): string {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return tmpdir()
  }
}
