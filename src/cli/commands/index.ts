/**
 * The commands: name, one line of help, flags. Bodies are imported when their command is called, so that `--help` stays quick.
 * README and the surface snapshot are checked against this table.
 */
import { FORMAT_EXTENSIONS } from '../../formats/index.ts'
import type { Command } from '../command.ts'
import {
  executionOptions,
  inputFrom,
  json,
  jsonStored,
  pipelines,
  queue,
  runFilters,
  runOption,
  runsDir,
  skipCode,
  sources,
} from '../options/shared.ts'

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  {
    usage: 'clean <file>',
    summary: 'Match and enrich a list without any configuration',
    flags: argv =>
      executionOptions(runFilters(argv))
        .option('output', {
          type: 'string',
          alias: 'o',
          requiresArg: true,
          describe: `Where the result goes (${FORMAT_EXTENSIONS.join(', ')}); <list>-clean.csv if absent`,
        })
        .option('service', { type: 'string', requiresArg: true, describe: 'embedded, or the address of a service' })
        .option('limit', { type: 'string', requiresArg: true, describe: 'Only the first N rows' })
        .option('new', { type: 'boolean', describe: 'Start anew in spite of an unfinished run' })
        .conflicts('quiet', 'verbose'),
    load: () => import('./clean/run.ts'),
  },
  {
    usage: 'init <file>',
    summary: 'Write a pipeline file for a list, from its headers and values',
    flags: argv =>
      runFilters(argv)
        .option('to', { type: 'string', requiresArg: true, describe: 'The file to write, or - for stdout; <list>.yml if absent' })
        .option('yes', { type: 'boolean', alias: 'y', describe: 'Ask nothing: take what is certain, leave out the rest' })
        .option('force', { type: 'boolean', describe: 'Replace files that are there' })
        .option('ci', { choices: ['github', 'gitlab'] as const, requiresArg: true, describe: 'Write a nightly workflow too' }),
    load: () => import('./init/run.ts'),
  },
  {
    usage: 'run <pipeline..>',
    summary: 'Carry out pipelines; an unfinished run of the same plan is continued',
    flags: argv =>
      queue(
        executionOptions(sources(pipelines(argv))),
        'Have workers carry it out, by this Redis: redis://host:6379; see fettle worker',
      )
        .option('shards', {
          type: 'string',
          requiresArg: true,
          describe: 'With --queue: into how many shards; as many as it would have remote jobs if absent',
        })
        .option('dry-run', { type: 'boolean', describe: 'Print the plan and send nothing' })
        .option('detach', { type: 'boolean', describe: 'End as soon as every remote job is submitted; see status and collect' })
        .option('new', { type: 'boolean', describe: 'Start anew in spite of an unfinished run' })
        .conflicts({
          quiet: 'verbose',
          'dry-run': ['json', 'result-file', 'new', 'reporter', 'detach', 'skip-code', 'queue'],
          queue: 'shard',
        })
        .implies({ shards: 'queue', 'queue-name': 'queue' }),
    load: () => import('./run/run.ts'),
  },
  {
    usage: 'check <pipeline..>',
    summary: 'Check pipeline and input without sending anything',
    flags: argv =>
      json(sources(pipelines(argv))).option('explain', { type: 'boolean', describe: 'Print the plan that run would carry out' }),
    load: () => import('./check/run.ts'),
  },
  {
    usage: 'plan <pipeline..>',
    summary: 'Say what a run would be and cost, and what changed; sends nothing',
    flags: argv =>
      json(runsDir(sources(pipelines(argv))))
        .option('shards', { type: 'string', requiresArg: true, describe: 'List this many shards of the list, for run --shard' })
        .conflicts('shards', 'shard'),
    load: () => import('./plan/run.ts'),
  },
  {
    usage: 'resume [run]',
    summary: 'Go on with a run from where it stopped',
    flags: argv => executionOptions(runOption(argv)).conflicts('quiet', 'verbose'),
    load: () => import('./resume/run.ts'),
  },
  {
    usage: 'status [run]',
    summary: 'Say how a run stands, by text and exit code',
    flags: argv =>
      skipCode(json(runsDir(runOption(argv))))
        .option('watch', { type: 'boolean', describe: 'Look again until it is no longer going on' })
        .option('timeout', {
          type: 'string',
          requiresArg: true,
          describe: 'With --watch: stop looking after this long (90s, 2h)',
        }),
    load: () => import('./status/run.ts'),
  },
  {
    usage: 'collect [run]',
    summary: 'Go on with a detached run: wait, enrich, download, check, report',
    flags: argv => executionOptions(runOption(argv)).conflicts('quiet', 'verbose'),
    load: () => import('./resume/collect.ts'),
  },
  {
    usage: 'merge <run..>',
    summary: 'Join the results of shards into the outputs and the report of one run',
    flags: argv =>
      executionOptions(
        argv.positional('run', {
          type: 'string',
          array: true,
          demandOption: true,
          describe: 'Runs of shards, or their folders; or the name of a pipeline for the newest of each',
        }),
      ).conflicts('quiet', 'verbose'),
    load: () => import('./merge/run.ts'),
  },
  {
    usage: 'worker',
    summary: 'Carry out shards that run --queue gives to a queue, until told to stop',
    flags: argv =>
      inputFrom(queue(runsDir(argv), 'The Redis of the queue: redis://host:6379'))
        .demandOption('queue')
        .option('concurrency', {
          type: 'string',
          default: '1',
          requiresArg: true,
          describe: 'Shards at once in this process',
        })
        .option('quiet', { type: 'boolean', alias: 'q', describe: 'Say nothing unless something is wrong' })
        .option('verbose', { type: 'boolean', alias: 'v', describe: 'Say more on the way' })
        .conflicts('quiet', 'verbose'),
    load: () => import('./worker/run.ts'),
  },
  {
    usage: 'runs',
    summary: 'List the runs kept here, newest first',
    flags: argv => json(runsDir(argv)),
    load: () => import('./runs/run.ts'),
  },
  {
    usage: 'report [run]',
    summary: 'Render the report of a run again',
    flags: argv =>
      runsDir(runOption(argv))
        .option('format', {
          choices: ['text', 'json', 'html', 'markdown', 'junit', 'openmetrics'] as const,
          default: 'text' as const,
          requiresArg: true,
          describe: 'Format',
        })
        .option('to', { type: 'string', requiresArg: true, describe: 'Write to this file instead of stdout' }),
    load: () => import('./report/run.ts'),
  },
  {
    usage: 'review [run]',
    summary: 'Decide about rows that are not certain, and write the corrected output',
    flags: argv =>
      json(runsDir(runOption(argv)))
        .option('export', {
          type: 'string',
          array: true,
          nargs: 2,
          requiresArg: true,
          describe: 'Write the rows to a file instead: csv, xlsx or html, and its name',
        })
        .option('apply', { type: 'string', requiresArg: true, describe: 'Apply the decisions in this file' })
        .option('decisions', {
          type: 'string',
          requiresArg: true,
          describe: 'Where decisions are kept; what the pipeline names, or decisions.csv',
        })
        .option('by', { type: 'string', requiresArg: true, describe: 'Who decides; the user of this machine if absent' })
        .option('expires', { type: 'string', requiresArg: true, describe: 'The last day the decisions hold: 2027-11-21' })
        .option('all', { type: 'boolean', describe: 'Go through rows that were decided about, too' })
        .conflicts({ export: ['apply', 'json', 'by', 'expires', 'all', 'decisions'], apply: ['expires', 'all'] }),
    load: () => import('./review/run.ts'),
  },
  {
    usage: 'serve [action] [what] [name]',
    summary: 'Start the embedded service and keep it up; its users, and backups of what it keeps',
    flags: argv =>
      argv
        .positional('action', {
          choices: ['users', 'backup'] as const,
          describe: 'Instead of serving: users add|list|remove, or backup FILE; also while the service runs',
        })
        .positional('what', { type: 'string', describe: 'users: add, list or remove; backup: the file to write' })
        .positional('name', { type: 'string', describe: 'users add, remove: the user name' })
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
        .option('data-dir', {
          type: 'string',
          alias: 'data',
          requiresArg: true,
          describe: 'Folder of all that the service keeps; <data folder>/service if absent',
        })
        .option('keep-uploads', {
          type: 'string',
          requiresArg: true,
          describe: 'Days after which the files of jobs that are at their end are removed; 90 if absent',
        })
        .option('credits', {
          type: 'string',
          requiresArg: true,
          describe: 'Most credits a user may spend (an AML search costs 1); no limit if absent',
        })
        .option('rate', {
          type: 'string',
          array: true,
          nargs: 1,
          requiresArg: true,
          describe: 'Requests a user may make: 20/1s, 600/1m, or of one operation createJob=2/1s; no limit if absent',
        })
        .option('reconcile', {
          type: 'boolean',
          describe: 'Answer OpenRefine at /reconcile too, without a login, to this machine only',
        })
        .option('role', {
          choices: ['reader', 'operator', 'admin'] as const,
          requiresArg: true,
          describe: 'users add: what the user may do; operator if absent',
        })
        .option('tenant', {
          type: 'string',
          requiresArg: true,
          describe: 'users add: whose jobs, portfolios and searches the user works with; own ones if absent',
        })
        .option('json', { type: 'boolean', describe: 'users list, backup: one compact JSON line on stdout' })
        .option('log', { type: 'boolean', describe: 'One JSON line a request on stderr' }),
    load: () => import('./serve/run.ts'),
  },
  {
    usage: 'register <action> [kind-or-name] [file]',
    summary: 'Import, list, show or remove company registers',
    flags: argv =>
      jsonStored(argv, 'register', 'csv, gleif, companies-house', 'the file, also as .gz or .zip').option('officers', {
        type: 'string',
        requiresArg: true,
        describe: 'import: CSV of the officers of its companies',
      }),
    load: () => import('./register/run.ts'),
  },
  {
    usage: 'screening <action> [kind-or-name] [file]',
    summary: 'Import, list, show or remove the lists that AML searches look in',
    flags: argv =>
      jsonStored(argv, 'list', 'opensanctions, uk, csv', 'the file').option('datasets', {
        type: 'string',
        array: true,
        nargs: 1,
        requiresArg: true,
        describe: 'import: what the entries are listed for (SAN, PEP ...), where the file does not say',
      }),
    load: () => import('./screening/run.ts'),
  },
  {
    usage: 'doctor [pipeline]',
    summary: 'Look for what could keep a run from working',
    flags: argv =>
      queue(json(runsDir(argv)), 'The Redis of a queue too: redis://host:6379')
        .positional('pipeline', { type: 'string', describe: 'A pipeline file, for its input and its service' })
        .option('service', { type: 'string', requiresArg: true, describe: 'embedded, or the address of a service' })
        .option('offline', { type: 'boolean', describe: 'Leave the network alone' }),
    load: () => import('./doctor/run.ts'),
  },
  {
    usage: 'completion <shell>',
    summary: 'Print a completion script for a shell',
    flags: argv =>
      argv.positional('shell', { choices: ['bash', 'zsh', 'fish'] as const, demandOption: true, describe: 'Which shell' }),
    load: async () => (await import('./completion/run.ts')).bodyFor(COMMANDS),
  },
  {
    usage: 'schema [document]',
    summary: 'Print a JSON Schema',
    flags: argv =>
      argv.positional('document', {
        choices: ['pipeline', 'report', 'event'] as const,
        default: 'pipeline' as const,
        describe: 'Which document',
      }),
    load: () => import('./schema/run.ts'),
  },
  {
    usage: 'explain [code]',
    summary: 'Explain an error code; all of them if absent',
    flags: argv => argv.positional('code', { type: 'string', describe: 'A code such as FETTLE_INPUT_QUOTE, or an exit code' }),
    load: () => import('./explain/run.ts'),
  },
]
