/** Seeded defects: small patches of the sources that a kill, a power cut or a second process must reveal, and where. */
import type { Sweep } from './sweep.ts'

/** A patch, and the cells that can find it. */
export interface Defect {
  readonly name: string
  readonly file: string
  /** Texts that occur once, and what replaces them. */
  readonly patches: readonly (readonly [string, string])[]
  /** `twice`: the same command is started while the first one runs. */
  readonly cells: readonly Sweep[] | 'twice'
  /** A killed process loses nothing that the kernel has: only a power cut shows it. */
  readonly isPowerCutOnly?: true
}

const once = { first: 1, step: 1, only: [1] } as const
const among = (...only: number[]) => ({ first: 1, step: 1, only })

export const DEFECTS: readonly Defect[] = [
  {
    name: 'no search for the job before a create is repeated',
    file: 'run/stages/create.ts',
    patches: [
      [
        'job.requested || isResumed(state) ? await lookUp(job.name, ports) : undefined',
        'job.requested && isResumed(state) && false ? await lookUp(job.name, ports) : undefined',
      ],
    ],
    cells: [{ effect: { at: 'carriedOut', of: 'createJob' }, ...once }],
  },
  {
    name: 'the intent to create is recorded after the effect',
    file: 'run/stages/create.ts',
    patches: [
      ['job.requested || isResumed(state) ? await', 'job.requested ? await'],
      ["    yield { type: 'job.requested', part: job.part, name: job.name }\n", ''],
      [
        "  yield { type: 'job.created'",
        "  if (!job.requested) yield { type: 'job.requested', part: job.part, name: job.name }\n  yield { type: 'job.created'",
      ],
    ],
    cells: [{ effect: { at: 'carriedOut', of: 'createJob' }, ...once }],
  },
  {
    name: 'the job is not read before an upload is repeated',
    file: 'run/stages/upload.ts',
    patches: [
      [
        'hasUpload(await settledStatus(job, ports, provenStatus)) ? null : undefined',
        'hasUpload(await settledStatus(job, ports, provenStatus)) ? undefined : undefined',
      ],
    ],
    cells: [{ effect: { at: 'carriedOut', of: 'upload' }, ...once }],
  },
  {
    name: 'the job is not read before a submit is repeated',
    file: 'run/stages/submit.ts',
    patches: [
      [
        'hasSubmission(await provenStatus(job, ports, ports.grace)) ? null : undefined',
        'hasSubmission(await provenStatus(job, ports, ports.grace)) ? undefined : undefined',
      ],
    ],
    cells: [{ effect: { at: 'carriedOut', of: 'submit' }, ...once }],
  },
  {
    name: 'the job is not read before an enrichment is repeated',
    file: 'run/stages/enrich.ts',
    patches: [['if (hasEnrichment(status)) return null', 'if (hasEnrichment(status)) return undefined']],
    cells: [{ effect: { at: 'carriedOut', of: 'enrich' }, ...once }],
  },
  {
    name: 'outputs are written under their final names',
    file: 'files/atomic-file.ts',
    patches: [
      [
        "const temporary = temporaryName(target, options.tag ?? randomBytes(4).toString('hex'))",
        "const temporary = options.tag === PROBE ? temporaryName(target, options.tag ?? randomBytes(4).toString('hex')) : target",
      ],
    ],
    cells: [{ effect: { disk: 'cut', ops: 'write' }, ...among(58, 60, 62, 64, 66) }],
  },
  {
    name: 'temporary files of killed processes stay',
    file: 'files/stale-temp-files.ts',
    patches: [['if (!name.startsWith(start)', 'if (name !== null || !name.startsWith(start)']],
    cells: [{ effect: { disk: 'SIGKILL', ops: 'rename' }, ...among(19, 20, 21, 22, 23, 24) }],
  },
  {
    name: 'a torn last line stays in the journal',
    file: 'journal/file.ts',
    patches: [['if (isTorn) ftruncateSync(file, wholeBytes)', 'if (isTorn && wholeBytes < 0) ftruncateSync(file, wholeBytes)']],
    cells: [{ effect: { disk: 'cut', ops: 'write' }, ...among(20, 22, 24, 26, 28, 30) }],
  },
  {
    name: 'the lock of a dead process is respected',
    file: 'files/process-lock.ts',
    patches: [['if (!isAlive(owner)) return true', 'if (isAlive(owner) && false) return true']],
    cells: [{ effect: { at: 'arrival', of: 'submit' }, ...once }],
  },
  {
    name: 'the lock of a living process is ignored',
    file: 'files/process-lock.ts',
    patches: [['if (!isAlive(owner)) return true', 'if (isAlive(owner) || true) return true']],
    cells: 'twice',
  },
  {
    name: 'the journal is not synced',
    file: 'journal/file.ts',
    patches: [['if (!isRepeated(event, state)) fsyncSync(file)', 'if (wholeBytes < 0) fsyncSync(file)']],
    cells: [{ effect: { at: 'carriedOut', of: 'enrich' }, ...once, powerCut: true }],
    isPowerCutOnly: true,
  },
  {
    name: 'outputs are renamed before their bytes are synced',
    file: 'files/atomic-file.ts',
    patches: [['await this.#handle!.sync()', 'await this.#handle!.stat()']],
    cells: [{ effect: { disk: 'SIGKILL', ops: 'rename' }, ...among(4, 5, 6, 7, 8, 9, 10), powerCut: true }],
    isPowerCutOnly: true,
  },
]
