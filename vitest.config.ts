import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Three projects. `quick`: no child process, no long walk. `slow`: the rest of what `npm test` runs.
// `deep`: files named *.deep.test.ts, long walks that `npm run test:all` runs in full and CI by rotation.
const deep = ['test/**/*.deep.test.ts']
const slow = [
  'test/kill/**/*.test.ts',
  'test/cli/**/*.test.ts',
  'test/browser/**/*.test.ts',
  'test/faults/**/*.test.ts',
  'test/ledger/**/*.test.ts',
  'test/chaos/**/*.test.ts',
  'test/race/**/*.test.ts',
  'test/outage/**/*.test.ts',
  'test/inputs/**/*.test.ts',
  'test/security/slow/**/*.test.ts',
  'test/quality/**/*.test.ts',
  'test/compose/**/*.test.ts',
  'test/queue/**/*.test.ts',
  'test/testing/**/*.test.ts',
  'test/samples.test.ts',
  'test/client/matrix.test.ts',
  'test/input/distinct.test.ts',
  'test/input/fuzz.test.ts',
  'test/input/round-trip.test.ts',
  'test/input/xlsx-*.test.ts',
  'test/journal/fixtures.test.ts',
  'test/security/errors.test.ts',
  'test/security/service.test.ts',
  'test/service/database.test.ts',
  'test/service/http-table.test.ts',
  'test/service/jobs-threads.test.ts',
  'test/service/limits.test.ts',
  'test/service/monitoring/monitor.test.ts',
  'test/service/promises.test.ts',
  'test/service/register/sources.test.ts',
  'test/service/secrets.test.ts',
  'test/service/side-by-side.test.ts',
  'test/service/walk.test.ts',
  'test/examples/**/*.test.ts',
  'test/docs.test.ts',
]

/** The longest first: one of them begun last would keep a single worker busy at the end. */
const LONG = ['chaos/chaos', 'faults/process', 'faults/wire', 'kill/sweep', 'slow/canaries', 'inputs/inputs']

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
      { extends: true, test: { name: 'quick', include: ['test/**/*.test.ts'], exclude: [...slow, ...deep] } },
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
