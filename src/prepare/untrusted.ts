/** What of an untrusted pipeline is not read: addresses, and files outside the checkout, also by a link. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Issue, issue } from '../errors.ts'
import { isInside, listFiles, pathsOfList } from '../files/paths.ts'
import { isAddress, type ParsedPipeline, type Pipeline, shownPath } from '../pipeline/index.ts'
import { realPath } from './check-outputs.ts'

interface UntrustedContext extends Pick<ParsedPipeline, 'environmentAt' | 'locate'> {
  readonly cwd: string
  /** The command itself names the input. */
  readonly isInputNamed: boolean
  /** Whether the command needs the rows of the input. */
  readonly needsInput: boolean
}

/** Whether the input may be read, and notes on what is not. */
export async function untrustedPlaces(pipeline: Pipeline, context: UntrustedContext) {
  const notes = addressNotes(pipeline, context)
  const why = context.isInputNamed ? null : await whyNotRead(pipeline, context)
  if (why === null) return { mayReadInput: true, issues: notes }
  const refusal = issue('FETTLE_UNTRUSTED', `the input was not read, because the pipeline is untrusted: ${why}`, {
    severity: context.needsInput ? 'error' : 'info',
    at: context.locate(['input']),
  })
  return { mayReadInput: false, issues: [refusal, ...notes] }
}

async function whyNotRead({ input: { path, sql } }: Pipeline, { cwd, environmentAt }: UntrustedContext): Promise<string | null> {
  if (path === '-') return null
  const names = INPUT_PATHS.flatMap(environmentAt)
  if (isAddress(path) || sql !== undefined)
    return names.length === 0 ? `${shownPath(path)} is an address` : `its address contains ${names.join(' and ')}`
  const why = await whyNotInside(path, cwd, names.length > 0)
  return why === null || names.length === 0
    ? why
    : `its path contains ${names.join(' and ')}, and is not a file of the working directory`
}

/** A path with a value of the environment is printed only if it leads to a file: such a value could be any secret. */
async function whyNotInside(path: string, cwd: string, mustExist: boolean): Promise<string | null> {
  const root = await realPath(resolve(cwd))
  for (const one of pathsOfList(path))
    if (!isInside(resolve(cwd), resolve(cwd, one))) return `${one} is outside the working directory`
  const files = await listFiles(path, cwd)
  if (files !== null && 'code' in files) return mustExist ? files.message : null
  for (const file of files ?? [path]) {
    if (!isInside(root, await realPath(resolve(cwd, file)))) return `${file} leads out of the working directory`
    if (mustExist && !existsSync(resolve(cwd, file))) return `${file} does not exist`
  }
  return null
}

const INPUT_PATHS = [['input'], ['input', 'path'], ['input', 'url']]

/** Other addresses with a value of the environment: such a value could be any secret. */
function addressNotes({ output, notify }: Pipeline, { environmentAt, locate }: UntrustedContext): Issue[] {
  const far = [output?.path, output?.unmatched, output?.review].some(path => path != null && isAddress(path))
  const outputs = far ? [['output'], ...['path', 'unmatched', 'review', 'url'].map(key => ['output', key])] : []
  const receivers = notify.map((_, index) => ['notify', index, 'to'])
  return [...outputs, ...receivers].flatMap(path => {
    const names = environmentAt(path)
    if (names.length === 0) return []
    const message = `${path.join('.')} was not opened, because the pipeline is untrusted: it contains ${names.join(' and ')}`
    return [issue('FETTLE_UNTRUSTED', message, { severity: 'info', at: locate(path) })]
  })
}
