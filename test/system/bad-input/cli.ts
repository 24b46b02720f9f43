/** Bad command lines and settings. Data only; what needs a pipe, another user or another Node is in processes.test.ts. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { folder } from './pipeline.ts'
import { BASE, type Content, type Row } from './row.ts'

type Rest = Omit<Partial<Row>, 'line' | 'what' | 'args'>

const FILES = { 'p.yml': BASE }
/** Refused with 2 unless `rest` says otherwise; the command line is cut at spaces. */
const bad = (line: string, text: string, code: string, says: Row['says'] = [], rest: Rest = {}): Row => ({
  line,
  what: `fettle ${text.slice(0, 60)}`,
  args: text.split(' '),
  exit: 2,
  errors: [code],
  says,
  ...rest,
  files: { ...FILES, ...rest.files },
})
const ok = (line: string, text: string, says: Row['says'] = [], rest: Rest = {}): Row => ({
  ...bad(line, text, '', says, rest),
  exit: 0,
  errors: [],
})

const mode =
  (bits: number, text: string): Content =>
  path => {
    writeFileSync(path, text)
    chmodSync(path, bits)
  }
/** A run of which nothing but an empty journal, or this one, is left. */
const run =
  (journal: string): Content =>
  path => {
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'journal.jsonl'), journal)
  }
const many = (count: number): Readonly<Record<string, Content>> => ({
  many: path => {
    mkdirSync(path)
    for (let at = 0; at < count; at++) writeFileSync(join(dirname(path), 'many', `${at}.yml`), BASE)
  },
})
const NEWER = `${JSON.stringify({ v: 99, seq: 0, at: '2026-01-01T00:00:00.000Z', type: 'run.started', journal: 99 })}\n`
const REGISTER = 'id,name,country\n1,Acme Ltd,GB\n'
const NO_LOGIN = { FETTLE_USERNAME: '', FETTLE_PASSWORD: '' }

/** Every bad command line. */
// biome-ignore format: a table reads best with one row a line
export const COMMAND_ROWS: readonly Row[] = [
  bad('A1', 'rnu p.yml', 'USAGE', ['unknown command "rnu"', 'Did you mean run?']),
  bad('A1', 'chekc p.yml', 'USAGE', ['Did you mean check?']),
  bad('A1', 'p.yml', 'USAGE', ['unknown command "p.yml"']),
  bad('A1', 'run', 'USAGE', ['fettle run <pipeline..>']),
  bad('A1', 'check', 'USAGE', ['fettle check <pipeline..>']),
  bad('A1', 'register', 'USAGE', ['fettle register <action>']),
  bad('A1', 'run p.yml --dryrun', 'USAGE', ['run has no flag --dryrun', 'Did you mean --dry-run?']),
  bad('A1', 'run p.yml --runsdir x', 'USAGE', ['Did you mean --runs-dir?']),
  bad('A1', 'run p.yml -x', 'USAGE', ['run has no flag -x']),
  bad('A1', 'init list.csv --to p.yml', 'USAGE', ['init has no flag --to', 'Did you mean --output?']),
  bad('A1', 'report --to r.html', 'USAGE', ['report has no flag --to', 'Did you mean --output?']),
  bad('A1', 'init list.csv -o -', 'USAGE', ['an output is a file', 'Write --output - for stdout.']),
  bad('A1', 'clean list.csv -y', 'USAGE', ['clean has no flag -y', 'Did you mean --yes?']),
  bad('A1', 'check p.yml --new', 'USAGE', ['check has no flag --new']),
  bad('A1', 'report --format pdf', 'USAGE', ['pdf', 'openmetrics']),
  bad('A1', 'schema pipelines', 'USAGE', ['pipelines', 'pipeline']),
  bad('A1', 'register drop x', 'USAGE', ['drop', 'remove']),
  bad('A1', 'explain FETTLE_INPUT_QUOTES', 'USAGE', ['Did you mean FETTLE_INPUT_QUOTE?']),
  bad('A1', 'explain FETTLE_REGISTER', 'USAGE', ['Did you mean FETTLE_REGISTER_', 'FETTLE_REGISTER_NONE']),
  bad('A1', 'explain 3', 'USAGE', ['no such code: 3']),
  bad('A1', 'completion powershel', 'USAGE', ['"powershel"']),
  bad('A1', 'run p.yml --report pdf', 'USAGE', ['run has no flag --report'], { later: 'reporters' }),
  bad('A1', 'status a b', 'USAGE', ['b']),

  bad('A2', 'run p.yml --limit', 'USAGE', ['limit']),
  bad('A2', 'run p.yml --limit --quiet', 'USAGE', ['limit']),
  bad('A2', 'run p.yml --output', 'USAGE', ['output']),
  bad('A2', 'run p.yml --var', 'USAGE', ['var']),
  bad('A2', 'run p.yml --output a.csv --output b.csv', 'USAGE', ['a.csv and b.csv', 'given twice']),
  bad('A2', 'run p.yml --limit 1 --limit 2', 'USAGE', ['1 and 2', 'given twice']),
  bad('A2', 'run p.yml --runs-dir a --runs-dir b', 'USAGE', ['given twice']),
  ok('A2', 'run p.yml --limit 1 --limit 1'),
  bad('A2', 'run p.yml -q -v', 'USAGE', ['quiet', 'verbose']),
  bad('A2', 'resume -q -v', 'USAGE', ['quiet', 'verbose']),
  bad('A2', 'run p.yml --dry-run --json', 'USAGE', ['dry-run', 'json']),
  bad('A2', 'run p.yml --dry-run --new', 'USAGE', ['dry-run', 'new']),
  bad('A2', 'run p.yml --dry-run --result-file result.json', 'USAGE', ['dry-run', 'result-file']),
  bad('A2', 'run p.yml --dry-run --detach', 'USAGE', ['dry-run', 'detach']),
  bad('A2', 'resume --new', 'USAGE', ['resume has no flag --new']),
  bad('A2', 'run p.yml --var a', 'USAGE', ['--var a', 'name=value']),
  bad('A2', 'run p.yml --var =1', 'USAGE', ['--var =1', 'name=value']),
  bad('A2', 'run p.yml --var a=1 --var a=2', 'USAGE', ['a was given twice']),
  bad('A2', 'run p.yml --output=', 'USAGE', ['--output', 'needs a value']),

  bad('A3', 'run p.yml --timeout abc', 'USAGE', ['--timeout abc', '1s to 7d']),
  bad('A3', 'run p.yml --timeout 0s', 'USAGE', ['1s to 7d']),
  bad('A3', 'run p.yml --timeout 8d', 'USAGE', ['1s to 7d']),
  bad('A3', 'run p.yml --timeout 10', 'USAGE', ['such as 90s or 2h']),
  bad('A3', 'resume --timeout -5m', 'USAGE', ['timeout']),
  bad('A3', 'run p.yml --limit 0', 'USAGE', ['--limit 0', 'a whole number from 1']),
  bad('A3', 'run p.yml --limit 1.5', 'USAGE', ['--limit 1.5']),
  bad('A3', 'run p.yml --limit 1e9', 'USAGE', ['--limit 1e9']),
  bad('A3', 'run p.yml --limit many', 'USAGE', ['--limit many']),
  bad('A3', 'run p.yml --limit 99999999999999', 'USAGE', ['to 1000000000']),
  bad('A3', 'serve --port 99999', 'USAGE', ['--port 99999', '0 to 65535']),
  bad('A3', 'serve --port http', 'USAGE', ['--port http']),
  bad('A3', 'serve --port=-1', 'USAGE', ['--port -1']),
  bad('A3', 'run p.yml --shard 0/4', 'USAGE', ['--shard 0/4', 'expected number/count with a count of at most 1000']),
  bad('A3', 'run p.yml --shard 5/4', 'USAGE', ['--shard 5/4']),
  bad('A3', 'run p.yml --shard x', 'USAGE', ['--shard x', 'or auto']),

  bad('A4', 'run p.yml --skip-code 300', 'USAGE', ['--skip-code 300', '0 to 255']),
  bad('A4', 'run p.yml --skip-code 65', 'USAGE', ['--skip-code 65', 'such as 99']),

  bad('A5', 'run p.yml --password canary', 'USAGE', ['--password is not a flag', 'process list', 'FETTLE_PASSWORD_FILE']),
  bad('A5', 'run p.yml --password=canary', 'USAGE', ['--password is not a flag']),
  bad('A5', 'run p.yml --token=canary', 'USAGE', ['--token is not a flag']),
  bad('A5', 'run p.yml -password canary', 'USAGE', ['-password is not a flag']),
  bad('A5', 'serve --secret canary', 'USAGE', ['--secret is not a flag']),
  bad('A5', '--password=canary run p.yml', 'USAGE', ['--password is not a flag']),
  bad('A5', 'run p.yml --PASSWORD=canary', 'USAGE', ['is not a flag']),
  bad('A5', 'run p.yml --service https://me:canary@example.com/v1', 'PIPELINE_URL', ['the address given for the service', 'user name or password']),

  bad('A6', 'run p.yml', 'SETTINGS', ['FETTLE_PASSWORD and FETTLE_PASSWORD_FILE are both set', 'Set one'], { env: { FETTLE_PASSWORD_FILE: 'secret' }, files: { secret: 'canary' } }),
  bad('A6', 'run p.yml', 'SETTINGS', ['FETTLE_PASSWORD_FILE nowhere'], { env: { FETTLE_PASSWORD: '', FETTLE_PASSWORD_FILE: 'nowhere' } }),
  bad('A6', 'run p.yml', 'SETTINGS', ['is empty'], { env: { FETTLE_PASSWORD: '', FETTLE_PASSWORD_FILE: 'secret' }, files: { secret: '\n' } }),
  bad('A6', 'run p.yml', 'SETTINGS', ['FETTLE_PASSWORD_FILE secret'], { env: { FETTLE_PASSWORD: '', FETTLE_PASSWORD_FILE: 'secret' }, files: { secret: folder } }),
  bad('A6', 'run p.yml', 'CREDENTIALS', ['FETTLE_USERNAME not set'], { env: { FETTLE_USERNAME: '' } }),
  bad('A6', 'run p.yml', 'CREDENTIALS', ['FETTLE_USERNAME and FETTLE_PASSWORD not set'], { env: NO_LOGIN }),
  ok('A6', 'check p.yml', ['can be read by others: mode 0644'], { env: { FETTLE_PASSWORD: '', FETTLE_PASSWORD_FILE: 'secret' }, files: { secret: mode(0o644, 'canary') } }),
  ok('A6', 'check p.yml', ['ok p.yml'], { env: { FETTLE_PASSWORD: '', FETTLE_PASSWORD_FILE: 'secret' }, files: { secret: mode(0o600, 'canary') } }),

  bad('A7', 'run p.yml --service=', 'USAGE', ['--service', 'needs a value']),
  bad('A7', 'check p.yml --service=', 'USAGE', ['--service', 'needs a value']),
  bad('A7', 'run p.yml', 'SETTINGS', ['FETTLE_URL is set but empty'], { env: { FETTLE_URL: '' } }),
  bad('A7', 'run p.yml --service embeded', 'PIPELINE_URL', ['the address given for the service', 'Did you mean embedded?']),
  bad('A7', 'run p.yml --service http://example.com/v1', 'PIPELINE_URL', ['the address given for the service', 'http://']),
  bad('A7', 'run p.yml --service https://example.com', 'PIPELINE_URL', ['the address given for the service', '/v1']),

  bad('A8', 'run pipelines/*.yml', 'USAGE', ['the pattern pipelines/*.yml matches 0 files', 'The shell expands patterns']),
  bad('A8', 'check p?.yml', 'USAGE', ['the pattern p?.yml matches 0 files']),
  { ...bad('A8', 'run 1,001 files', 'USAGE', ['1001 pipelines are named; the limit of one call is 1000']), files: { ...FILES, ...many(1001) }, args: ['run', ...Array.from({ length: 1001 }, (_, at) => `many/${at}.yml`)] },
  bad('A8', 'run p.yml --select tag:x', 'USAGE', ['no pipeline has this tag']),

  bad('A9', 'resume', 'RUN_UNKNOWN', ['no run in fettle-runs']),
  bad('A9', 'status nope', 'RUN_UNKNOWN', ['no run "nope" in fettle-runs']),
  bad('A9', 'resume ../x', 'RUN_UNKNOWN', ['"../x" is not a run id']),
  bad('A9', 'report ..%2fx', 'RUN_UNKNOWN', ['is not a run id']),
  bad('A9', 'status /etc', 'RUN_UNKNOWN', ['is not a run id']),
  bad('A9', 'status suppliesr', 'RUN_UNKNOWN', ['no run "suppliesr"', 'Did you mean suppliers?'], { files: { 'fettle-runs/20260101T000000Z-suppliers-aaaaaa': run('') } }),
  bad('A9', 'resume 20260101', 'RUN_UNKNOWN', ['the beginning of several runs: 20260101T000000Z-b-bbbbbb, 20260101T000000Z-a-aaaaaa'], { files: { 'fettle-runs/20260101T000000Z-a-aaaaaa': run(''), 'fettle-runs/20260101T000000Z-b-bbbbbb': run('') } }),
  bad('A9', 'report --runs-dir nowhere', 'RUN_UNKNOWN', ['no run in nowhere']),
  bad('A9', 'collect nope', 'RUN_UNKNOWN', ['nope']),

  bad('A10', 'resume', 'RUN_EMPTY', ['recorded nothing', 'fettle run'], { files: { 'fettle-runs/20260101T000000Z-a-aaaaaa': run('') } }),
  bad('A10', 'status', 'RUN_EMPTY', ['recorded nothing'], { files: { 'fettle-runs/20260101T000000Z-a-aaaaaa': run('') } }),
  bad('A10', 'resume', 'JOURNAL_NEWER', ['newer fettle'], { files: { 'fettle-runs/20260101T000000Z-a-aaaaaa': run(NEWER) } }),
  bad('A10', 'resume', 'JOURNAL_DAMAGED', ['line 1'], { exit: 73, files: { 'fettle-runs/20260101T000000Z-a-aaaaaa': run('{"seq"\n{}\n') } }),

  bad('A11', 'merge a b', 'RUN_UNKNOWN', ['a']),
  bad('A11', 'review decisions.csv', 'RUN_UNKNOWN', ['decisions.csv']),

  bad('A12', 'run p.yml', 'OUTPUT_WRITE', ['file/o.csv'], { exit: 73, files: { 'p.yml': `${BASE}output: file/o.csv`, file: '' } }),
  bad('A12', 'run p.yml --output file/o.csv', 'OUTPUT_WRITE', ['file/o.csv'], { exit: 73, files: { file: '' } }),
  bad('A12', 'run p.yml --runs-dir file/runs', 'OUTPUT_WRITE', ['file/runs'], { exit: 73, files: { file: '' } }),
  bad('A12', 'run p.yml --result-file file/r.json', 'OUTPUT_WRITE', ['file/r.json'], { exit: 73, files: { file: '' } }),
  bad('A12', 'run p.yml --result-file sub', 'OUTPUT_WRITE', ['sub'], { exit: 73, files: { sub: folder } }),
  bad('A12', 'run p.yml --result-file p.yml', 'USAGE', ['is not a fettle result']),
  bad('A12', 'run p.yml --result-file rows.csv', 'USAGE', ['which is the input of p.yml']),
  bad('A12', 'resume --result-file file/r.json', 'OUTPUT_WRITE', ['file/r.json'], { exit: 73, files: { file: '' } }),
  bad('A12', 'run p.yml --runs-dir /proc/nowhere/runs', 'OUTPUT_WRITE', ['/proc/nowhere'], { exit: 73 }),

  bad('A13', 'init rows.csv -o p.yml --yes', 'USAGE', ['p.yml', '--force']),

  bad('A14', 'run -', 'USAGE', ['run does not read stdin']),
  bad('A14', 'check p.yml -', 'USAGE', ['check does not read stdin']),
  bad('A14', 'status -', 'USAGE', ['status does not read stdin']),
  { ...bad('A14', 'run an empty name', 'USAGE', ['the name of a pipeline file is empty']), args: ['run', ''] },
  { ...bad('A14', 'check with an empty name', 'USAGE', ['is empty']), args: ['check', 'p.yml', ''] },
  bad('A14', 'run p.yml', 'CREDENTIALS', ['not set', 'Set FETTLE_USERNAME'], { env: { ...NO_LOGIN, CI: 'true' } }),

  bad('A15', 'register import xml r.xml', 'USAGE', ['cannot import "xml": fettle imports csv, gleif, companies-house']),
  bad('A15', 'register import csv', 'USAGE', ['<file> is missing']),
  bad('A15', 'register import', 'USAGE', ['<kind-or-name> and <file> are missing']),
  bad('A15', 'register import decisions', 'USAGE', ['<file> and --name are missing']),
  bad('A15', 'decide', 'USAGE', ['<file> and --table are missing']),
  bad('A15', 'register import csv nowhere.csv', 'INPUT_READ', ['nowhere.csv'], { exit: 65 }),
  bad('A15', 'register import csv sub', 'INPUT_READ', ['not a regular file'], { exit: 65, files: { sub: folder } }),
  bad('A15', 'register import csv r.csv', 'INPUT_EMPTY', ['is empty', 'id,name,country'], { exit: 65, files: { 'r.csv': '' } }),
  bad('A15', 'register import csv r.csv', 'INPUT_HEADER', ['has no column name'], { exit: 65, files: { 'r.csv': 'id,country\n1,GB\n' } }),
  bad('A15', 'register import csv r.csv', 'INPUT_COLUMNS', ['names of the companies', '--map name=HEADER'], { exit: 65, files: { 'r.csv': 'nr;wert\n1;7\n' } }),
  bad('A15', 'register import csv r.csv --map nme=x', 'USAGE', ['did you mean name?'], { files: { 'r.csv': REGISTER } }),
  ok('A15', 'register import csv r.csv -q --json', ['"companies":1', '"name":"firma"'], { files: { 'r.csv': 'firma;plz\nAcme GmbH;10115\n' } }),
  bad('A15', 'register import csv r.csv', 'INPUT_HEADER', ['column name twice'], { exit: 65, files: { 'r.csv': 'name,Name\nA,B\n' } }),
  bad('A15', 'register import csv r.csv', 'INPUT_QUOTE', ['r.csv'], { exit: 65, files: { 'r.csv': `${REGISTER}2,"Open,GB\n` } }),
  ok('A15', 'register import csv r.gz', ['r: 1 company (GB 1)'], { files: { 'r.gz': gzipSync(REGISTER) } }),
  bad('A15', 'register import csv r.gz', 'INPUT_READ', ['r.gz'], { exit: 65, files: { 'r.gz': gzipSync(REGISTER).subarray(0, 40) } }),
  bad('A15', 'register import gleif r.csv', 'INPUT_HEADER', ['no column LEI', 'belongs to the kind csv'], { exit: 65, files: { 'r.csv': REGISTER } }),
  bad('A15', 'register import csv r.csv --name ../x', 'USAGE', ['"../x" cannot name a register'], { files: { 'r.csv': REGISTER } }),
  bad('A15', 'register info nowhere', 'REGISTER_UNKNOWN', ['no register "nowhere"']),
  bad('A15', 'register remove ../../x', 'USAGE', ['cannot name a register']),
  ok('A15', 'register import csv r.csv --name rows', ['rows: 1 company (GB 1)', 'skipped   3 rows', 'skipped line 3: 2 cells where the header has 3', 'skipped line 4: no name', 'skipped line 5: the id 1'], { files: { 'r.csv': `${REGISTER}2,Short\n3,,GB\n1,Twice,GB\n` } }),

  bad('A16', 'serve --port {port}', 'SETTINGS', ['{port}']),
  bad('A16', 'serve --host 256.1.1.1 --port 0', 'SETTINGS', ['256.1.1.1']),
  bad('A16', 'serve --host 0.0.0.0 --port 0', 'USAGE', ['--host 0.0.0.0', 'requires credentials'], { env: NO_LOGIN }),
  bad('A16', 'serve --host :: --port 0', 'USAGE', ['--host : : is reachable', 'requires credentials'], { env: NO_LOGIN }),
  bad('A16', 'serve --host= --port 0', 'USAGE', ['--host']),
  bad('A16', 'serve --register nowhere --port 0', 'REGISTER_UNKNOWN', ['nowhere']),
  bad('A16', 'serve --data file/x --port 0', 'SETTINGS', ['file/x', 'Cannot start the service'], { files: { file: '' } }),

  { ...ok('A19', 'check a file of an odd name', ["-o'dd nämé \u{1f3ed}.yml"]), files: { "-o'dd nämé \u{1f3ed}.yml": BASE }, args: ['check', '--', "-o'dd nämé \u{1f3ed}.yml"] },
  { ...ok('A19', 'check a file of spaces', ['a  b c.yml']), files: { 'a  b c.yml': BASE }, args: ['check', 'a  b c.yml'] },
  { ...ok('A19', 'check a file below a folder of Windows', ['C:\\x\\p.yml']), files: { 'C:\\x\\p.yml': BASE }, args: ['check', 'C:\\x\\p.yml'] },
  { ...bad('A19', 'run -p.yml', 'USAGE'), args: ['run', '-p.yml'] },
  { ...bad('A19', 'run an escape sequence', 'PIPELINE_READ', ['there is no file']), errors: [], args: ['run', 'a\u001b[2Jb.yml'] },

  ok('A20', 'check p.yml', ['TRACEPARENT is not a W3C trace context and is left out'], { env: { TRACEPARENT: '00-nonsense-01' } }),
  ok('A20', 'check p.yml', ['TRACEPARENT is not'], { env: { TRACEPARENT: `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01` } }),
  ok('A20', 'check p.yml', ['ok p.yml'], { env: { TRACEPARENT: `00-${'a'.repeat(32)}-${'1'.repeat(16)}-01` } }),
  ok('A20', 'check p.yml', ['OPENLINEAGE_NAMESPACE is not a name and is ignored'], { env: { OPENLINEAGE_URL: 'http://127.0.0.1:1', OPENLINEAGE_NAMESPACE: '\n' } }),
]
