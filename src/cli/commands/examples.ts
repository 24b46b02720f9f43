/** Examples of every command, for its help and for docs/command-line.md. Data only; a test parses each of them. */

/** Command -> what one would type, and what for. */
export const EXAMPLES: Readonly<Record<string, readonly (readonly [line: string, what: string])[]>> = {
  clean: [
    ['fettle clean companies.csv -o companies-clean.csv', 'match and enrich a list, no configuration at all'],
    ['fettle clean liste.csv --map name=Firma', 'saying what cannot be seen from the list'],
  ],
  init: [
    ['fettle init companies.csv', 'write a pipeline file for a list, asking what is not certain'],
    ['fettle init companies.csv --yes --ci github', 'take what is certain, and write a nightly workflow too'],
  ],
  plan: [
    ['fettle plan pipelines/suppliers.yml', 'rows, requests and credits of a run, and what changed since the last'],
    ['fettle plan nightly.yml --shards 8 --json', 'the list of shards, for a scheduler to spread'],
  ],
  doctor: [
    ['fettle doctor', 'what could keep a run from working on this machine'],
    ['fettle doctor nightly.yml --offline', 'with the settings of a pipeline, leaving the network alone'],
  ],
  completion: [['fettle completion bash', 'a script to be read by the shell']],
  run: [
    ['fettle run pipelines/suppliers.yml', 'carry it out, or go on with its unfinished run'],
    ['fettle run nightly.yml --json -q', 'for a scheduler: one line, the result'],
    ['fettle run nightly.yml --input extract.csv --limit 100', 'another list, its first hundred rows'],
    ['fettle run nightly.yml --shard 3/8', 'the third of eight parts of the list; fettle merge joins them'],
    ['fettle run nightly.yml --queue redis://queue', 'in shards, by whatever workers are there'],
    ['fettle run nightly.yml --detach --json', 'submit only; fettle status and fettle collect do the rest'],
    ['fettle run nightly.yml --reporter junit=fettle.xml', 'with a JUnit file where CI looks for it'],
  ],
  check: [
    ['fettle check pipelines/suppliers.yml', 'all problems of file and list, and what the columns hold'],
    ['fettle check nightly.yml --explain', 'the plan that run would carry out'],
  ],
  resume: [
    ['fettle resume', 'go on with the latest run'],
    ['fettle resume nightly --timeout 2h', 'with the newest run of a pipeline, for two hours at most'],
  ],
  status: [
    ['fettle status nightly --json', 'exit code 0: done or ready to be collected, 75: going on, 76: failed'],
    ['fettle status nightly --watch --timeout 2h', 'look until it is no longer going on'],
  ],
  collect: [
    ['fettle collect nightly --json', 'the rest of a detached run, up to its report'],
    ['fettle collect nightly --timeout 10m', 'waiting ten minutes at most; 75 when that was too short'],
  ],
  merge: [
    ['fettle merge suppliers', 'the newest shards of a pipeline, joined in the order of the list'],
    ['fettle merge pod-1/latest pod-2/latest', 'by the folders of their runs, wherever those were brought together'],
  ],
  worker: [
    ['fettle worker --queue redis://queue', 'take shards and carry them out, until SIGTERM'],
    ['fettle worker --queue redis://queue --concurrency 4', 'four at once'],
  ],
  runs: [['fettle runs', 'the runs kept here, newest first']],
  report: [
    ['fettle report', 'the latest run, as text'],
    ['fettle report --format html --to run.html', 'a page to pass on'],
  ],
  review: [
    ['fettle review', 'go through the rows to review of the latest run'],
    ['fettle review nightly --export csv rows.csv', 'as a table, for whoever knows the companies'],
    ['fettle review nightly --apply decisions.csv', 'take decisions, and write the corrected output'],
  ],
  serve: [
    ['fettle serve', 'on 127.0.0.1:8080, with fresh credentials'],
    ['fettle serve --port 0 --register companies', 'one register, on a free port'],
    ['fettle serve --credits 1000', 'with a limit to the credits of each user'],
    ['fettle serve --rate 20/1s --rate 600/1m', 'as a service that throttles: 429 with Retry-After'],
    ['fettle serve users add ann --role reader', 'a user; the password is asked for'],
    ['fettle serve backup monday.tar.gz', 'all that the service keeps, while it runs'],
  ],
  register: [
    ['fettle register import csv companies.csv', 'take in a register, named after its file'],
    ['fettle register list', 'the registers of this machine'],
  ],
  screening: [
    ['fettle screening import uk UK-Sanctions-List.csv', 'take in a list that AML searches look in'],
    ['fettle screening import csv peps.csv --datasets PEP', 'a list that does not say what its entries are listed for'],
    ['fettle screening list', 'the lists of this machine'],
  ],
  schema: [['fettle schema pipeline', 'the JSON Schema that editors read']],
  explain: [
    ['fettle explain FETTLE_INPUT_QUOTE', 'what a code means, and its cure'],
    ['fettle explain 75', 'all codes of an exit code'],
  ],
}
