/** The proof of the screening that a pipeline asks for before its run. Its result is kept by all that decides it: the same lists are proved once. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { action, type Issue, issue, type Place } from '../errors.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import { readKeptText } from '../files/kept-files.ts'
import type { PlannedScreen } from '../pipeline/index.ts'
import { engineDigest } from '../service/registers/index.ts'
import { readLists } from '../service/screening/index.ts'
import { type Check, parseCheck } from './checks.ts'
import { verifyScreening } from './verify.ts'

export interface ProofOptions {
  /** The data folder of this machine, and the screening lists in it. */
  readonly dataDir: string
  readonly dir: string
  readonly version: string
  readonly now: Date
  readonly at: Place | null
}

const Proof = z.object({
  at: z.string(),
  names: z.number(),
  checks: z.array(z.object({ text: z.string(), measured: z.string(), success: z.boolean() })),
})
type Proof = z.infer<typeof Proof>

const Kept = z.object({ proof: Proof, sha256: z.string() })

const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** The limits as checks; a problem for each text that is not a limit, or that needs innocents, which a pipeline does not have. */
function readChecks(texts: readonly string[], at: Place | null): { readonly checks: readonly Check[]; readonly issues: Issue[] } {
  const checks: Check[] = []
  const issues: Issue[] = []
  for (const text of texts) {
    const check = parseCheck(text)
    const wrong = 'why' in check ? check : check.measure.startsWith('alerts') ? NO_INNOCENTS : null
    if (wrong !== null)
      issues.push(issue('FETTLE_PIPELINE_VALUE', `screen.verify.fail "${text}": ${wrong.why}`, { hint: wrong.hint, at }))
    else if (!('why' in check)) checks.push(check)
  }
  return { checks, issues }
}

const NO_INNOCENTS = { why: 'a pipeline has no innocents', hint: 'Measure alerts separately, with a list of innocents.' }

/** A note of when the lists were proved; errors where a limit is not met, or nothing was imported. Throws what verifyScreening throws. */
export async function proveScreening(
  { verify, threshold }: Pick<PlannedScreen, 'verify' | 'threshold'>,
  { dataDir, dir, version, now, at }: ProofOptions,
): Promise<Issue[]> {
  const { fail, sample } = verify!
  const { checks, issues } = readChecks(fail, at)
  if (issues.length > 0) return issues
  const lists = await readLists(dir)
  if (lists.length === 0) return [issue('FETTLE_SCREENING_PROOF', 'no screening list was imported', { at, ...IMPORT })]
  const about = [version, await engineDigest(), threshold, sample, fail, lists.map(({ name, fileSha256 }) => [name, fileSha256])]
  const path = join(dataDir, 'proofs', `${digest(about).slice(0, 32)}.json`)
  let proof = readProof(path)
  if (proof === null) {
    const signal = new AbortController().signal
    proof = Proof.parse(await verifyScreening({ dir, threshold, sample, innocents: [], checks, now, signal }))
    await writeAtomic(path, JSON.stringify({ proof, sha256: digest(proof) }))
  }
  const failed = proof.checks.filter(({ success }) => !success)
  if (failed.length === 0) {
    const shown = proof.checks.map(({ text, measured }) => `${text.split(/[<>]/)[0]!.trim()} ${measured}`).join('; ')
    const message = `the screening of ${lists.map(({ name }) => name).join(', ')} was proved on ${proof.at.slice(0, 10)}: ${shown}`
    return [issue('FETTLE_SCREENING_PROVED', message, { severity: 'info' })]
  }
  return failed.map(({ text, measured }) => issue('FETTLE_SCREENING_PROOF', `screen.verify: ${text}: ${measured}`, { at }))
}

const IMPORT = { hint: 'Import a screening list.', action: action('screening', 'import', 'opensanctions', 'FILE') }

/** Null without one, and for one that was edited or damaged: the lists are proved again. */
function readProof(path: string): Proof | null {
  const text = readKeptText(path)
  try {
    const { proof, sha256 } = Kept.parse(JSON.parse(text ?? ''))
    return digest(proof) === sha256 ? proof : null
  } catch {
    return null
  }
}
