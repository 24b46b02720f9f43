import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Three projects. `quick`: no child process, no long run. `slow`: the rest of what `npm test` runs.
// `deep`: files named *.deep.test.ts, long runs that `npm run test:all` runs in full and CI by rotation.
const deep = ['test/**/*.deep.test.ts']
const slow = [
  'test/system/kill/**/*.test.ts',
  'test/system/cli/**/*.test.ts',
  'test/system/browser/**/*.test.ts',
  'test/system/faults/**/*.test.ts',
  'test/system/ledger/**/*.test.ts',
  'test/system/chaos/**/*.test.ts',
  'test/system/race/**/*.test.ts',
  'test/system/outage/**/*.test.ts',
  'test/system/bad-input/**/*.test.ts',
  'test/system/security/slow/**/*.test.ts',
  'test/system/matching-quality/**/*.test.ts',
  'test/unit/app/**/*.test.ts',
  'test/unit/queue/**/*.test.ts',
  'test/unit/testing/**/*.test.ts',
  'test/samples.test.ts',
  'test/unit/client/matrix.test.ts',
  'test/unit/input/distinct.test.ts',
  'test/unit/input/fuzz.test.ts',
  'test/unit/input/round-trip.test.ts',
  'test/unit/input/xlsx-*.test.ts',
  'test/unit/journal/fixtures.test.ts',
  'test/system/security/errors.test.ts',
  'test/system/security/service.test.ts',
  'test/unit/service/database.test.ts',
  'test/unit/service/http-table.test.ts',
  'test/unit/import.test.ts',
  'test/unit/service/jobs-threads.test.ts',
  'test/unit/service/limits.test.ts',
  'test/unit/service/monitoring/monitor.test.ts',
  'test/unit/service/promises.test.ts',
  'test/unit/service/registers/sources.test.ts',
  'test/unit/service/secrets.test.ts',
  'test/unit/service/side-by-side.test.ts',
  'test/unit/service/walk.test.ts',
  'test/system/examples/**/*.test.ts',
  'test/docs.test.ts',
]

/** The longest first: one of them started last would keep a single worker busy at the end. */
const LONG = ['chaos/chaos', 'faults/process', 'faults/wire', 'kill/sweep', 'slow/canaries', 'bad-input/inputs']

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex(name => moduleId.endsWith(`${name}.test.ts`))
      return at === -1 ? LONG.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

/** For tests that start processes: the build is there, and a file may take minutes. */
const withProcesses = {
  testTimeout: 600_000,
  hookTimeout: 120_000,
  globalSetup: 'test/global-setup.ts',
  maxConcurrency: 4,
}

export default defineConfig({
  test: {
    testTimeout: 30_000,
    // On two cores vitest would take one.
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        // A worker keeps its modules from file to file: importing them anew took 100 of 340 seconds. A file therefore puts
        // back what it replaces (test/support/builtin.ts), and does not use vi.mock.
        test: { name: 'quick', include: ['test/**/*.test.ts'], exclude: [...slow, ...deep], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: slow,
          exclude: deep,
          ...withProcesses,
        },
      },
      { extends: true, test: { name: 'deep', include: deep, ...withProcesses } },
    ],
  },
})
