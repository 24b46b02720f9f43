/** Decodes the bytes of a pipeline file. */
import { type Issue, issue } from '../../errors.ts'

export const MAX_BYTES = 256 * 1024

/** Endings that only pipelines have: editors, shells and hooks recognise a file by them. Any other YAML or JSON file is a pipeline when it is named. */
export const PIPELINE_ENDINGS = ['.fettle.yml', '.fettle.yaml', '.fettle.json'] as const

export const hasPipelineEnding = (file: string): boolean => PIPELINE_ENDINGS.some(ending => file.toLowerCase().endsWith(ending))

export function pipelineFormat(file: string): 'yaml' | 'json' | null {
  if (/\.ya?ml$/i.test(file)) return 'yaml'
  return /\.json$/i.test(file) ? 'json' : null
}

/** The text of a pipeline file. Only UTF-8 up to 256 KiB is text; the issue names the encoding or the byte that is not. */
export function decodePipeline(bytes: Uint8Array, file: string): { readonly text: string } | { readonly issue: Issue } {
  const refuse = (message: string, hint?: string) => ({
    issue: issue('FETTLE_PIPELINE_READ', message, { at: { file, line: null, column: null }, hint }),
  })
  if (bytes.length > MAX_BYTES) return refuse(`the pipeline file is larger than 256 KiB: ${bytes.length} bytes`)
  const [first, second] = bytes
  const wide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || (first === 0) !== (second === 0)
  if (bytes.length > 1 && wide) return refuse('the pipeline file is in UTF-16', 'Save it as UTF-8.')
  const nul = bytes.indexOf(0)
  if (nul >= 0) return refuse(`the pipeline file is binary: there is a NUL at byte ${nul}`)
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return refuse(`the pipeline file is not valid UTF-8 from byte ${validLength(bytes)} on`, 'Save it as UTF-8.')
  }
}

/** How many bytes from the start are valid UTF-8, by halving. A character cut by the end of the part does not count as wrong. */
function validLength(bytes: Uint8Array): number {
  let good = 0
  let bad = bytes.length + 1
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, middle), { stream: true })
      good = middle
    } catch {
      bad = middle
    }
  }
  return good
}
