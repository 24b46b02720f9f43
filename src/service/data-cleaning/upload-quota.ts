/** The storage left to each user: stored files and uploads in progress count together. */
import type { Limits } from '../limits.ts'
import { Refusal } from '../refusal.ts'
import type { Job, JobStore } from './jobs-store.ts'

export interface Arrival {
  /** Throws a 507 when the file exceeds the quota of the user at this size. */
  admit(bytes: number): void
  end(): void
}

interface PendingUpload {
  readonly owner: number
  /** 0 when the file replaces the current one of the job. */
  readonly files: 0 | 1
  /** Size of the replaced file, deducted for one upload of a user at a time, since both files exist until the end. */
  readonly freed: number
  bytes: number
}

export function makeArrivals(jobs: Pick<JobStore, 'usage'>, limits: Limits) {
  const arriving = new Map<string, PendingUpload>()

  const requireRoom = (one: PendingUpload): void => {
    let { files, bytes } = jobs.usage(one.owner)
    for (const other of arriving.values()) {
      if (other === one || other.owner !== one.owner) continue
      files += other.files
      bytes += Math.max(0, other.bytes - other.freed)
    }
    if (files + one.files <= limits.userUploads && bytes + one.bytes - one.freed <= limits.userUploadBytes) return
    const details = `jobFile: this user has ${files} files of ${bytes} bytes, uploads in progress included; ${limits.userUploads} of ${limits.userUploadBytes} are allowed`
    // The rest of the body is not read.
    throw new Refusal(507, 'Insufficient storage', details, { Connection: 'close' })
  }

  return {
    has: (jobId: string): boolean => arriving.has(jobId),
    /** Throws a 507 when the quota does not allow this size. */
    begin({ id, owner, upload }: Job, bytes: number): Arrival {
      const isFreed = [...arriving.values()].some(other => other.owner === owner && other.freed > 0)
      const one: PendingUpload = { owner, files: upload === null ? 1 : 0, freed: isFreed ? 0 : (upload?.bytes ?? 0), bytes }
      requireRoom(one)
      arriving.set(id, one)
      return {
        admit(grown) {
          one.bytes = Math.max(one.bytes, grown)
          requireRoom(one)
        },
        end: () => void arriving.delete(id),
      }
    },
  }
}
