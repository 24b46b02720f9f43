/** Ends a cell: checks the service and the folder, and removes them if nothing is wrong. */
import type { FaultServer } from '../../../src/testing/index.ts'
import type { Cell } from './data.ts'
import { judge, type Played, type Sight } from './judge.ts'
import type { Folder } from './scene.ts'

/** Judges the cell, ends its fault server, and keeps its folder when something was wrong. */
export async function conclude(
  cell: Cell,
  folder: Folder,
  server: FaultServer,
  seen: Omit<Sight, 'output' | 'effects'>,
): Promise<Played> {
  const played = judge(cell, { ...seen, output: folder.output(), effects: server.effects() })
  await server.close()
  if (played.wrong.length === 0) folder.remove()
  return played
}
