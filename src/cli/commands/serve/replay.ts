/** `fettle serve --replay`: unpacks the list and the pipeline of a cassette, and answers from it until a signal stops it. */
import { join, parse, resolve } from 'node:path'
import { EXIT } from '../../../errors.ts'
import { writeAtomic } from '../../../files/atomic-file.ts'
import { createFolders } from '../../../files/durable.ts'
import { literal } from '../../../pipeline/index.ts'
import { escapeLines, escapeTerminal } from '../../../report/index.ts'
import { type Cassette, mapStrings, openCassette, serveReplay } from '../../../service/replay/server.ts'
import { shellCommand } from '../../../shell-command.ts'
import type { Flags } from '../../command.ts'
import { needText, wholeFlag } from '../../options/read.ts'
import { type Io, untilStopped } from '../../terminal/io.ts'

/** Runs until SIGINT or SIGTERM, then returns 0. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const file = needText(flags, 'replay')
  const host = needText(flags, 'host')
  const cassette = await openCassette(resolve(io.cwd, file))
  const pipeline = await unpack(cassette, file, io.cwd)
  const port = wholeFlag(flags, 'port', 0, 65_535) ?? 8080
  const onUnknown = (request: string): void => io.err(escapeTerminal(`not recorded: ${request}`))
  const replay = await serveReplay(cassette, { host, port, onUnknown })
  if (cassette.damaged > 0) io.err(`warning: ${cassette.damaged} damaged lines of the cassette are left out`)
  io.out(howToUse(replay.url, cassette, pipeline))
  await untilStopped(io)
  await replay.close()
  return EXIT.ok
}

type Keys = { readonly [key: string]: Keys | true }

/** The keys that a recording has. A cassette may be a stranger's: no other key of it reaches the pipeline that is written. */
const KEYS: Keys = {
  mappings: true,
  job: { split: true, concurrency: true, collapse: true },
  enrich: true,
  poll: { every: true, max: true, timeout: true },
  retry: { attempts: true },
  checks: true,
  input: { header: true, key: { index: true } },
  output: { format: true, columns: true },
  portfolio: { id: true, name: true, reference: { index: true }, rules: true, sync: true, remove: true },
  screen: { datasets: true, threshold: true, countries: true, budget: true },
  after: true,
}

/** The value with these keys alone; a text in it is literal. */
function keepKeys(value: unknown, keys: Keys | true): unknown {
  if (keys === true || typeof value !== 'object' || value === null || Array.isArray(value)) return mapStrings(value, literal)
  return Object.fromEntries(
    Object.entries(keys).flatMap(([key, of]) =>
      Object.hasOwn(value, key) ? [[key, keepKeys((value as Record<string, unknown>)[key], of)]] : [],
    ),
  )
}

/** Writes list and pipeline to a folder named after the cassette, and returns the path of the pipeline; null without a list. */
async function unpack({ head }: Cassette, file: string, cwd: string): Promise<string | null> {
  if (head.list === null) return null
  const folder = `${parse(file).name}.replay`
  createFolders(join(cwd, folder))
  const { input, output, ...rest } = keepKeys(head.pipeline, KEYS) as { readonly input?: object; readonly output?: object }
  const pipeline = {
    name: 'case',
    ...rest,
    input: { ...input, path: join(folder, 'list.csv') },
    output: output && { ...output, path: join(folder, 'result.csv') },
  }
  await writeAtomic(join(cwd, folder, 'list.csv'), head.list)
  await writeAtomic(join(cwd, folder, 'pipeline.json'), `${JSON.stringify(pipeline, null, 2)}\n`)
  return join(folder, 'pipeline.json')
}

function howToUse(url: string, { head, exchanges }: Cassette, pipeline: string | null): string {
  return escapeLines(
    [
      `listening on ${url}`,
      `answers from ${exchanges} exchanges, recorded by fettle ${head.fettle}`,
      '',
      pipeline === null
        ? 'The cassette has no list: the input could not be read when it was recorded.'
        : 'Repeat the run from another terminal, in this folder:',
      `  export FETTLE_URL=${url} FETTLE_USERNAME=replay FETTLE_PASSWORD=replay`,
      ...(pipeline === null ? [] : [`  ${shellCommand({ command: 'run', args: [pipeline] })}`]),
      '',
      'Ctrl-C stops it.',
    ].join('\n'),
  )
}
