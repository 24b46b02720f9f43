/** The invariants that hold after every fault, checked with checkRun. */
import { listRunIds, runDirectory } from '../../../src/runs/run-directory.ts'
import type { FaultServer } from '../../../src/testing/index.ts'
import { checkRun } from '../../support/check-run/check-run.ts'
import type { Cell } from './data.ts'
import type { Folder, Scene } from './scene.ts'

/** What of the invariants is violated in a folder after a cell was played to its end; one line each. */
export async function brokenInvariants(
  cell: Cell,
  folder: Folder,
  scene: Scene,
  server: FaultServer,
  said: readonly string[],
): Promise<string[]> {
  const [id] = listRunIds(folder.runsDir)
  if (id === undefined) return []
  const violations = await checkRun({
    runDirectory: runDirectory(folder.runsDir, id).path,
    inputRows: folder.rows,
    outputs: ['out.csv', 'unmatched.csv'],
    cwd: folder.path,
    service: scene.access,
    server,
    secrets: [scene.service.password],
    said,
    orphans: Math.max(0, cell.expect.jobs - 1),
  })
  return violations.map(({ invariant, what }) => `${invariant}: ${what}`)
}
