/** `fettle serve`: the embedded service, its users and backups. */
import type { Command } from '../../command.ts'
import { REGISTER_CONFLICTS, REGISTERS } from '../options.ts'

export const serve: Command = {
  usage: 'serve [action] [what] [name]',
  summary: 'Start the embedded service; manage its users, back up its data',
  positionals: [
    {
      name: 'action',
      choices: ['users', 'backup'],
      describe: 'Instead of serving: users add|list|remove, or backup FILE; also while the service runs',
    },
    { name: 'what', describe: 'users: add, list or remove; backup: the file to write' },
    { name: 'name', describe: 'users add, remove: the user name' },
  ],
  options: [
    { name: 'port', default: '8080', describe: 'Port; 0 takes a free one' },
    { name: 'host', default: '127.0.0.1', describe: 'Address to listen on; credentials are required unless it is loopback' },
    { name: 'public-url', describe: 'Address that clients use when a TLS proxy is in front, such as https://fettle.example' },
    { name: 'allow-host', type: 'list', describe: 'Further name under which clients may reach the service' },
    {
      name: 'trust-proxy',
      type: 'list',
      describe: 'IP address or subnet of a proxy whose Forwarded or X-Forwarded-Proto and -Host are read; default: none',
    },
    ...REGISTERS,
    { name: 'data-dir', alias: 'data', describe: 'Folder of the data of the service; default: <data folder>/service' },
    { name: 'keep-uploads', describe: 'Days after which the files of finished jobs are removed; default: 90' },
    { name: 'credits', describe: 'Most credits a user may spend (an AML search costs 1); default: no limit' },
    {
      name: 'rate',
      type: 'list',
      describe: 'Requests a user may make: 20/1s, 600/1m, or of one operation createJob=2/1s; default: no limit',
    },
    {
      name: 'reconcile',
      type: 'switch',
      describe: 'Also serve OpenRefine at /reconcile, without a login, to this machine only',
    },
    {
      name: 'play',
      choices: ['own', 'vendor', 'seed'],
      default: 'own',
      describe: 'Behave like another service: vendor, the published description of the interface; seed, the specification alone',
    },
    { name: 'replay', describe: 'Answer from this recording of fettle run --record, on this machine only, with any login' },
    { name: 'role', choices: ['reader', 'operator', 'admin'], describe: 'users add: role of the user; default: operator' },
    {
      name: 'tenant',
      describe: 'users add: tenant whose jobs, portfolios and searches the user shares; default: a new one',
    },
    { name: 'json', type: 'switch', describe: 'users list, backup: print one line of JSON on stdout' },
    { name: 'log', type: 'switch', describe: 'Log each request as a line of JSON on stderr' },
  ],
  conflicts: {
    ...REGISTER_CONFLICTS,
    replay: ['register', 'sample', 'public-url', 'data-dir', 'credits', 'rate', 'reconcile', 'keep-uploads', 'log'],
  },
  examples: [
    ['fettle serve', 'on 127.0.0.1:8080, with new credentials'],
    ['fettle serve --port 0 --register companies', 'one register, on a free port'],
    ['fettle serve --credits 1000', 'limit the credits of each user'],
    ['fettle serve --rate 20/1s --rate 600/1m', 'throttle requests: 429 with Retry-After'],
    ['fettle serve --play vendor', 'rehearse a run against what the service publishes'],
    ['fettle serve --public-url https://fettle.example', 'behind a TLS proxy on the same machine'],
    ['fettle serve --replay case.jsonl', 'repeat a recorded run, without its service'],
    ['fettle serve users add ann --role reader', 'add a user; asks for the password'],
    ['fettle serve backup monday.tar.gz', 'back up all data, also while the service runs'],
  ],
  load: () => import('./run.ts'),
}
