/**
 * The commands: name, one line of help, flags. Bodies are imported when their command is called, so that `--help` stays quick.
 * README and the surface snapshot are checked against this table.
 */
import type { Argv } from 'yargs'
import type { Command } from './command.ts'

const runsDir = (argv: Argv): Argv =>
  argv.option('runs-dir', { type: 'string', default: 'fettle-runs', requiresArg: true, describe: 'Where runs are kept' })

const json = (argv: Argv): Argv =>
  argv.option('json', { type: 'boolean', describe: 'One compact JSON line on stdout, the last bytes emitted' })

const sources = (argv: Argv): Argv =>
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

const carrying = (argv: Argv): Argv =>
  json(runsDir(argv))
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
    .option('strict', { type: 'boolean', describe: 'Warnings give exit 1' })
    .option('quiet', { type: 'boolean', alias: 'q', describe: 'Say nothing unless something is wrong' })
    .option('verbose', { type: 'boolean', alias: 'v', describe: 'Say more on the way' })

const pipelines = (argv: Argv): Argv =>
  argv.positional('pipeline', { type: 'string', array: true, demandOption: true, describe: 'Pipeline files' })

const aRun = (argv: Argv): Argv =>
  argv.positional('run', { type: 'string', describe: 'Run id, its beginning, or a pipeline name; the latest if absent' })

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  {
    usage: 'run <pipeline..>',
    summary: 'Carry out pipelines; an unfinished run of the same plan is continued',
    flags: argv =>
      carrying(sources(pipelines(argv)))
        .option('dry-run', { type: 'boolean', describe: 'Print the plan and send nothing' })
        .option('new', { type: 'boolean', describe: 'Start anew in spite of an unfinished run' })
        .conflicts({ quiet: 'verbose', 'dry-run': ['json', 'result-file', 'new'] }),
    load: () => import('./commands/run.ts'),
  },
  {
    usage: 'check <pipeline..>',
    summary: 'Check pipeline and input without sending anything',
    flags: argv =>
      json(sources(pipelines(argv))).option('explain', { type: 'boolean', describe: 'Print the plan that run would carry out' }),
    load: () => import('./commands/check.ts'),
  },
  {
    usage: 'resume [run]',
    summary: 'Go on with a run from where it stopped',
    flags: argv => carrying(aRun(argv)).conflicts('quiet', 'verbose'),
    load: () => import('./commands/resume.ts'),
  },
  {
    usage: 'status [run]',
    summary: 'Say how a run stands, by text and exit code',
    flags: argv => json(runsDir(aRun(argv))),
    load: () => import('./commands/status.ts'),
  },
  {
    usage: 'runs',
    summary: 'List the runs kept here, newest first',
    flags: argv => json(runsDir(argv)),
    load: () => import('./commands/runs.ts'),
  },
  {
    usage: 'report [run]',
    summary: 'Render the report of a run again',
    flags: argv =>
      runsDir(aRun(argv))
        .option('format', {
          choices: ['text', 'json', 'html', 'markdown', 'junit', 'openmetrics'] as const,
          default: 'text' as const,
          requiresArg: true,
          describe: 'Format',
        })
        .option('to', { type: 'string', requiresArg: true, describe: 'Write to this file instead of stdout' }),
    load: () => import('./commands/report.ts'),
  },
  {
    usage: 'serve',
    summary: 'Start the embedded service and keep it up',
    flags: argv =>
      argv
        .option('port', { type: 'string', default: '8080', requiresArg: true, describe: 'Port; 0 takes a free one' })
        .option('host', {
          type: 'string',
          default: '127.0.0.1',
          requiresArg: true,
          describe: 'Address to listen on; anything but loopback needs credentials',
        })
        .option('register', {
          type: 'string',
          array: true,
          nargs: 1,
          requiresArg: true,
          describe: 'Register to serve; all if absent',
        })
        .option('data', {
          type: 'string',
          requiresArg: true,
          describe: 'Folder for jobs and uploads; <data folder>/service if absent',
        })
        .option('log', { type: 'boolean', describe: 'One JSON line a request on stderr' }),
    load: () => import('./commands/serve.ts'),
  },
  {
    usage: 'register <action> [kind-or-name] [file]',
    summary: 'Import, list, show or remove company registers',
    flags: argv =>
      json(argv)
        .positional('action', {
          choices: ['import', 'list', 'info', 'remove'] as const,
          demandOption: true,
          describe: 'What to do',
        })
        .positional('kind-or-name', {
          type: 'string',
          describe: 'import: kind of file (csv); info, remove: name of the register',
        })
        .positional('file', { type: 'string', describe: 'import: the file' })
        .option('name', {
          type: 'string',
          requiresArg: true,
          describe: 'import: name of the register; from the file name if absent',
        })
        .option('officers', {
          type: 'string',
          requiresArg: true,
          describe: 'import: CSV of the officers of its companies',
        }),
    load: () => import('./commands/register.ts'),
  },
  {
    usage: 'schema [document]',
    summary: 'Print a JSON Schema',
    flags: argv =>
      argv.positional('document', {
        choices: ['pipeline', 'report'] as const,
        default: 'pipeline' as const,
        describe: 'Which document',
      }),
    load: () => import('./commands/schema.ts'),
  },
  {
    usage: 'explain [code]',
    summary: 'Explain an error code; all of them if absent',
    flags: argv => argv.positional('code', { type: 'string', describe: 'A code such as FETTLE_INPUT_QUOTE, or an exit code' }),
    load: () => import('./commands/explain.ts'),
  },
]
