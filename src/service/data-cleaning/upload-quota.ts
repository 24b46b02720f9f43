/** The uploads on their way, and the room that each user has left: what is kept and what is on its way count together. */
import type { Limits } from '../limits.ts'
import { Refusal } from '../refusal.ts'
import type { Job, JobStore } from './jobs-store.ts'

/** The file of one job, on its way. */
export interface Arrival {
  /** Throws a 507 when the user's files would be too many with this one at this size. */
  admit(bytes: number): void
  end(): void
}

/** All uploads on their way. */
export interface Arrivals {
  /** Whether the file of this job is on its way. */
  has(jobId: string): boolean
  /** Throws a 507 when there is no room for so many bytes. */
  begin(job: Job, bytes: number): Arrival
}

interface OnItsWay {
  readonly owner: number
  /** 0 when the file comes in place of the job's present one. */
  readonly files: 0 | 1
  /** Bytes of the present file that count as room; those of one file of a user at a time, since both are there until the end. */
  readonly freed: number
  bytes: number
}

/** Counts the uploads of a service. */
export function makeArrivals(jobs: Pick<JobStore, 'usage'>, limits: Limits): Arrivals {
  const arriving = new Map<string, OnItsWay>()

  const requireRoom = (one: OnItsWay): void => {
    let { files, bytes } = jobs.usage(one.owner)
    for (const other of arriving.values()) {
      if (other === one || other.owner !== one.owner) continue
      files += other.files
      bytes += Math.max(0, other.bytes - other.freed)
    }
    if (files + one.files <= limits.userUploads && bytes + one.bytes - one.freed <= limits.userUploadBytes) return
    const details = `jobFile: this user has ${files} files of ${bytes} bytes, those on their way included; ${limits.userUploads} of ${limits.userUploadBytes} are allowed`
    // The rest of the body is not read.
    throw new Refusal(507, 'Insufficient storage', details, { Connection: 'close' })
  }

  return {
    has: jobId => arriving.has(jobId),
    begin({ id, owner, upload }, bytes) {
      const isFreed = [...arriving.values()].some(other => other.owner === owner && other.freed > 0)
      const one: OnItsWay = { owner, files: upload === null ? 1 : 0, freed: isFreed ? 0 : (upload?.bytes ?? 0), bytes }
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
