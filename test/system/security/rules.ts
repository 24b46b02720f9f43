/** The security rules as a table: each rule, and the tests that prove it, by file and quoted words. */

/** A proof: a file below test/, and a piece of it, such as the name of a test or of a case in a table. */
export type Proof = readonly [file: string, words: string]

/** A rule and its proofs. */
export interface Rule {
  readonly title: string
  readonly proofs: readonly Proof[]
}

// biome-ignore format: a table reads best with one row a line
export const RULES: Readonly<Record<string, Rule>> = {
  S1: { title: 'secrets come from the environment or a file only', proofs: [
    ['system/security/slow/canaries.test.ts', 'S1: no secret is in the arguments'],
    ['system/bad-input/cli.ts', "'A5'"], ['system/bad-input/pipeline.ts', "'P27'"]] },
  S2: { title: 'marked secrets stand in no output and no file', proofs: [
    ['system/security/slow/canaries.test.ts', 'a failing run, and its resume'],
    ['system/security/canary.test.ts', 'is found'], ['system/cli/fettle.ts', 'S2: every suite']] },
  S3: { title: 'errors carry no headers or bodies', proofs: [['system/security/errors.test.ts', 'maxStringLength: Infinity'], ['unit/client/secrets.test.ts', 'errors carry no secret']] },
  S4: { title: 'files of runs and data 0600, their folders 0700, under any umask', proofs: [['system/security/slow/files.test.ts', 'S4: no other user can read the files'], ['unit/files/atomic-file.test.ts', 'S4: makes files 0600'], ['unit/journal/file.test.ts', 'even under umask 000']] },
  S5: { title: 'files are made exclusively and follow no link', proofs: [['system/security/slow/files.test.ts', 'S5: planted links are not followed'], ['unit/files/atomic-file.test.ts', 'S5: does not follow a link'], ['unit/journal/file.test.ts', 'nor through a link']] },
  S6: { title: 'the token is in memory only, bound to address and user', proofs: [['system/security/slow/canaries.test.ts', 'S6: a run resumes only at the same service']] },
  S7: { title: 'TLS is verified', proofs: [['system/security/slow/tls.test.ts', 'for another host'], ['unit/client/secrets.test.ts', 'an old protocol'], ['system/security/sources.test.ts', 'rejectUnauthorized']] },
  S8: { title: 'no http off loopback', proofs: [['system/bad-input/pipeline.ts', "'P26'"], ['unit/client/links.test.ts', 'http off loopback']] },
  S9: { title: 'redirects by hand: reads only, three hops', proofs: [['unit/client/download.test.ts', 'redirects of API calls (F43)'], ['unit/client/download.test.ts', 'three redirects are followed']] },
  S10: { title: 'another origin gets nothing of ours', proofs: [['system/security/origins.test.ts', 'S10: another origin receives none of our data'], ['unit/queue/held-data.test.ts', 'neither credentials nor a request'], ['unit/client/download.test.ts', 'the token and our headers stay with the service']] },
  S11: { title: 'the file link: https, own origin or a listed host', proofs: [['unit/client/links.test.ts', 'links to a file']] },
  S12: { title: 'no private address, judged where it is connected to', proofs: [['unit/client/links.test.ts', 'https://0177.0.0.1/x'], ['system/security/origins.test.ts', 'a resolver that changes its answer'], ['unit/client/download.test.ts', 'leads to a private address']] },
  S13: { title: 'no other schemes; a signed link is a secret', proofs: [['unit/client/links.test.ts', "'gopher:"], ['unit/client/links.test.ts', 'a refusal never shows a signature'], ['system/security/slow/canaries.test.ts', "'foreignLink'"]] },
  S14: { title: 'outputs stay inside and are replaced whole', proofs: [['system/security/slow/files.test.ts', 'S14: what an output may replace'], ['unit/files/atomic-file.test.ts', 'S14: replaces only a regular file'], ['system/bad-input/pipeline.ts', "'P39'"]] },
  S15: { title: 'formulas are neutralised in format excel only', proofs: [['unit/formats/formula-guard.test.ts', 'is text behind an apostrophe, once: %j'], ['unit/formats/formula-guard.test.ts', 'computes no cell of a file, whichever list separator it is set to'], ['unit/formats/text-formats.test.ts', 'csv changes nothing'], ['unit/formats/text-formats.test.ts', 'reads back as it was']] },
  S16: { title: 'the HTML report runs and loads nothing', proofs: [['system/browser/report.test.ts', 'shows hostile text as text'], ['system/browser/report.test.ts', 'its policy is in force'], ['unit/report/html.test.ts', 'contains the digest of its style sheet']] },
  S17: { title: 'Markdown and JUnit hold text as text', proofs: [['unit/report/escape.test.ts', 'Markdown: every active character is escaped'], ['unit/report/markdown.test.ts', 'a table keeps its cells'], ['unit/report/formats.test.ts', 'is well formed, of JUnit elements only'], ['system/security/slow/xml.test.ts', 'a real parser reads exactly the text']] },
  S18: { title: 'nothing foreign moves the terminal', proofs: [['system/security/slow/offline.test.ts', 'S18, S19: texts of a service'], ['system/cli/terminal.test.ts', 'names from input, pipeline and arguments'], ['unit/report/escape.test.ts', 'terminal: no control character']] },
  S19: { title: 'nothing foreign commands a CI runner', proofs: [['system/security/ci-log.test.ts', 'no mixture of the pieces is a command'], ['unit/report/formats.test.ts', 'stays under 900 KB by whole sections']] },
  S20: { title: 'YAML: no tags, limits before parsing', proofs: [['unit/pipeline/nesting.test.ts', 'hostile nesting is reported within seconds and never aborts the process'], ['system/bad-input/pipeline.ts', "'P12'"]] },
  S21: { title: 'no foreign object is merged', proofs: [['system/security/replies.test.ts', 'keys that would change every object'], ['system/bad-input/pipeline.ts', "'P13'"], ['system/bad-input/csv.ts', "'C21'"], ['unit/service/http/json.ts', "'H8'"]] },
  S22: { title: 'no slow pattern, none of a user', proofs: [['system/security/sources.test.ts', 'S22: regular expressions'], ['system/security/sources.test.ts', 'S22: the matcher handles a hostile name'], ['unit/service/http/trouble.ts', "'H35'"]] },
  S23: { title: 'no line break in tokens, names, file names', proofs: [['unit/pipeline/interpolate.test.ts', 'P31'], ['unit/client/secrets.test.ts', 'a token no header can hold'], ['unit/client/upload.test.ts', 'an upload on the wire'], ['unit/service/http/uploads.ts', "'H18'"]] },
  S24: { title: 'the service listens on loopback, or has credentials', proofs: [['system/security/service.test.ts', 'S24: the service listens on loopback only'], ['system/bad-input/cli.ts', "'A16'"]] },
  S25: { title: 'passwords: scrypt, constant time', proofs: [['system/security/service.test.ts', 'S25: case, form and user name matter'], ['unit/service/http/access.ts', 'unknown user and wrong password get the same words']] },
  S26: { title: 'tokens: one algorithm, and believed by nobody else', proofs: [['unit/service/http/access.ts', 'twelve forged tokens'], ['unit/client/login.test.ts', "'garbage'"]] },
  S27: { title: 'logins are throttled in bounded memory', proofs: [['system/security/service.test.ts', 'S27: unlimited names'], ['unit/service/http/access.ts', "'H4'"]] },
  S28: { title: 'all limits in one table, as documented', proofs: [['unit/service/limits.test.ts', 'docs/limits.md shows the table of limits']] },
  S29: { title: 'slow and many connections end', proofs: [['unit/service/http/wire.ts', "'H12'"], ['unit/service/http/wire.ts', "'H31'"]] },
  S30: { title: 'uploads: random ids, data only; downloads are attachments', proofs: [['unit/service/http/uploads.ts', "'H18'"], ['unit/service/http/walk.ts', "'nosniff'"]] },
  S31: { title: 'no stack, path or query in an answer', proofs: [['system/security/service.test.ts', 'S31, S32, S33']] },
  S32: { title: 'Host allow-list, no CORS', proofs: [['unit/service/http/access.ts', "'H29'"], ['system/security/service.test.ts', 'access-control-']] },
  S33: { title: 'one JSON object a log line', proofs: [['system/security/service.test.ts', 'S31, S32, S33']] },
  S34: { title: 'rows only where the pipeline lets them', proofs: [['system/security/slow/files.test.ts', 'S34: rows']] },
  S35: { title: 'the supply chain', proofs: [['system/security/slow/supply.test.ts', 'runs nothing at install time'], ['system/security/slow/supply.test.ts', 'matches the snapshot'], ['system/security/slow/supply.test.ts', 'the bill of materials and the notices list']] },
  S36: { title: 'floors of versions', proofs: [['system/security/slow/supply.test.ts', 'S36: %s is at least %s']] },
  S37: { title: 'temporary files are removed, stale ones swept', proofs: [['system/security/slow/files.test.ts', 'S37: nothing stays'], ['unit/files/atomic-file.test.ts', 'its resumption clears up']] },
  S38: { title: 'no shell, no dump of the environment', proofs: [['system/security/sources.test.ts', 'no forbidden name, module, pattern or dump'], ['system/security/slow/canaries.test.ts', 'AWS_SECRET_ACCESS_KEY']] },
  S39: { title: 'looking sends nothing', proofs: [['system/security/slow/offline.test.ts', 'S39: commands that only read send nothing'], ['system/cli/refused.test.ts', 'looking sends nothing']] },
  S40: { title: 'faults only through fettle/testing', proofs: [['system/security/slow/offline.test.ts', 'S40: fettle serve has no route'], ['system/security/sources.test.ts', 'only fettle/testing and tests of pipelines reach the faults'], ['unit/service/http/trouble.ts', "'H37'"]] },
  S41: { title: 'credentials go to no service that only a pipeline names', proofs: [['system/security/slow/stranger.test.ts', 'S41: sends no credentials to the service of a stranger'], ['system/security/slow/stranger.test.ts', 'S41: sends no credentials to the service of a recorded run'], ['unit/pipeline/interpolate.test.ts', 'credentials of fettle and of S3']] },
  S42: { title: 'an untrusted pipeline opens nothing else', proofs: [['system/security/slow/stranger.test.ts', 'S42: opens no address of an untrusted pipeline'], ['system/security/slow/stranger.test.ts', 'S42: an untrusted pipeline reads no file outside'], ['system/delivery/action.test.ts', 'is untrusted, also where the workflow asks for a run']] },
  S43: { title: 'files of a stranger write nothing outside and prove nothing', proofs: [['system/security/slow/places.test.ts', 'of a project file is refused'], ['system/security/slow/places.test.ts', 'leads to nothing yet outside is refused'], ['system/security/slow/places.test.ts', 'a cassette of a stranger is data'], ['system/security/slow/places.test.ts', 'a changed output is a fault']] },
}
