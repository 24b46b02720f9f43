/** Flags that several commands have, each described once. */
import type { Argv } from 'yargs'

/** Where runs are kept. */
export const runsDir = (argv: Argv): Argv =>
  argv.option('runs-dir', { type: 'string', default: 'fettle-runs', requiresArg: true, describe: 'Where runs are kept' })

/** A result for machines. */
export const json = (argv: Argv): Argv =>
  argv.option('json', { type: 'boolean', describe: 'One compact JSON line on stdout, the last bytes emitted' })

/** What there is for things that are imported and kept under a name. */
export const jsonStored = (argv: Argv, thing: string, kinds: string, file: string): Argv =>
  json(argv)
    .positional('action', { choices: ['import', 'list', 'info', 'remove'] as const, demandOption: true, describe: 'What to do' })
    .positional('kind-or-name', {
      type: 'string',
      describe: `import: kind of file (${kinds}); info, remove: name of the ${thing}`,
    })
    .positional('file', { type: 'string', describe: `import: ${file}` })
    .option('name', {
      type: 'string',
      requiresArg: true,
      describe: `import: name of the ${thing}; from the file name if absent`,
    })
    .option('force', {
      type: 'boolean',
      describe: `import: also a file without usable rows, or one that leaves less than half of the ${thing}`,
    })

/** The exit code of a day without rows. */
export const skipCode = (argv: Argv): Argv =>
  argv.option('skip-code', {
    type: 'string',
    requiresArg: true,
    describe: 'Exit with this code when there were no rows and the pipeline allows it (Airflow: 99)',
  })

/** What stands in place of what the pipeline says. */
export const sources = (argv: Argv): Argv =>
  argv
    .option('service', { type: 'string', requiresArg: true, describe: 'embedded, or the address of a service' })
    .option('input', {
      type: 'string',
      requiresArg: true,
      describe: 'Read this file, or - for standard input, instead of the one the pipeline names',
    })
    .option('output', { type: 'string', requiresArg: true, describe: 'Write here instead of where the pipeline says' })
    .option('var', {
      type: 'string',
      array: true,
      nargs: 1,
      requiresArg: true,
      describe: 'Set a variable of the pipeline: name=value',
    })
    .option('limit', { type: 'string', requiresArg: true, describe: 'Only the first N rows' })
    .option('shard', {
      type: 'string',
      requiresArg: true,
      describe: 'Only this part of the rows: 3/8, or auto or auto/8 by the index that the platform gives',
    })

/** A queue of shards, and its name. */
export const queue = (argv: Argv, what: string): Argv =>
  argv.option('queue', { type: 'string', requiresArg: true, describe: what }).option('queue-name', {
    type: 'string',
    requiresArg: true,
    describe: 'The queue in that Redis; fettle if absent',
  })

/** Where a worker may fetch lists from. */
export const inputFrom = (argv: Argv): Argv =>
  argv.option('input-from', {
    type: 'string',
    array: true,
    nargs: 1,
    requiresArg: true,
    describe: 'Fetch lists from this address, or from below it when it ends in a slash; from none if absent',
  })

/** What every command takes that carries a run on. */
export const executionOptions = (argv: Argv): Argv =>
  skipCode(json(runsDir(argv)))
    .option('timeout', {
      type: 'string',
      requiresArg: true,
      describe: 'Stop waiting after this long (90s, 2h); the run can be resumed',
    })
    .option('result-file', {
      type: 'string',
      requiresArg: true,
      describe: 'Write the result line to this file, whatever happens',
    })
    .option('reporter', {
      type: 'string',
      array: true,
      nargs: 1,
      requiresArg: true,
      describe:
        'Tell also: junit, github, gitlab, openmetrics, json-events, markdown, html or openlineage, each with =PATH; dagster; none: not even the platform',
    })
    .option('strict', { type: 'boolean', describe: 'Warnings give exit 1' })
    .option('quiet', { type: 'boolean', alias: 'q', describe: 'Say nothing unless something is wrong' })
    .option('verbose', { type: 'boolean', alias: 'v', describe: 'Say more on the way' })

/** The pipeline files. */
export const pipelines = (argv: Argv): Argv =>
  argv.positional('pipeline', { type: 'string', array: true, demandOption: true, describe: 'Pipeline files' })

/** A run that is there. */
export const runOption = (argv: Argv): Argv =>
  argv.positional('run', { type: 'string', describe: 'Run id, its beginning, or a pipeline name; the latest if absent' })

/** How a list is read that nobody has described. */
export const runFilters = (argv: Argv): Argv =>
  argv
    .positional('file', { type: 'string', demandOption: true, describe: 'The company list' })
    .option('map', {
      type: 'string',
      array: true,
      nargs: 1,
      requiresArg: true,
      describe: 'Say what a column is: name=Firma, by number town=#3, or phone=- for none',
    })
    .option('encoding', { type: 'string', requiresArg: true, describe: 'Encoding of the list, when it is not UTF-8' })
    .option('delimiter', { type: 'string', requiresArg: true, describe: 'The character between cells, when it cannot be told' })
    .option('header', { type: 'boolean', describe: 'The first row is a header; --no-header: it is a row like the others' })
    .option('skip', { type: 'string', requiresArg: true, describe: 'Lines above the header' })
    .option('sheet', { type: 'string', requiresArg: true, describe: 'Sheet of an Excel file, by name or number' })
