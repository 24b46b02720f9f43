/** Declares every key of the project file, fettle.yml. The forms of its values are those of a pipeline. */
import { z } from 'zod'
import { flag, listOf, map, pattern, text, whole } from '../schema/forms.ts'
import { pipelineSchema } from '../schema/schema.ts'

const { service, register, checks, budget, notify, retention } = pipelineSchema.shape

const NAME = 'the name of a target, of a-z, 0-9 and -'
const targetName = pattern(NAME, /^[a-z0-9][a-z0-9-]{0,39}$/)

const target = map({
  service: service.describe('As in a pipeline: embedded, required, an address, or a map. Absent: that of the pipeline.'),
  register: register.describe('Registers of the embedded service, for pipelines that name none.'),
  limit: whole(1, 1_000_000_000).optional().describe('Only the first rows of each list.'),
  real: flag().prefault(false).describe('This target has to be named: it cannot be the default.'),
})

export const projectSchema = map({
  $schema: text('the address of a JSON Schema').optional().describe('For editors; fettle does not read it.'),
  version: z.literal(1).prefault(1).describe('Version of this format.'),
  target: targetName.optional().describe('The target of commands that name none. Absent: every command has to name one.'),
  targets: z
    .record(targetName, target, { error: 'targets by their names, of a-z, 0-9 and -' })
    .prefault({})
    .describe('Where the pipelines run; a command chooses one by its name.'),
  defaults: map({
    checks: checks.describe('Checks of every pipeline; a pipeline may replace each of them.'),
    budget: budget.describe('The budget of every pipeline; a pipeline may replace each limit.'),
    reporters: listOf(text('a reporter such as junit or junit=out/junit.xml'), 'a list of reporters', 0, 20)
      .optional()
      .describe('Reporters of runs whose command names none.'),
    notify: notify.describe('Receivers of pipelines that have no `notify`.'),
    retention: retention.describe('Age of the runs to remove, of pipelines without `retention`.'),
  })
    .prefault({})
    .describe('Values of keys that a pipeline leaves out.'),
  outputRoots: listOf(text('a folder'), 'a list of folders', 0, 50)
    .prefault([])
    .describe('Folders besides the working directory that outputs may be in; relative ones start from the folder of this file.'),
})
