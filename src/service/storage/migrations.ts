/**
 * How the database came to be what it is: one step after another, each carried out once and whole. A step that was shipped is
 * never changed; what is new is a step of its own at the end, so that the file of any older version can be opened.
 */
import { PORTFOLIO_TABLES } from './portfolio-tables.ts'

const JOBS = `
  CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, username TEXT NOT NULL UNIQUE);
  CREATE TABLE jobs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner INTEGER NOT NULL, folded TEXT NOT NULL,
    status TEXT NOT NULL, created INTEGER NOT NULL, archived INTEGER NOT NULL, countries TEXT NOT NULL, record TEXT NOT NULL
  );
  CREATE INDEX jobs_owner ON jobs (owner, seq);
  CREATE INDEX jobs_status ON jobs (status);
  CREATE TABLE answers (
    owner INTEGER NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (owner, key)
  );
  CREATE INDEX answers_at ON answers (at);
`

const SEARCHES = `
  CREATE TABLE searches (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner INTEGER NOT NULL, type TEXT NOT NULL,
    modified INTEGER NOT NULL, record TEXT NOT NULL
  );
  CREATE INDEX searches_owner ON searches (owner, type, modified, seq);
  CREATE TABLE hits (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, search TEXT NOT NULL, decision TEXT NOT NULL, record TEXT NOT NULL
  );
  CREATE INDEX hits_search ON hits (search, decision, seq);
  CREATE TABLE snapshots (seq INTEGER PRIMARY KEY AUTOINCREMENT, hit TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL);
  CREATE INDEX snapshots_hit ON snapshots (hit, seq);
`

const CREDITS = 'CREATE TABLE credits (owner INTEGER PRIMARY KEY, used INTEGER NOT NULL);'

const USAGE = `
  CREATE TABLE accounts (owner INTEGER PRIMARY KEY, created INTEGER NOT NULL);
  CREATE TABLE usage (
    owner INTEGER NOT NULL, product TEXT NOT NULL, country TEXT NOT NULL, used INTEGER NOT NULL,
    PRIMARY KEY (owner, product, country)
  );
`

/** Numbers shown to callers are random from here on and stand apart from the order of the rows; those given before are kept. */
const NUMBERS = ['portfolios', 'events', 'notifications', 'imports']
  .map(
    table => `
  ALTER TABLE ${table} RENAME COLUMN id TO seq;
  ALTER TABLE ${table} ADD COLUMN id INTEGER;
  UPDATE ${table} SET id = seq;
  CREATE UNIQUE INDEX ${table}_id ON ${table} (id);
`,
  )
  .join('')

/** The steps in their order; the version of a file is how many of them it has. */
export const MIGRATIONS: readonly string[] = [JOBS, SEARCHES, CREDITS, PORTFOLIO_TABLES, USAGE, NUMBERS]
