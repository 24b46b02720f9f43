/** `fettle schema`: prints a JSON Schema. */
import { EXIT } from '../../errors.ts'
import { decisionsJsonSchema, pipelineJsonSchema, projectJsonSchema } from '../../pipeline/index.ts'
import { eventJsonSchema, reportJsonSchema } from '../../report/index.ts'
import type { Flags } from '../command.ts'
import type { Io } from '../terminal/io.ts'

export async function run(flags: Flags, io: Io): Promise<number> {
  const made = {
    pipeline: pipelineJsonSchema,
    project: projectJsonSchema,
    decisions: decisionsJsonSchema,
    report: reportJsonSchema,
    event: eventJsonSchema,
  }
  io.out(JSON.stringify(made[flags.document as keyof typeof made](), null, 2))
  return EXIT.ok
}
