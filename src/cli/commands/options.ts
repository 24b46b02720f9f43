/** Options that several commands have, each described once. */

import { DEFAULT_RUNS_DIR } from '../../shell-command.ts'
import type { Command, Option } from '../command.ts'
import { REPORTERS } from '../reporters/registry.ts'

export const RUNS_DIR: Option = {
  name: 'runs-dir',
  default: DEFAULT_RUNS_DIR,
  variable: 'FETTLE_RUNS_DIR',
  describe: 'Folder of the runs',
}

export const JSON_RESULT: Option = {
  name: 'json',
  type: 'switch',
  describe: 'Print the result as one line of JSON, the last line of stdout',
}

export const SKIP_CODE: Option = {
  name: 'skip-code',
  describe: 'Exit with this code when the input has no rows and the pipeline allows it (Airflow: 99)',
}

export const SERVICE: Option = { name: 'service', describe: 'embedded, or the address of a service' }

/** Registers of the embedded service; `registerFlag` reads them. */
export const REGISTERS: readonly Option[] = [
  { name: 'register', type: 'list', describe: 'Register to match against, repeatable; default: all that were imported' },
  { name: 'sample', type: 'switch', describe: 'Match against the sample register of invented companies' },
]
export const REGISTER_CONFLICTS = { sample: ['register'] } as const

export const LIMIT: Option = { name: 'limit', describe: 'Only the first N rows' }

export const NEW_RUN: Option = { name: 'new', type: 'switch', describe: 'Start a new run even if an unfinished one exists' }

export const RUN_KEY: Option = {
  name: 'run-key',
  describe: 'Id of the run of a scheduler; a finished run of the same key is reported again. Default: from the scheduler',
}

export const ANSWERS_DIR: Option = {
  name: 'answers-dir',
  describe: 'Folder of the answers that later runs may use; default: answers in the folder of the runs',
}

/** With `reuse`: which rows are sent although they have an earlier answer. */
export const REUSE: readonly Option[] = [
  ANSWERS_DIR,
  { name: 'refresh', type: 'switch', describe: 'Send all rows, also those with an answer of an earlier run' },
  { name: 'refresh-where', type: 'list', describe: 'Send rows with such an answer again: outcome=matched, review or unmatched' },
  { name: 'refresh-key', type: 'list', describe: 'Send the row of this key again, repeatable' },
]

export const DROP_DECISIONS: Option = {
  name: 'drop-decisions',
  type: 'switch',
  describe: 'Run although this undoes decisions that the last run applied',
}

export const ACCEPT_LIST: Option = {
  name: 'accept-list',
  type: 'switch',
  describe: 'Run although the list lost most of its rows, or of the cells of a column, since the last good run',
}

/** Lines around the table. */
const SKIPS: readonly Option[] = [
  { name: 'skip-head', describe: 'Lines above the header to skip; blank lines count' },
  { name: 'skip-tail', describe: 'Lines below the last row to skip; blank lines count' },
]

export const UNTRUSTED: Option = {
  name: 'untrusted',
  type: 'switch',
  describe: 'Open only the service that the credentials are for, and read only files of the working directory',
}

/** Of commands that look at a pipeline before it is trusted. */
export const TRUSTED: Option = {
  name: 'trusted',
  type: 'switch',
  describe: 'Open all addresses of the pipeline, and read files outside the working directory',
}

export const TARGET: Option = { name: 'target', describe: 'Target of the project file fettle.yml; default: the one it names' }

export const SELECT: Option = {
  name: 'select',
  type: 'list',
  describe: 'Only these pipelines: tag:nightly, a name such as sup*, changed, failed; repeatable: any of them',
}

export const SOURCES: readonly Option[] = [
  SELECT,
  TARGET,
  SERVICE,
  ...REGISTERS,
  { name: 'input', describe: 'Read this file, or - for standard input, instead of the input of the pipeline' },
  ...SKIPS,
  { name: 'output', describe: 'Write here, in any folder, instead of the output of the pipeline' },
  { name: 'output-root', type: 'list', describe: 'Allow outputs of the pipeline in this folder, too' },
  { name: 'var', type: 'list', describe: 'Set a variable of the pipeline: name=value' },
  LIMIT,
  { name: 'shard', describe: 'Only this part of the rows: 3/8, or auto or auto/8 by the index that the platform sets' },
]

export const queueOptions = (describe: string, isRequired = false): readonly Option[] => [
  { name: 'queue', isRequired, describe },
  { name: 'queue-name', describe: 'Name of the queue in that Redis; default: fettle' },
]

export const QUIET: Option = { name: 'quiet', alias: 'q', type: 'switch', describe: 'Print only warnings and errors' }
export const VERBOSE: Option = { name: 'verbose', alias: 'v', type: 'switch', describe: 'Print more progress' }
export const QUIET_OR_VERBOSE = { quiet: ['verbose'] } as const

const REPORTER: Option = {
  name: 'reporter',
  type: 'list',
  suggestions: [...Object.keys(REPORTERS), 'none'],
  describe: `Also report as ${reporterNames(true)}, each with =PATH; ${reporterNames(false)}; none: disable the automatic reporters`,
}

function reporterNames(takesPath: boolean): string {
  const names = Object.keys(REPORTERS).filter(name => (REPORTERS[name]?.target !== 'none') === takesPath)
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

export const EXECUTION: readonly Option[] = [
  RUNS_DIR,
  JSON_RESULT,
  SKIP_CODE,
  { name: 'timeout', describe: 'Stop waiting after this long (90s, 2h); the run can be resumed' },
  { name: 'result-file', describe: 'Write the result line to this file, also after an error' },
  REPORTER,
  { name: 'strict', type: 'switch', describe: 'Exit with 1 on warnings' },
  QUIET,
  VERBOSE,
]

/** Of the commands that talk to a service about a run. */
export const RECORD: Option = {
  name: 'record',
  describe: 'Record the answers of the service in this file, with placeholders for all data; see fettle serve --replay',
}

export const PIPELINES: Option = {
  name: 'pipeline',
  type: 'list',
  isRequired: true,
  describe: 'Pipeline files, or folders of them',
}

export const RUN: Option = { name: 'run', describe: 'Run id, its first characters, or a pipeline name; default: the latest run' }

/** The list of `clean`, `dedupe` and `init`. */
export const LIST: Option = {
  name: 'file',
  type: 'list',
  isRequired: true,
  describe: 'The company list; several files are one list',
}

export const LIST_OPTIONS: readonly Option[] = [
  { name: 'map', type: 'list', describe: 'Map a column: name=Firma, by number town=#3, or phone=- for none' },
  { name: 'encoding', describe: 'Encoding of the list, if it is not UTF-8' },
  { name: 'delimiter', describe: 'Character between cells, if it cannot be detected' },
  {
    name: 'quotes',
    choices: ['strict', 'relaxed'],
    describe: 'relaxed: a quote inside a cell is text; default: if the rest of the list proves it',
  },
  { name: 'header', type: 'switch', describe: 'The first row is a header; --no-header: it is data' },
  ...SKIPS,
  {
    name: 'sections',
    choices: ['skip', 'rows'],
    describe: 'rows: headings and totals inside the list are sent; default: skip those that are proved',
  },
  { name: 'sheet', describe: 'Sheet of an Excel file, by name or number' },
  { name: 'all-sheets', type: 'switch', describe: 'All sheets with the same columns as one list' },
]

export const STORE_NEEDS = {
  import: ['kind-or-name', 'file'],
  info: ['kind-or-name'],
  remove: ['kind-or-name'],
} as const satisfies Command['needs']

export const storePositionals = (
  thing: string,
  kinds: string,
  file: string,
  /** `onAll`: actions on all of them. */
  { actions = [], onAll = [] }: { readonly actions?: readonly string[]; readonly onAll?: readonly string[] },
): readonly Option[] => [
  {
    name: 'action',
    choices: ['import', 'list', 'info', 'remove', ...actions, ...onAll],
    isRequired: true,
    describe: 'What to do',
  },
  {
    name: 'kind-or-name',
    describe: `import: kind of file (${kinds}); ${['info', 'remove', ...actions].join(', ')}: name of the ${thing}`,
  },
  { name: 'file', describe: `import: ${file}` },
]

export const storeOptions = (thing: 'register' | 'list'): readonly Option[] => [
  JSON_RESULT,
  QUIET,
  { name: 'name', describe: `import: name of the ${thing}; default: from the file name` },
  {
    name: 'force',
    type: 'switch',
    describe: `import: also ${thing === 'register' ? 'a file that is imported already, ' : 'a file '}without usable rows, or one that leaves less than half of the ${thing}`,
  },
]
