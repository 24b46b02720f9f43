/** Bad pipeline files that need more than a text: other names and kinds of files, settings, a second pipeline. Data only. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from '../cli/fettle.ts'
import { TEXT_CASES } from './pipeline-text.ts'
import { BASE, type Content, type Row } from './row.ts'

const of = (line: string, what: string, content: Content, rest: Omit<Row, 'line' | 'what' | 'files'>): Row => ({
  line,
  what,
  files: { 'p.yml': content },
  ...rest,
})
const bad = (line: string, what: string, content: Content, errors: readonly string[], ...says: (string | RegExp)[]): Row =>
  of(line, what, content, { exit: 2, errors: errors.map(one => `PIPELINE_${one}`), says })
const ok = (line: string, what: string, content: Content, rest: Partial<Row> = {}): Row =>
  of(line, what, content, { exit: 0, remarks: [], ...rest })
const json = (line: string, what: string, text: string, errors: readonly string[], ...says: string[]): Row => ({
  line,
  what,
  files: { 'p.json': text },
  args: ['p.json'],
  exit: errors.length === 0 ? 0 : 2,
  errors: errors.map(one => `PIPELINE_${one}`),
  says,
  ...(errors.length === 0 ? { remarks: [] } : {}),
})

/** Makes a FIFO. */
export const fifo = (path: string): void => {
  execFileSync('mkfifo', [path])
}
/** Makes a socket; it stays when its server is gone. */
export const socket = (path: string): void => {
  const program = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  spawnSync(process.execPath, ['-e', program])
}
/** Makes a symbolic link. */
export const linkTo =
  (target: string) =>
  (path: string): void =>
    symlinkSync(target, path)
/** Makes a link to a folder elsewhere. */
const linkOut = (path: string): void => {
  const away = mkdtempSync(join(tmpdir(), 'fettle-away-'))
  atEnd(() => rmSync(away, { recursive: true, force: true }))
  symlinkSync(away, path)
}
/** Makes a folder. */
export const folder = (path: string): void => {
  mkdirSync(path)
}

const withService = (rest: string) => `${BASE}service: ${rest}`

const utf16 = (text: string, big: boolean) => {
  const bytes = Buffer.from(text, 'utf16le')
  return big ? bytes.swap16() : bytes
}
const JSON_BASE = { name: 'suppliers', input: 'rows.csv', mappings: { name: 'Name', country: 'Country' } }
const VARIABLES = `name: suppliers
input: \${DATA}
mappings: { name: "\${NAME_HEADER}", country: Country }
description: "\${WHY:?ask the owner}"
service: { url: "\${URL_OF_IT}" }
`

/** The texts, as files given to `run`. A text that is only warned of is a row of its own below. */
const texts: readonly Row[] = TEXT_CASES.filter(([name]) => name !== 'P22 no country').map(([name, text, ...problems]) => ({
  line: name.split(' ')[0] ?? '',
  what: name.replace(/^P\d+ ?/, '') || 'as it stands',
  files: { 'p.yml': text },
  exit: 2,
  errors: problems.map(([where]) => `PIPELINE_${where.replace(/ (\d|-)/, ' p.yml:$1').replace(':-:-', '')}`),
  says: problems.flatMap(([, ...words]) => words),
}))

/** Every bad pipeline file. */
// biome-ignore format: a table reads best with one row a line
export const PIPELINE_ROWS: readonly Row[] = [
  ...texts,

  { line: 'P1', what: 'missing', args: ['nowhere.yml'], exit: 2, errors: ['PIPELINE_READ nowhere.yml'], says: ['there is no file nowhere.yml'], process: true },
  { line: 'P1', what: 'misspelt', files: { 'supliers.yml': BASE }, args: ['suppliers.yml'], exit: 2, errors: ['PIPELINE_READ suppliers.yml'], says: ['did you mean supliers.yml?'] },
  { line: 'P1', what: 'in no folder', args: ['no/where.yml'], exit: 2, errors: ['PIPELINE_READ no/where.yml'], says: ['there is no file'] },
  { line: 'P1', what: 'a folder', files: { 'p.yml': folder }, exit: 2, errors: ['USAGE'], says: ['there is no pipeline in the folder p.yml'] },
  { line: 'P1', what: 'the working directory', args: ['.'], exit: 2, errors: ['USAGE'], says: ['there is no pipeline in the folder .'] },
  { line: 'P1', what: 'below a file', files: { file: 'x' }, args: ['file/p.yml'], exit: 2, errors: ['PIPELINE_READ file/p.yml'], says: ['not a directory'] },
  { line: 'P1', what: 'a name too long', args: [`${'x'.repeat(300)}.yml`], exit: 2, errors: [`PIPELINE_READ ${'x'.repeat(300)}.yml`], says: ['name too long'] },
  { line: 'P1', what: 'links in a circle', files: { 'p.yml': linkTo('p.yml') }, exit: 2, errors: ['PIPELINE_READ p.yml'], says: ['symbolic link'] },
  { line: 'P1', what: 'a link to nothing', files: { 'p.yml': linkTo('gone.yml') }, exit: 2, errors: ['PIPELINE_READ p.yml'], says: ['there is no file'] },

  bad('P2', 'blank lines and spaces', ' \n\n  \n', ['EMPTY p.yml'], 'empty', /name: suppliers.*input: .*mappings: /),
  bad('P2', 'a document mark alone', '---\n', ['EMPTY p.yml'], 'empty'),
  bad('P2', 'null', 'null\n', ['EMPTY p.yml'], 'empty'),
  bad('P2', 'a byte-order mark alone', '\ufeff', ['EMPTY p.yml'], 'empty'),
  json('P2', 'an empty JSON file', '', ['EMPTY p.json'], 'empty'),

  bad('P3', 'one byte over 256 KiB', `# ${'x'.repeat(256 * 1024 - 1)}`, ['READ p.yml'], 'larger than 256 KiB', '262145 bytes'),
  ok('P3', 'exactly 256 KiB', `${BASE}#${'x'.repeat(256 * 1024 - BASE.length - 1)}`),
  of('P3', 'an endless device', linkTo('/dev/zero'), { exit: 2, errors: ['PIPELINE_READ p.yml'], says: ['is not a regular file'], process: true }),
  of('P3', 'a FIFO', fifo, { exit: 2, errors: ['PIPELINE_READ p.yml'], says: ['is not a regular file'], process: true }),
  of('P3', 'a socket', socket, { exit: 2, errors: ['PIPELINE_READ p.yml'], says: ['is not a regular file'] }),
  bad('P3', '20,001 words', `tags: [${'a, '.repeat(10_000)}]`, ['SYNTAX'], 'more than 20000 words and signs'),

  bad('P4', 'a NUL', 'name: a\0b\n', ['READ p.yml'], 'binary', 'byte 7'),
  bad('P4', 'UTF-16 with a mark', utf16(`\ufeff${BASE}`, false), ['READ p.yml'], 'UTF-16', 'Save it as UTF-8'),
  bad('P4', 'UTF-16, the other order', utf16(`\ufeff${BASE}`, true), ['READ p.yml'], 'UTF-16'),
  bad('P4', 'UTF-16 without a mark', utf16(BASE, false), ['READ p.yml'], 'UTF-16'),
  bad('P4', 'Latin-1', Buffer.from(`${BASE}description: Zürich`, 'latin1'), ['READ p.yml'], 'not valid UTF-8 from byte 89 on'),
  bad('P4', 'cut in a character', Buffer.from(`${BASE}description: Zü`).subarray(0, -1), ['READ p.yml'], 'not valid UTF-8'),
  bad('P4', 'a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), ['READ p.yml'], 'binary'),
  bad('P4', 'an escape', `${BASE}description: a\u001b[2Jb`, ['SYNTAX p.yml:4:15'], '\\u001b'),
  ok('P4', 'a byte-order mark', `\ufeff${BASE}`),

  bad('P5', 'after a list sign', 'tags:\n\t- a\n', ['SYNTAX p.yml:2:1'], 'tab', 'spaces'),
  bad('P6', 'two items too far in', `${BASE}tags:\n - a\n   - b\n   - c\n`, ['SYNTAX p.yml:5:4'], 'expected a list', 'indentation'),
  json('P7', 'a key twice in JSON', '{\n"name": "a",\n"input": "rows.csv",\n"name": "b",\n"mappings": {"name": "Name", "country": "Country"}}', ['DUPLICATE p.json:4:1'], 'lines 2 and 4'),
  json('P7', 'an escaped key twice in JSON', '{"name": "a", "n\\u0061me": "b"}', ['DUPLICATE p.json:1:15'], 'lines 1 and 1'),
  bad('P7', 'below, quoted and plain', 'name: a\ninput: rows.csv\nmappings:\n  name: Name\n  "name": Town\n  country: Country\n', ['DUPLICATE p.yml:5:3'], 'lines 4 and 5'),
  json('P8', 'a list in JSON', '[]', ['VALUE p.json:1:1'], 'a list'),
  json('P8', 'a text in JSON', '"a"', ['VALUE p.json:1:1'], 'a single value'),
  json('P8', 'two documents in JSON', `${JSON.stringify(JSON_BASE)}{}`, ['SYNTAX p.json:1:87'], 'the end of the file'),
  bad('P8', 'three documents', `${BASE}---\n${BASE}---\n${BASE}`, ['SYNTAX p.yml:4:1'], 'One pipeline per file'),
  json('P9', 'misspelt in JSON', JSON.stringify({ ...JSON_BASE, retyr: {} }), ['KEY p.json:1:87'], 'did you mean retry?'),
  bad('P9', 'all problems at once', 'name: A B\ninput: rows.csv\nmapings: {}\nretry: { attempts: 99 }\nsteps: [1]\n', ['MISSING p.yml:1:1', 'VALUE p.yml:1:7', 'KEY p.yml:3:1', 'VALUE p.yml:4:20', 'KEY p.yml:5:1'], 'did you mean mappings?', 'Write name: a-b'),
  bad('P9', 'eighty of them', BASE + Array.from({ length: 80 }, (_, at) => `k${at}: x\n`).join(''), [...Array.from({ length: 50 }, (_, at) => `KEY p.yml:${at + 4}:1`), 'KEY p.yml'], 'and 30 more problems'),
  bad('P10', 'a tag on the whole file', `!pipeline\n${BASE}`, ['TAG p.yml:1:1'], '!pipeline'),
  bad('P10', 'a verbatim tag', `${BASE}tags: !<tag:yaml.org,2002:str> a`, ['TAG p.yml:4:7'], 'not allowed'),
  bad('P11', 'an anchor used before it is set', `${BASE}tags: *a\nvars: &a {}`, ['SYNTAX p.yml:4:7'], '*a', 'no anchor'),
  bad('P11', 'an alias as a key', `${BASE}? *a\n: b`, ['SYNTAX'], 'plain text'),
  bad('P12', '20,000 brackets', '['.repeat(20_000), ['DEPTH'], 'deeper than 64'),
  bad('P12', '100,000 lists on one line', '- '.repeat(100_000), ['DEPTH'], 'deeper than 64'),
  of('P12', '100,000 maps on one line', 'a: '.repeat(80_000), { exit: 2, says: ['deeper than 64'], process: true }),
  bad('P12', 'a block of 70 levels', Array.from({ length: 70 }, (_, at) => `${' '.repeat(at)}a:\n`).join(''), ['DEPTH'], 'deeper than 64'),
  bad('P12', 'after an ordinary document', `${BASE}---\n${'{a: '.repeat(20_000)}`, ['DEPTH'], 'deeper than 64'),
  json('P12', '20,000 brackets in JSON', '['.repeat(20_000), ['DEPTH p.json:1:66'], 'deeper than 64'),
  json('P12', '20,000 maps in JSON', '{"a":'.repeat(20_000), ['DEPTH'], 'deeper than 64'),
  json('P13', '__proto__ in JSON', '{"__proto__": {"polluted": 1}, "name": "a", "input": "rows.csv", "mappings": {"name": "Name", "country": "Country", "constructor": "x"}}', ['KEY p.json:1:2', 'KEY p.json:1:117'], '"__proto__"', '"constructor"'),
  bad('P13', 'as a mapping', 'name: a\ninput: rows.csv\nmappings: { name: Name, country: Country, hasOwnProperty: x, valueOf: y }', ['KEY p.yml:3:43', 'KEY p.yml:3:62'], 'not a mapping of the service'),
  bad('P14', 'with an anchor', `${BASE}vars: &v { a: b }\npoll:\n  <<: *v\n`, ['TAG p.yml:6:3'], 'the merge key << is not allowed'),
  json('P14', 'in JSON', JSON.stringify({ ...JSON_BASE, '<<': {} }), ['KEY p.json:1:87'], '"<<"'),
  bad('P15', 'a number for a path', 'name: a\ninput: 12345678901234567890\nmappings: { name: Name, country: Country }', ['TEXT p.yml:2:8'], 'written "12345678901234567890"'),
  bad('P15', 'hexadecimal and octal', 'name: a\ninput: rows.csv\nmappings: { name: 0x1F, country: 0o17 }', ['TEXT p.yml:3:19', 'TEXT p.yml:3:34'], '"0x1F"', '"0o17"'),
  { ...ok('P15', 'NO, on and off are text', 'name: "no"\ninput: rows.csv\nmappings: { name: NO, country: on, town: off }'), files: { 'p.yml': 'name: "no"\ninput: rows.csv\nmappings: { name: NO, country: on, town: off }', 'rows.csv': 'NO,on,off\nAcme,GB,Leeds\n' } },
  json('P16', 'an empty JSON object', '{}', ['MISSING p.json:1:1', 'MISSING p.json:1:1', 'MISSING p.json:1:1'], 'name: suppliers', 'input: ', 'mappings: {'),
  bad('P16', 'an empty map', '{}', ['MISSING p.yml:1:1', 'MISSING p.yml:1:1', 'MISSING p.yml:1:1'], 'name is missing', 'input is missing', 'mappings is missing'),
  bad('P16', 'mappings without any', 'name: a\ninput: rows.csv\nmappings: {}', ['MAPPING p.yml:3:11'], 'nothing to match on'),
  bad('P17', 'spaces', 'name: my suppliers\ninput: rows.csv\nmappings: { name: Name, country: Country }', ['VALUE p.yml:1:7'], 'Write name: my-suppliers'),
  bad('P17', 'nothing to make a name of', 'name: "???"\ninput: rows.csv\nmappings: { name: Name, country: Country }', ['VALUE p.yml:1:7'], 'a-z, 0-9 and -'),
  bad('P17', 'a path', 'name: ../x\ninput: rows.csv\nmappings: { name: Name, country: Country }', ['VALUE p.yml:1:7'], 'Write name: x'),
  bad('P18', 'another case', 'name: a\ninput: rows.csv\nmappings: { Name: Name, country: Country, orgnumber: Number }', ['KEY p.yml:3:13', 'KEY p.yml:3:43'], 'did you mean orgNumber?', 'personalID'),
  of('P19', 'one header for two', 'name: a\ninput: rows.csv\nmappings: { name: Name, tradingName: Name, country: Country }', { exit: 0, remarks: [{ where: 'PIPELINE_MAPPING p.yml:3:38', says: ['mappings.name and mappings.tradingName both read column 1, "Name"'] }] }),
  bad('P20', 'a pad of 33, a list in a list', 'name: a\ninput: rows.csv\nmappings: { name: { from: [[Name]] }, country: Country, orgNumber: { from: Number, pad: 33 } }', ['VALUE p.yml:3:28', 'VALUE p.yml:3:89'], '1 to 32'),
  bad('P20', 'an index beyond all bounds', 'name: a\ninput: rows.csv\nmappings: { name: { index: 99999 }, country: Country }', ['VALUE p.yml:3:28'], '0 to 1023'),
  of('P21', 'an index without a header', 'name: a\ninput: { path: rows.csv, header: false }\nmappings: { name: { index: 0 }, country: { index: 1 } }', { exit: 0 }),
  of('P22', 'no country', 'name: a\ninput: rows.csv\nmappings: { name: Name }', { exit: 0, remarks: [{ where: 'PIPELINE_MAPPING p.yml:3:11', says: ['no country column'] }] }),
  of('P22', 'an identifier alone', 'name: a\ninput: rows.csv\nmappings: { orgNumber: Number, countryCode: Country }', { exit: 0 }),
  bad('P23', 'a tab and a comma', 'name: a\ninput: { path: rows.csv, delimiter: "\\t," }\nmappings: { name: Name, country: Country }', ['VALUE p.yml:2:37'], 'one character'),
  bad('P23', 'a quote', `name: a\ninput: { path: rows.csv, delimiter: '"' }\nmappings: { name: Name, country: Country }`, ['VALUE p.yml:2:37'], 'one character'),
  bad('P24', 'a fraction and too many', 'name: a\ninput: { path: rows.csv, rows: { min: 1.5, max: 99999999999 } }\nmappings: { name: Name, country: Country }', ['VALUE p.yml:2:39', 'VALUE p.yml:2:49'], 'a whole number'),
  bad('P25', 'a password in it', withService('https://me:canary@host.example/v1'), ['URL p.yml:4:10'], 'user name or password', 'FETTLE_USERNAME'),
  bad('P25', 'a user name in it', withService('https://canary@host.example/v1'), ['URL p.yml:4:10'], 'user name or password'),
  bad('P25', 'a file address', withService('file:///etc/passwd'), ['URL p.yml:4:10'], 'scheme file:'),
  bad('P25', 'a script', withService('"javascript:alert(1)"'), ['URL p.yml:4:10'], 'no scheme'),
  bad('P25', 'no host', withService('https:///v1'), ['URL p.yml:4:10']),
  bad('P25', 'a port beyond the last', withService('https://host.example:99999/v1'), ['URL p.yml:4:10'], 'not a valid URL'),
  bad('P25', 'a space', withService('"https://host.example/v 1"'), ['URL p.yml:4:10'], 'a space'),
  bad('P25', 'an empty one', withService('""'), ['VALUE p.yml:4:10'], 'an empty text'),
  { ...bad('P25', 'bad in the environment', BASE, ['URL'], 'FETTLE_URL', 'scheme ftp:'), env: { FETTLE_URL: 'ftp://host/v1' } },
  { ...bad('P26', 'in the environment', BASE, ['URL'], 'FETTLE_URL', 'http://', 'service.insecure'), env: { FETTLE_URL: 'http://example.com/v1' } },
  bad('P26', 'a host that begins like loopback', withService('http://127.0.0.1.example.com/v1'), ['URL p.yml:4:10'], 'http://'),
  bad('P26', 'every address of this machine', withService('http://0.0.0.0/v1'), ['URL p.yml:4:10'], 'service.insecure'),
  bad('P27', 'a literal password', withService('{ url: "https://host.example/v1", username: me, password: canary }'), ['SECRET'], 'service.password', 'FETTLE_PASSWORD_FILE'),
  bad('P27', 'half a reference', withService('{ password: "${CONNECT_PASSWORD}canary" }'), ['SECRET p.yml:4:22']),
  bad('P27', 'a default', withService('{ password: "${CONNECT_PASSWORD:-canary}" }'), ['SECRET p.yml:4:22']),
  bad('P27', 'a number', withService('{ password: 4711 }'), ['SECRET p.yml:4:22'], 'must not stand in the file'),
  bad('P27', 'a token at the top', `${BASE}token: canary\n`, ['SECRET p.yml:4:1'], 'no place in the file'),
  bad('P27', 'a key of another name', withService('{ apiKey: canary }'), ['SECRET p.yml:4:12']),
  bad('P28', 'all names at once', VARIABLES, ['VARIABLE p.yml:2:8', 'VARIABLE p.yml:3:19', 'VARIABLE p.yml:4:14', 'VARIABLE p.yml:5:17'], '${DATA} is not set', '${NAME_HEADER}', '${WHY} is not set: ask the owner', '${URL_OF_IT}', '${DATA:-default}'),
  { ...bad('P28', 'empty where a value is needed', 'name: a\ninput: "${DATA}"\nmappings: { name: Name, country: Country }', ['VARIABLE p.yml:2:8'], '${DATA}', 'is empty'), env: { DATA: '' } },
  ok('P28', 'a default', 'name: a\ninput: "${DATA:-rows.csv}"\nmappings: { name: Name, country: Country }'),
  bad('P29', 'a file, an expression, a space', `${BASE}vars: { a: "\${file:x}", b: "\${env.X}", c: "\${ A }" }`, ['VARIABLE p.yml:4:12', 'VARIABLE p.yml:4:28', 'VARIABLE p.yml:4:43'], '${file:x}', 'not well formed'),
  { ...ok('P30', 'YAML in a value', `${BASE}description: "\${TEXT}"\ntags: [a]`), env: { TEXT: 'x\nbudget: { rows: 1 }\nname: other' } },
  { ...bad('P30', 'YAML in a name', 'name: "${N}"\ninput: rows.csv\nmappings: { name: Name, country: Country }', ['VARIABLE p.yml:1:7'], 'a line end'), env: { N: 'x\nbudget: { rows: 1 }' } },
  { ...bad('P31', 'a line end for an address', withService('"${U}"'), ['VARIABLE p.yml:4:10'], '${U}', 'a line end or a NUL'), env: { U: 'https://h/v1\r\nX-Canary: canary' } },
  { ...bad('P31', 'a line end for a user name', withService('{ username: "${U}" }'), ['VARIABLE p.yml:4:22'], '${U}'), env: { U: 'me\ncanary' } },
  { ...bad('P31', 'a CR for a path', 'name: a\ninput: "${D}"\nmappings: { name: Name, country: Country }', ['VARIABLE p.yml:2:8'], '${D}'), env: { D: 'rows\r.csv' } },
  { ...bad('P32', '--var of nothing declared', BASE, ['VARIABLE'], 'the variable region is not declared under vars', 'Declared: none'), args: ['p.yml', '--var', 'region=north'] },
  { ...bad('P32', '--var misspelt', `${BASE}vars: { region: x }`, ['VARIABLE p.yml:4:7'], 'did you mean region?'), args: ['p.yml', '--var', 'regoin=north'] },
  bad('P33', 'nothing, a fraction, no unit', `${BASE}poll: { every: "", max: 1.5s, timeout: s }`, ['VALUE p.yml:4:16', 'VALUE p.yml:4:25', 'VALUE p.yml:4:40'], '500ms, 30s or 5m'),
  bad('P34', 'concurrency of 33, a rate of 0', `${BASE}job: { concurrency: 33 }\nservice: { url: "https://h.example/v1", rate: { requests: 0, per: 1s } }`, ['VALUE p.yml:4:21', 'VALUE p.yml:5:59'], '1 to 32'),
  bad('P35', 'a list of products', `${BASE}output: o.csv\nenrich: [basic]`, ['VALUE p.yml:5:9']),
  bad('P36', 'a word and a list', `${BASE}checks: { matched: { fail: low }, failed: [1] }`, ['VALUE p.yml:4:28', 'VALUE p.yml:4:43'], '"< 90%"'),

  bad('P37', 'an absolute input is fine, an output is not', `name: a\ninput: rows.csv\nmappings: { name: Name, country: Country }\noutput: { path: /etc/x.csv, review: ../r.csv, unmatched: aux }`, ['PATH p.yml:4:17', 'PATH p.yml:4:37', 'PATH p.yml:4:58'], 'outside the project', 'not a portable name'),
  { ...ok('P37', 'on the command line', BASE), args: ['p.yml', '--output', '../x.csv'] },
  { ...ok('P37', 'in a folder that the caller allows', `${BASE}output: /usr/far/x.csv`), args: ['p.yml', '--output-root', '/usr'] },
  { ...ok('P37', 'by a relative path into a folder that the caller allows', `${BASE}output: { path: ../far/x.csv, review: out/../../far/r.csv }`), args: ['p.yml', '--output-root', '..'] },
  { ...bad('P37', 'in a folder that the caller allows and that is missing', `${BASE}output: { path: /far/x.csv, review: ../far/r.csv }`, ['PATH p.yml:4:17', 'PATH p.yml:4:37'], 'is in /far, the output root of this command, which does not exist', 'FETTLE_OUTPUT_ROOT', 'Create or mount this folder'), args: ['p.yml', '--output-root', '/far'], env: { FETTLE_OUTPUT_ROOT: '../far' } },
  { ...bad('P37', 'by a relative path beside the folder that the caller allows', `${BASE}output: ../farther/x.csv`, ['PATH p.yml:4:9'], 'outside the project', 'FETTLE_OUTPUT_ROOT'), args: ['p.yml', '--output-root', '../far'] },
  { ...ok('P37', 'by a link into a folder that the environment allows', `${BASE}output: out/o.csv`), files: { 'p.yml': `${BASE}output: out/o.csv`, out: linkOut }, env: { FETTLE_OUTPUT_ROOT: '/nowhere:/' } },
  { ...bad('P37', 'beside the folder that the caller allows', `${BASE}output: /etc/x.csv`, ['PATH p.yml:4:9'], 'outside the project', 'FETTLE_OUTPUT_ROOT'), args: ['p.yml', '--output-root', '/far'] },
  { ...bad('P37', 'beside the file of the command line', `${BASE}output: { path: o.csv, review: /etc/y.csv }`, ['PATH p.yml:4:32'], 'outside the project'), args: ['p.yml', '--output', '/etc/x.csv'] },
  { ...bad('P37', 'in a variable', `${BASE}output: "\${O}"`, ['PATH p.yml:4:9'], 'outside the project'), env: { O: '../../x.csv' } },
  bad('P38', 'the input', `${BASE}output: ./rows.csv`, ['PATH p.yml:4:9'], 'overwrite the input'),
  { ...bad('P38', 'the input of the command line', `${BASE}output: o.csv`, ['PATH p.yml:4:9'], 'overwrite the input'), files: { 'p.yml': `${BASE}output: o.csv`, 'o.csv': 'Name,Country\nA,GB\n' }, args: ['p.yml', '--input', 'o.csv'] },
  bad('P38', 'among the runs', `${BASE}output: { path: fettle-runs/o.csv, review: fettle-runs/latest.csv }`, ['PATH', 'PATH'], 'among the runs in fettle-runs'),
  { ...bad('P38', 'among runs kept elsewhere', `${BASE}output: var/runs/o.csv`, ['PATH p.yml:4:9'], 'among the runs in var/runs'), args: ['p.yml', '--runs-dir', 'var/runs'] },
  bad('P38', 'the pipeline file', `${BASE}output: { path: p.yml, format: csv }`, ['PATH p.yml:4:17'], 'overwrite the pipeline file'),
  { line: 'P38', what: "another pipeline's output", files: { 'p.yml': `${BASE}output: o.csv`, 'q.yml': `${BASE.replace('suppliers', 'other')}output: { path: q.csv, review: ./o.csv }` }, args: ['p.yml', 'q.yml'], exit: 2, errors: ['USAGE'], says: ['p.yml and q.yml both have', 'o.csv'] },
  { ...bad('P39', 'a folder that leads out', `${BASE}output: out/o.csv`, ['PATH p.yml:4:9'], 'would really be written to', 'outside the project'), files: { 'p.yml': `${BASE}output: out/o.csv`, out: linkOut } },
  { ...bad('P39', 'a link that leads out further up', `${BASE}output: out/a/b/o.csv`, ['PATH p.yml:4:9'], /really be written to .+\/a\/b\/o\.csv, outside/), files: { 'p.yml': `${BASE}output: out/a/b/o.csv`, out: linkOut } },
  { ...bad('P39', 'a folder in place of the file', `${BASE}output: { path: o.csv, unmatched: sub.csv }`, ['PATH p.yml:4:35'], 'is a folder'), files: { 'p.yml': `${BASE}output: { path: o.csv, unmatched: sub.csv }`, 'sub.csv': folder } },
  { ...bad('P38', 'the input by a link', `${BASE}output: lnk/rows.csv`, ['PATH p.yml:4:9'], 'would really overwrite the input'), files: { 'p.yml': `${BASE}output: lnk/rows.csv`, lnk: linkTo('.') } },
  { ...bad('P38', 'one output by a link to the other', `${BASE}output: { path: o.csv, unmatched: lnk/o.csv }`, ['PATH p.yml:4:35'], 'would really overwrite output.path'), files: { 'p.yml': `${BASE}output: { path: o.csv, unmatched: lnk/o.csv }`, lnk: linkTo('.') } },
  { line: 'P38', what: "another pipeline's output by a link", files: { 'p.yml': `${BASE}output: o.csv`, 'q.yml': `${BASE.replace('suppliers', 'other')}output: lnk/o.csv`, lnk: linkTo('.') }, args: ['p.yml', 'q.yml'], exit: 2, errors: ['USAGE'], says: ['both have the output'] },
  { line: 'P38', what: "another pipeline's input", files: { 'p.yml': `${BASE}output: o.csv`, 'q.yml': `${BASE.replace('suppliers', 'other').replace('rows.csv', 'o.csv')}output: q.csv`, 'o.csv': 'Name,Country\nA,GB\n' }, args: ['p.yml', 'q.yml'], exit: 2, errors: ['USAGE'], says: ['which is the input of q.yml'] },
  { ...bad('P39', 'a file that is not a table', `${BASE}output: { path: notes.md, format: csv }`, ['PATH p.yml:4:17'], 'no table by its name'), files: { 'p.yml': `${BASE}output: { path: notes.md, format: csv }`, 'notes.md': 'mine' } },
  { ...bad('P39', 'a JSON file that is not a table', `${BASE}output: tsconfig.json`, ['PATH p.yml:4:9'], 'only a JSON array is replaced'), files: { 'p.yml': `${BASE}output: tsconfig.json`, 'tsconfig.json': '{}' } },
  { ...ok('P39', 'a JSON file that was an output', `${BASE}output: o.json`), files: { 'p.yml': `${BASE}output: o.json`, 'o.json': '[\n]\n' } },
  bad('P39', 'no extension of a format', `${BASE}output: o.avro`, ['PATH p.yml:4:9'], 'has no extension of an output format', '.xlsx'),
  { ...ok('P39', 'a link that stays inside', `${BASE}output: out/o.csv`), files: { 'p.yml': `${BASE}output: out/o.csv`, real: folder, out: linkTo('real') } },
  bad('P40', 'nothing in the list', `${BASE}output: { path: o.csv, columns: [""] }\nreport: { rows: "" }`, ['VALUE p.yml:4:34', 'VALUE p.yml:5:17']),
  of('P40', 'mask of no header', `${BASE}report: { mask: [Numbre] }`, { exit: 65, errors: ['INPUT_HEADER p.yml:4:18'], says: ['report.mask', 'did you mean "Number"?', 'Its headers'] }),
  bad('P41', 'a version in quotes, a description of 1 MB', `${BASE}version: "1"\ndescription: ${'x'.repeat(200_000)}`, ['UNSUPPORTED p.yml:4:10', 'VALUE p.yml:5:14'], 'expected 1', '2000 characters'),
  json('P41', 'version 2 in JSON', JSON.stringify({ ...JSON_BASE, version: 2 }), ['UNSUPPORTED p.json:1:97'], 'a newer one may read this file'),

  json('P42', 'a trailing comma', '{"name": "a",}', ['SYNTAX p.json:1:13'], 'comma'),
  json('P42', 'a comment', '{\n  // no\n}', ['SYNTAX p.json:2:3'], 'comment'),
  json('P42', 'a block comment', '/* no */ {}', ['SYNTAX p.json:1:1'], 'comment'),
  json('P42', 'single quotes', "{'name': 'a'}", ['SYNTAX p.json:1:2'], 'double quotes'),
  json('P42', 'NaN', '{"budget": NaN}', ['SYNTAX p.json:1:12'], 'NaN'),
  json('P42', 'Infinity', '{"budget": -Infinity}', ['SYNTAX p.json:1:12']),
  json('P42', 'a number with a zero in front', '{"budget": 01}', ['SYNTAX p.json:1:13']),
  json('P42', 'a raw line end in a text', '{"name": "a\nb"}', ['SYNTAX p.json:1:10'], 'not closed'),
  json('P42', 'cut short', '{"name": "a"', ['SYNTAX p.json:1:13'], 'the end of the file'),
  json('P42', 'a byte-order mark is fine', `\ufeff${JSON.stringify(JSON_BASE)}`, []),
  { line: 'P42', what: 'the ending .txt', files: { 'p.txt': BASE }, args: ['p.txt'], exit: 2, errors: ['PIPELINE_READ p.txt'], says: ['neither .yml, .yaml nor .json'] },
  { line: 'P42', what: 'no ending', files: { p: BASE }, args: ['p'], exit: 2, errors: ['PIPELINE_READ p'], says: ['neither .yml, .yaml nor .json'] },
  { line: 'P42', what: 'the input in place of the pipeline', args: ['rows.csv'], exit: 2, errors: ['PIPELINE_READ rows.csv'], says: ['neither .yml'] },
  { line: 'P43', what: 'two files', files: { 'p.yml': BASE, 'sub/q.yml': BASE }, args: ['p.yml', 'sub/q.yml'], exit: 2, errors: ['USAGE'], says: ['p.yml and sub/q.yml both have the name suppliers'], process: true },
  { line: 'P43', what: 'one file twice', files: { 'p.yml': BASE }, args: ['p.yml', './p.yml'], exit: 2, errors: ['USAGE'], says: ['p.yml and ./p.yml both have the name suppliers'] },
]
