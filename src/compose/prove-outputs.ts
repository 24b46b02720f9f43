/** Whether the outputs of a plan can be written, asked before anything is paid for. It writes none of them. */
import { proveWritable } from '../input/index.ts'
import type { Plan } from '../pipeline/index.ts'

/** A disk that will refuse the outputs is better known early. Throws FETTLE_OUTPUT_WRITE. */
export async function proveOutputs({ output, shard }: Plan, cwd: string): Promise<void> {
  // A shard writes none: whoever merges does.
  if (shard !== undefined) return
  for (const path of [output?.path, output?.unmatched, output?.review]) if (path != null) await proveWritable(path, { root: cwd })
}
