/**
 * Every exit code of a run with a job at the service: the printed command, run literally, finishes the run with that one job.
 * After 73, repeating the same command does so too, as a scheduler would.
 */
import { appendFileSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { EXIT } from '../../../src/errors.ts'
import type { FaultInput, FaultyService } from '../../../src/testing/index.ts'
import { recorded } from './judge.ts'
import { type Ended, makePlace, outputsOf, type Place, start, startProcess } from './kit.ts'
import { useService } from './use-service.ts'

let data: string
let service: FaultyService
let expected: string[]
let onPoint = (): void => {}

useService(
  started => {
    ;({ data, service } = started)
  },
  { onPoint: () => onPoint() },
)
const RUN = ['run', 'pipeline.yml', '--json']
beforeAll(async () => {
  const place = makePlace(data, service)
  expect((await start(place, RUN).ended).code).toBe(0)
  expected = outputsOf(place)
  rmSync(place.folder, { recursive: true, force: true })
})

/** A state that a run ends in, and what a person does before they follow the hint. */
interface State {
  readonly exit: keyof typeof EXIT
  readonly code: string
  readonly end: (place: Place) => Promise<Ended>
  readonly cure?: (place: Place) => void
  /** The run is over and its reports are written: the same command again is a run of another day. */
  readonly isOver?: true
}

const met =
  (fault: FaultInput, args: readonly string[] = []) =>
  async (place: Place): Promise<Ended> => {
    service.server.arm([fault])
    return start(place, [...RUN, ...args]).ended
  }
const refusing = (operation: FaultInput['operation'], status: number): State['end'] =>
  met({ operation, times: 'always', effect: { kind: 'status', status } })
const shell = (place: Place, script: string): Promise<Ended> =>
  startProcess(place, RUN, undefined, {}, ['bash', '-c', `${script}; exec "$0" "$@"`]).ended

/** Does something at a request. */
const during =
  (
    operation: FaultInput['operation'],
    act: (place: Place, kill: (signal: NodeJS.Signals) => void) => void,
    args: readonly string[] = [],
  ) =>
  (place: Place): Promise<Ended> => {
    service.server.arm([{ operation, effect: { kind: 'point', name: 'now' } }])
    const { child, ended } = start(place, [...RUN, ...args])
    onPoint = () => act(place, signal => void child.kill(signal))
    return ended
  }
const stoppedBy = (signal: NodeJS.Signals): State['end'] => during('readJob', (_, kill) => kill(signal))

const input = ({ folder }: Place): string => join(folder, 'in.csv')
const results = ({ folder }: Place): string => join(folder, 'results')

const STATES: Readonly<Record<string, State>> = {
  'reports that are too large for the disk': {
    exit: 'output',
    code: 'FETTLE_OUTPUT_WRITE',
    end: place => shell(place, 'ulimit -f 40'),
  },
  'a journal that cannot be written': {
    exit: 'output',
    code: 'FETTLE_JOURNAL_WRITE',
    end: place => {
      const disk = { fault: 'EIO@30+', log: join(place.folder, 'log'), ops: 'fsync', paths: place.runsDir }
      return start(place, RUN, disk).ended
    },
  },
  'outputs that cannot be written': {
    exit: 'output',
    code: 'FETTLE_OUTPUT_WRITE',
    end: during('enrich', ({ folder }) => {
      rmSync(join(folder, 'out.csv'))
      mkdirSync(join(folder, 'out.csv'))
    }),
    cure: ({ folder }) => rmSync(join(folder, 'out.csv'), { recursive: true }),
  },
  'a result file that cannot be written': {
    exit: 'output',
    code: 'FETTLE_OUTPUT_WRITE',
    end: place => {
      mkdirSync(results(place))
      const replace = () => {
        rmSync(results(place), { recursive: true })
        writeFileSync(results(place), '')
      }
      return during('enrich', replace, ['--result-file', 'results/last.json'])(place)
    },
    cure: place => {
      rmSync(results(place))
      mkdirSync(results(place))
    },
    isOver: true,
  },
  'a result that stdout cannot take': {
    exit: 'output',
    code: 'FETTLE_OUTPUT_WRITE',
    end: place => startProcess(place, RUN, undefined, {}, ['bash', '-c', 'exec "$0" "$@" > /dev/full']).ended,
    isOver: true,
  },
  'a service that is not available': {
    exit: 'retryable',
    code: 'FETTLE_UNAVAILABLE',
    end: place => {
      // Otherwise the run waits for five minutes.
      appendFileSync(join(place.folder, 'pipeline.yml'), 'retry: { attempts: 1 }\n')
      return refusing('submit', 503)(place)
    },
  },
  'a refusal of the service': { exit: 'rejected', code: 'FETTLE_REJECTED', end: refusing('setMappings', 422) },
  'a missing right': { exit: 'denied', code: 'FETTLE_FORBIDDEN', end: refusing('submit', 403) },
  'an input that was replaced': {
    exit: 'input',
    code: 'FETTLE_INPUT_CHANGED',
    end: place => {
      copyFileSync(input(place), `${input(place)}.kept`)
      return during('submit', () => appendFileSync(input(place), '\n99,One More Ltd,,GB'))(place)
    },
    cure: place => copyFileSync(`${input(place)}.kept`, input(place)),
  },
  'Ctrl-C': { exit: 'sigint', code: 'Stopped by Ctrl-C', end: stoppedBy('SIGINT') },
  'a SIGTERM': { exit: 'sigterm', code: 'Stopped by SIGTERM', end: stoppedBy('SIGTERM') },
}

/** The command line that stderr names, word by word; a terminal's margin may break it. */
function printed({ stderr }: Ended): string[] {
  const found = /fettle (resume(?: [\w.-]*-[0-9a-f]{6})?(?: --result-file [\w./-]+)?)/.exec(stderr.replace(/\s+/g, ' '))
  if (found === null) throw new Error(`no command is printed: ${stderr}`)
  return found[1]!.split(' ')
}

async function endsWithOneJob(state: State, commandAfter: (first: Ended) => readonly string[]): Promise<void> {
  const place = makePlace(data, service)
  const before = service.server.effects()
  const first = await state.end(place)
  expect(first.code, first.stderr).toBe(EXIT[state.exit])
  expect(first.stderr).toContain(state.code)
  service.server.arm([])
  state.cure?.(place)
  const args = commandAfter(first)
  const { code, stderr } = await start(place, args).ended
  expect(code, `${args.join(' ')}: ${stderr}`).toBe(0)
  const now = service.server.effects()
  expect([now.creates - before.creates, now.enriches - before.enriches]).toEqual([1, 1])
  expect(outputsOf(place)).toEqual(expected)
  expect(recorded(place)).toMatchObject({ finished: true, exitCode: 0 })
  rmSync(place.folder, { recursive: true, force: true })
}

test.each(Object.entries(STATES))('%s: the printed command ends with one job', (_, state) => endsWithOneJob(state, printed))

const REPEATED = Object.entries(STATES).filter(([, { exit, isOver }]) => exit === 'output' && isOver !== true)

test.each(REPEATED)('%s: repeating the same command ends with the one job', (_, state) => endsWithOneJob(state, () => RUN))

test('the cases cover every exit code that can follow a job', () => {
  const met = new Set(Object.values(STATES).map(({ exit }) => exit))
  // 0 and 1 are ends, 2 comes before anything is sent, 70 is a mistake of ours.
  expect(Object.keys(EXIT).filter(kind => !met.has(kind as keyof typeof EXIT))).toEqual(['ok', 'checks', 'usage', 'bug'])
})
