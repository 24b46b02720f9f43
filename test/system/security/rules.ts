/** The security rules as a table: what must hold, and the tests that prove it, each by its file and words that stand in it. */

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
    ['security/slow/canaries.test.ts', 'S1: the system shows no secret among the arguments'],
    ['inputs/cli.ts', "'A5'"], ['inputs/pipeline.ts', "'P27'"]] },
  S2: { title: 'marked secrets stand in no output and no file', proofs: [
    ['security/slow/canaries.test.ts', 'a run that goes wrong, and then goes on'],
    ['security/canary.test.ts', 'is found'], ['cli/fettle.ts', 'S2: every suite']] },
  S3: { title: 'errors carry no headers or bodies', proofs: [['security/errors.test.ts', 'maxStringLength: Infinity'], ['client/secrets.test.ts', 'errors carry no secret']] },
  S4: { title: 'files 0600, folders 0700, under any umask', proofs: [['security/slow/files.test.ts', 'S4: nobody else may read it'], ['input/sink.test.ts', 'S4: makes files 0600'], ['journal/file.test.ts', 'even under umask 000']] },
  S5: { title: 'files are made exclusively and follow no link', proofs: [['security/slow/files.test.ts', 'S5: what was planted is not followed'], ['input/sink.test.ts', 'S5: does not follow a link'], ['journal/file.test.ts', 'nor through a link']] },
  S6: { title: 'the token is in memory only, bound to address and user', proofs: [['security/slow/canaries.test.ts', 'S6: a run goes on only where it began']] },
  S7: { title: 'TLS is verified', proofs: [['security/slow/tls.test.ts', 'for another host'], ['client/secrets.test.ts', 'an old protocol'], ['security/sources.test.ts', 'rejectUnauthorized']] },
  S8: { title: 'no http off loopback', proofs: [['inputs/pipeline.ts', "'P26'"], ['client/links.test.ts', 'http off loopback']] },
  S9: { title: 'redirects by hand: reads only, three hops', proofs: [['client/download.test.ts', 'redirects of API calls (F43)'], ['client/download.test.ts', 'three redirects are followed']] },
  S10: { title: 'another origin gets nothing of ours', proofs: [['security/origins.test.ts', 'S10: another origin gets nothing of ours'], ['queue/held-data.test.ts', 'neither credentials nor a request'], ['client/download.test.ts', 'the token and our headers stay with the service']] },
  S11: { title: 'the file link: https, own origin or a listed host', proofs: [['client/links.test.ts', 'links to a file']] },
  S12: { title: 'no private address, judged where it is connected to', proofs: [['client/links.test.ts', 'https://0177.0.0.1/x'], ['security/origins.test.ts', 'a resolver that changes its answer'], ['client/download.test.ts', 'leads to a private address']] },
  S13: { title: 'no other schemes; a signed link is a secret', proofs: [['client/links.test.ts', "'gopher:"], ['client/links.test.ts', 'a refusal never shows a signature'], ['security/slow/canaries.test.ts', "'foreignLink'"]] },
  S14: { title: 'outputs stay inside and are replaced whole', proofs: [['security/slow/files.test.ts', 'S14: what an output may replace'], ['input/sink.test.ts', 'S14: replaces only a regular file'], ['inputs/pipeline.ts', "'P39'"]] },
  S15: { title: 'formulas are neutralised in format excel only', proofs: [['input/formats.test.ts', 'makes text of %j, once'], ['input/formats.test.ts', 'csv changes nothing'], ['input/formats.test.ts', 'reads back as it was']] },
  S16: { title: 'the HTML report runs and loads nothing', proofs: [['browser/report.test.ts', 'shows hostile text as text'], ['browser/report.test.ts', 'its policy is in force'], ['report/html.test.ts', 'names the digest of its own style sheet']] },
  S17: { title: 'Markdown and JUnit hold text as text', proofs: [['report/escape.test.ts', 'Markdown: every active character is escaped'], ['report/markdown.test.ts', 'a table keeps its cells'], ['report/formats.test.ts', 'is well formed, of JUnit elements only'], ['security/slow/xml.test.ts', 'a real parser reads the very text']] },
  S18: { title: 'nothing foreign moves the terminal', proofs: [['security/slow/offline.test.ts', 'S18, S19: what a service says'], ['cli/terminal.test.ts', 'names from input, pipeline and arguments'], ['report/escape.test.ts', 'terminal: no control character']] },
  S19: { title: 'nothing foreign commands a CI runner', proofs: [['security/ci-log.test.ts', 'no mixture of the pieces is a command'], ['report/formats.test.ts', 'stays under 900 KB by whole sections']] },
  S20: { title: 'YAML: no tags, limits before parsing', proofs: [['pipeline/nesting.test.ts', 'hostile nesting is answered, never an abort'], ['inputs/pipeline.ts', "'P12'"]] },
  S21: { title: 'no foreign object is merged', proofs: [['security/replies.test.ts', 'keys that would change every object'], ['inputs/pipeline.ts', "'P13'"], ['inputs/csv.ts', "'C21'"], ['service/http/json.ts', "'H8'"]] },
  S22: { title: 'no slow pattern, none of a user', proofs: [['security/sources.test.ts', 'S22: regular expressions'], ['security/sources.test.ts', 'S22: the matcher takes a hostile name'], ['service/http/trouble.ts', "'H35'"]] },
  S23: { title: 'no line break in tokens, names, file names', proofs: [['pipeline/interpolate.test.ts', 'P31'], ['client/secrets.test.ts', 'a token no header can hold'], ['client/upload.test.ts', 'an upload on the wire'], ['service/http/uploads.ts', "'H18'"]] },
  S24: { title: 'the service listens on loopback, or has credentials', proofs: [['security/service.test.ts', 'S24: only loopback is listened on'], ['inputs/cli.ts', "'A16'"]] },
  S25: { title: 'passwords: scrypt, constant time', proofs: [['security/service.test.ts', 'S25: case, form and user name count'], ['service/http/access.ts', 'unknown user and wrong password get the same words']] },
  S26: { title: 'tokens: one algorithm, and believed by nobody else', proofs: [['service/http/access.ts', 'twelve forged tokens'], ['client/login.test.ts', "'garbage'"]] },
  S27: { title: 'logins are throttled in bounded memory', proofs: [['security/service.test.ts', 'S27: names beyond all bounds'], ['service/http/access.ts', "'H4'"]] },
  S28: { title: 'all limits in one table, as documented', proofs: [['service/limits.test.ts', 'the table of the documentation is this table']] },
  S29: { title: 'slow and many connections end', proofs: [['service/http/wire.ts', "'H12'"], ['service/http/wire.ts', "'H31'"]] },
  S30: { title: 'uploads: random ids, data only; downloads are attachments', proofs: [['service/http/uploads.ts', "'H18'"], ['service/http/walk.ts', "'nosniff'"]] },
  S31: { title: 'no stack, path or query in an answer', proofs: [['security/service.test.ts', 'S31, S32, S33']] },
  S32: { title: 'Host allow-list, no CORS', proofs: [['service/http/access.ts', "'H29'"], ['security/service.test.ts', 'access-control-']] },
  S33: { title: 'one JSON object a log line', proofs: [['security/service.test.ts', 'S31, S32, S33']] },
  S34: { title: 'rows only where the pipeline lets them', proofs: [['security/slow/files.test.ts', 'S34: rows']] },
  S35: { title: 'the supply chain', proofs: [['security/slow/supply.test.ts', 'runs nothing at install time'], ['security/slow/supply.test.ts', 'is what the snapshot lists'], ['security/slow/supply.test.ts', 'npm sbom lists every part']] },
  S36: { title: 'floors of versions', proofs: [['security/slow/supply.test.ts', 'S36: %s is at least %s']] },
  S37: { title: 'temporary files are removed, stale ones swept', proofs: [['security/slow/files.test.ts', 'S37: nothing is left behind'], ['input/sink.test.ts', 'its resumption clears up']] },
  S38: { title: 'no shell, no dump of the environment', proofs: [['security/sources.test.ts', 'no forbidden name, module, pattern or dump'], ['security/slow/canaries.test.ts', 'AWS_SECRET_ACCESS_KEY']] },
  S39: { title: 'looking sends nothing', proofs: [['security/slow/offline.test.ts', 'S39: looking sends nothing'], ['cli/refused.test.ts', 'looking sends nothing']] },
  S40: { title: 'faults only through fettle/testing', proofs: [['security/slow/offline.test.ts', 'S40: fettle serve has no route'], ['security/sources.test.ts', 'only fettle/testing reaches the faults'], ['service/http/trouble.ts', "'H37'"]] },
}
