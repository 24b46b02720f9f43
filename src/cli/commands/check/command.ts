/** `fettle check`: pipeline and input checked without sending anything. */
import type { Command } from '../../command.ts'
import { JSON_RESULT, PIPELINES, QUIET, REGISTER_CONFLICTS, RUNS_DIR, SOURCES, TRUSTED } from '../options.ts'

export const check: Command = {
  usage: 'check <pipeline..>',
  summary: 'Check pipeline and input; makes no request',
  positionals: [PIPELINES],
  isUntrusted: true,
  options: [
    ...SOURCES,
    TRUSTED,
    RUNS_DIR,
    JSON_RESULT,
    QUIET,
    { name: 'explain', type: 'switch', describe: 'Print the plan that run would execute' },
  ],
  conflicts: REGISTER_CONFLICTS,
  examples: [
    ['fettle check nightly.yml', 'all problems of the file and the list, and a profile of the columns'],
    ['fettle check nightly.yml --explain', 'the plan that run would execute'],
  ],
  load: () => import('./run.ts'),
}
