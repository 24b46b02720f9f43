import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { ProgressReporter } from './test/support/progress.ts'

// Six projects. `quick`: no child process, no long run, no optional package (test/global-setup.ts installs them for the others). `vendor`, `seed`: the contract suite against the other plays of the embedded service. `slow`: the rest of what `npm test` runs, but for `isolated`: files that
// replace node:fs, timers or sockets for simulated processes (test/support/crash), in workers of their own.
// `deep`: files named *.deep.test.ts, and those that walk a part of their cases elsewhere (test/support/runs.ts), in full;
// `npm run test:all` runs all of it, CI a tenth of it a commit.
const deepOnly = ['test/**/*.deep.test.ts']
const walks = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map(path => join('test', path))
  .filter(path => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes('support/runs.ts'))
const deep = [...deepOnly, ...walks]
const isolated = [
  'test/system/kill/**/*.test.ts',
  'test/system/faults/**/*.test.ts',
  'test/system/variants/**/*.test.ts',
  'test/system/chaos/**/*.test.ts',
  'test/system/race/**/*.test.ts',
  'test/system/campaign/**/*.test.ts',
  'test/system/ledger/**/*.test.ts',
  'test/unit/execution/damages.test.ts',
]
const slow = [
  'test/system/cli/**/*.test.ts',
  'test/system/browser/**/*.test.ts',
  'test/system/outage/**/*.test.ts',
  'test/system/bad-input/**/*.test.ts',
  'test/system/security/slow/**/*.test.ts',
  'test/system/matching-quality/**/*.test.ts',
  'test/unit/{account,env,execution,library,observe,prepare,review,runs,spending,staging}/**/*.test.ts',
  'test/unit/queue/**/*.test.ts',
  'test/unit/testing/**/*.test.ts',
  'test/samples.test.ts',
  'test/unit/client/database/**/*.test.ts',
  'test/unit/client/examples.test.ts',
  'test/unit/client/matrix.test.ts',
  'test/unit/client/objects.test.ts',
  'test/unit/client/round-trip.test.ts',
  'test/unit/files/atomic-file.test.ts',
  'test/unit/files/process-lock.test.ts',
  'test/unit/input/distinct.test.ts',
  'test/unit/input/fuzz.test.ts',
  'test/unit/input/parse-aside.test.ts',
  'test/unit/input/hostile-tables.test.ts',
  'test/unit/input/round-trip.test.ts',
  'test/unit/input/shards.test.ts',
  'test/unit/input/xlsx-*.test.ts',
  'test/unit/journal/fixtures.test.ts',
  'test/unit/pipeline/nesting.test.ts',
  'test/unit/report/junit.test.ts',
  'test/unit/report/outputs.test.ts',
  'test/system/security/errors.test.ts',
  'test/system/security/service.test.ts',
  'test/unit/service/backup.test.ts',
  'test/unit/service/database.test.ts',
  'test/unit/service/http-table.test.ts',
  'test/unit/import.test.ts',
  'test/unit/service/jobs-threads.test.ts',
  'test/unit/service/limits.test.ts',
  'test/unit/service/logins.test.ts',
  'test/unit/service/monitoring/import-events.test.ts',
  'test/unit/service/monitoring/monitor.test.ts',
  'test/unit/service/matching/storage.test.ts',
  'test/unit/service/openapi.test.ts',
  'test/unit/service/portfolios/importer.test.ts',
  'test/unit/service/promises.test.ts',
  'test/unit/service/registers/first-use.test.ts',
  'test/unit/service/registers/index-file.test.ts',
  'test/unit/service/registers/register.test.ts',
  'test/unit/service/registers/sources.test.ts',
  'test/unit/service/screening/http.test.ts',
  'test/unit/service/screening/pdf.test.ts',
  'test/unit/service/secrets.test.ts',
  'test/unit/service/side-by-side.test.ts',
  'test/unit/service/tenants.test.ts',
  'test/unit/service/users.test.ts',
  'test/unit/service/walk.test.ts',
  'test/system/delivery/**/*.test.ts',
  'test/system/examples/**/*.test.ts',
  'test/docs.test.ts',
  'test/programs.test.ts',
]

/** A file system in memory syncs in no time. A container may give it 64 MB, or let nothing in it be executed. */
const MEMORY = '/dev/shm'
function canHoldFiles(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    const mount = readFileSync('/proc/mounts', 'utf8').match(/^\S+ \/dev\/shm .*/m)?.[0] ?? ''
    return bavail * bsize > 2 ** 32 && mount !== '' && !/\b(?:noexec|ro)\b/.test(mount)
  } catch {
    return false
  }
}
if (process.env.TMPDIR === undefined && canHoldFiles()) process.env.TMPDIR = MEMORY

/** The longest first: one of them started last would keep a single worker busy at the end. */
const LONG = [
  'execution/reuse',
  'queue/workers',
  'slow/canaries',
  'variants/variants',
  'kill/tables',
  'execution/searches',
  'review/decisions',
  'execution/ways-into-answers',
  'execution/list-facts',
  'campaign/campaign',
  'faults/wire',
  'kill/service',
  'bad-input/inputs',
  'test/programs',
  'test/docs',
  'kill/sweep',
  'kill/signals',
  'execution/damages',
  'outage/outage',
  'cli/remote',
  'cli/run-key',
  'execution/replay',
  'chaos/chaos',
  'browser/report',
  'browser/review',
  'kill/disk',
  'kill/real',
  'library/library',
  'cli/reporters',
  'service/http-table',
  'service/tenants',
  'service/secrets',
  'matching-quality/samples',
  'queue/library',
  'examples/platforms',
  'registers/sources',
  'cli/elsewhere',
  'cli/review',
  'cli/run',
  'cli/terminal',
  'service/limits',
  'library/examples',
  'slow/files',
  'slow/offline',
  'bad-input/processes',
  'input/round-trip',
  'cli/contract',
  'prepare/registers',
  'execution/transfer',
  'bad-input/mutations',
]

/** Of the deep ones, the longest first: every part of `--shard` gets its share of them. */
const LONG_DEEP = [
  'execution/event-nights',
  'walk/dagster-machines',
  'walk/dagster-processes',
  'walk/prefect-machines',
  'walk/prefect-processes',
  'walk/airflow-machines',
  'walk/airflow-processes',
  'install/install',
  'delivery/image',
  'delivery/installs',
  'kill/events',
  'kill/portfolio',
  'commands/first-review',
  'commands/further-review',
  'commands/merge',
  'commands/clean-before',
  'commands/clean-after',
  'commands/clean-full-disk',
  'commands/clean-cut',
  'sweeps/kills',
  'sweeps/failing-disk',
  'kill/candidates',
  'sweeps/full-disk',
  'sweeps/writes',
  'examples/airflow',
  'faults/process',
  'sweeps/signals',
  'kill/strictness',
  'sweeps/requests',
  'kill/disk',
  'examples/dagster',
  'examples/prefect',
  'service/load',
  'race/race',
  'race/takeover',
].map(name => `${name}.deep`)

const LONGEST = [...LONG_DEEP, ...LONG]

/** `--sequence.shuffle --sequence.seed 1` shuffles files, and the tests of each. */
const drawn = ({ moduleId }: TestSpecification, seed: number): string =>
  createHash('sha256').update(`${seed} ${moduleId}`).digest('hex')

function rankIn(names: readonly string[], { moduleId }: TestSpecification): number {
  const at = names.findIndex(name => moduleId.endsWith(`${name}.test.ts`))
  return at === -1 ? names.length : at
}

class LongestFirst extends BaseSequencer {
  /** Long files are dealt there and back, then the others; those of one folder, which are alike, go to different parts. */
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard ?? { index: 1, count: 1 }
    const sorted = files
      .toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1))
      .sort((a, b) => rankIn(LONG_DEEP, a) - rankIn(LONG_DEEP, b))
    return sorted.filter((_, at) => {
      const place = at % count
      return (Math.floor(at / count) % 2 === 0 ? place : count - 1 - place) === index - 1
    })
  }

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { shuffle, seed } = this.ctx.config.sequence
    const ordered = shuffle
      ? files.toSorted((a, b) => (drawn(a, seed) < drawn(b, seed) ? -1 : 1))
      : (await super.sort(files)).sort((a, b) => rankIn(LONGEST, a) - rankIn(LONGEST, b))
    // A worker whose next file is of another project is ended, and its modules with it: projects come one after the other.
    const isLate = ({ project }: TestSpecification): number => (project.name === 'isolated' ? 0 : 1)
    return ordered.sort((a, b) => isLate(a) - isLate(b))
  }
}

/** For tests that start processes: the build is there, and a file may take minutes. They wait much: three more than there are cores. */
const withProcesses = {
  maxWorkers: 3 + Math.max(2, availableParallelism()),
  testTimeout: 600_000,
  hookTimeout: 120_000,
  globalSetup: 'test/global-setup.ts',
  maxConcurrency: 4,
}

export default defineConfig({
  test: {
    // What vitest has compiled is kept on disk for the next project and the next run.
    experimental: { fsModuleCache: true },
    testTimeout: 30_000,
    setupFiles: 'test/support/each-file.ts',
    // Without it a run refuses to start where no register was imported.
    env: { FETTLE_REGISTER: 'sample' },
    // On two cores vitest would take one.
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    // On a terminal the default one counts.
    reporters: process.stdout.isTTY ? ['default'] : [new ProgressReporter()],
    hookTimeout: 30_000,
    // Tests make many short-lived objects; with Node's 16 MB for them a sixth of the time went into collecting them.
    execArgv: ['--max-semi-space-size=64'],
    projects: [
      {
        extends: true,
        // A worker keeps its modules from file to file: importing them anew took 100 of 340 seconds. A file therefore puts
        // back what it replaces (test/support/builtin.ts), and does not use vi.mock.
        test: { name: 'quick', include: ['test/**/*.test.ts'], exclude: [...slow, ...isolated, ...deepOnly], isolate: false },
      },
      // The contract suite once more, against the other plays of the embedded service.
      ...(['vendor', 'seed'] as const).map(play => ({
        extends: true as const,
        test: { name: play, include: ['test/contract/*.test.ts'], provide: { play }, isolate: false },
      })),
      {
        extends: true,
        test: {
          name: 'slow',
          sequence: { groupOrder: 1 },
          include: slow,
          exclude: [...isolated, ...deepOnly],
          isolate: false,
          ...withProcesses,
        },
      },
      {
        extends: true,
        test: {
          name: 'isolated',
          sequence: { groupOrder: 1 },
          include: isolated,
          exclude: deepOnly,
          isolate: false,
          ...withProcesses,
        },
      },
      {
        extends: true,
        // Each of them starts many processes, so few at a time; only one that hangs meets the time limit.
        test: {
          name: 'deep',
          sequence: { groupOrder: 2 },
          include: deep,
          env: { FETTLE_DEEP: '1' },
          ...withProcesses,
          maxWorkers: 1 + Math.max(2, availableParallelism()),
          testTimeout: 3_600_000,
          hookTimeout: 1_800_000,
        },
      },
    ],
  },
})
