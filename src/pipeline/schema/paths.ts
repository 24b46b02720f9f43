/** Checks by its text whether a path may be read or written: faults P37 and P38. */
import type { InputFacts } from '../model/types.ts'
import { databaseFile, isAddress, shownPath, whyNotAddress, whyNotDatabase } from './addresses.ts'

const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?$/i

const STDIN = '-'
export const STDIN_NAME = 'standard input'
export const ROWS_NAME = 'the input of the program'

/** The files with rows that a run writes: their keys in the plan, and in the pipeline. */
export const OUTPUT_FILES = [
  { key: 'path', from: ['output', 'path'] },
  { key: 'unmatched', from: ['output', 'unmatched'] },
  { key: 'review', from: ['output', 'review'] },
  { key: 'rejects', from: ['input', 'rejects', 'file'] },
] as const

/** The output of a run over rows of a program that names none: a file in the directory of the run. */
export const RUN_OUTPUT = 'run:rows.csv'

/** An input as it was resolved, from a pipeline or from a recorded plan. */
export interface InputRef {
  /** `kept`: a local file with a copy among the runs. */
  readonly kind: 'file' | 'stdin' | 'rows' | 'object' | 'kept'
  /** For messages: a path, `standard input`, `the input of the program`, or an address without its query. */
  readonly shown: string
  /** Where this process reads it; null for a remote object without a copy here. */
  readonly readFrom: string | null
}

export function requestedInput(path: string): InputRef {
  if (path === STDIN) return { kind: 'stdin', shown: STDIN_NAME, readFrom: null }
  if (isAddress(path)) return { kind: 'object', shown: shownPath(path), readFrom: null }
  return { kind: 'file', shown: path, readFrom: path }
}

/** The input of a recorded plan. A copy of standard input or of rows has its hash as its name. */
export function recordedInput({ path, sha256, kept }: Pick<InputFacts, 'path' | 'sha256' | 'kept'>): InputRef {
  if (kept) return { kind: 'kept', shown: path, readFrom: path }
  const isCopy = (folder: string): boolean => `/${path.replaceAll('\\', '/')}`.endsWith(`/${folder}/${sha256}.csv`)
  if (isCopy('stdin')) return { kind: 'stdin', shown: STDIN_NAME, readFrom: path }
  return isCopy('rows') ? { kind: 'rows', shown: ROWS_NAME, readFrom: path } : requestedInput(path)
}

/** A path without `.` and empty steps, and with `..` resolved where something is left to take away; for comparing. */
function tidyPath(path: string): string {
  const steps: string[] = []
  for (const step of path.replaceAll('\\', '/').split('/')) {
    if (step === '' || step === '.') continue
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop()
    else steps.push(step)
  }
  return (/^[/\\]/.test(path) ? '/' : '') + steps.join('/')
}

/** True when both name one file, also on a disk that ignores case. */
export const isSamePath = (a: string, b: string): boolean =>
  isAddress(a) || isAddress(b) ? shownPath(a) === shownPath(b) : tidyPath(a).toLowerCase() === tidyPath(b).toLowerCase()

/** Why the input cannot be at this path, null when it can. Inputs may be anywhere. */
export function whyNotReadable(path: string): string | null {
  const file = databaseFile(path)
  if (file !== null) return whyNotDatabase(path) ?? whyNotReadable(file)
  if (isAddress(path)) return whyNotAddress(path)
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'contains a control character'
  return path.startsWith('~') ? 'begins with ~, which is not expanded' : null
}

/** Where outputs may lie, as absolute paths. */
export interface OutputPlaces {
  /** The project and the folders that its user adds; without any, every absolute path is outside. */
  readonly roots: readonly string[]
  /** The project, for relative paths that lead out of it; without it, none of them may. */
  readonly base?: string | undefined
  /** A file outside that the user named on the command line. */
  readonly named?: string | null
}

const DRIVE = /^[A-Za-z]:/

const leadsOut = (path: string): boolean => /^\.\.(\/|$)/.test(tidyPath(path))

/** `../shared/out.csv` as an absolute path, as which it is recorded: a path in the plan is inside the project or absolute. */
export const outputPath = (path: string, base: string | undefined): string =>
  base === undefined || isAddress(path) || !leadsOut(path) ? path : tidyPath(`${base}/${path}`)

/** Why no output may be written at this path, null when it may. */
export function whyNotWritable(path: string, places: OutputPlaces): string | null {
  const { roots, base, named } = places
  if (path === RUN_OUTPUT) return null
  const file = databaseFile(path)
  if (file !== null) return whyNotDatabase(path) ?? whyNotWritable(file, places)
  if (isAddress(path)) return whyNotAddress(path)
  if (path === '-') return 'is standard output, and an output is a file'
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'contains a control character'
  if (path.startsWith('~')) return 'begins with ~, which is not expanded'
  if (path.startsWith('\\\\') || path.startsWith('//')) return 'is a network path, outside the project'
  const full = tidyPath(outputPath(path, base))
  const isInside = path === named || roots.some(root => full.startsWith(`${tidyPath(root)}/`))
  // Only on Windows the folders have one.
  const drive = (roots.some(root => DRIVE.test(root)) && DRIVE.exec(path)?.[0]) || ''
  if (DRIVE.test(path) && (drive === '' || !isInside)) return 'names a drive, outside the project'
  if ((path.startsWith('/') || leadsOut(path)) && !isInside) return 'is outside the project'
  if (path.endsWith('/') || tidyPath(path) === '') return 'is a folder, not a file'
  const steps = path.slice(drive.length).split('/')
  return steps.map(whyNotPortable).find(reason => reason !== null) ?? null
}

/** Whether Windows takes the name of a file for a device. */
export const isDeviceName = (name: string): boolean => RESERVED.test(name)

function whyNotPortable(step: string): string | null {
  if (step === '.' || step === '..') return null
  if (/[<>:"|?*\\]/.test(step)) return 'is not a portable name: it contains one of < > : " | ? * \\'
  if (/[. ]$/.test(step)) return 'is not a portable name: it ends in a dot or a space'
  if (isDeviceName(step)) return `is not a portable name: ${step} is a device on Windows`
  return new TextEncoder().encode(step).length > 240 ? 'is not a portable name: it is longer than 240 bytes' : null
}
