/**
 * The steps that create and change the tables, each run once and in one transaction. A released step never changes; a change is
 * a new step at the end, so that a database of any older version can be opened.
 */

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

const PORTFOLIOS = `
  CREATE TABLE portfolios (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL, name TEXT NOT NULL, folded TEXT NOT NULL,
    is_default INTEGER NOT NULL, settings TEXT NOT NULL
  );
  CREATE INDEX portfolios_owner ON portfolios (owner);
  CREATE TABLE shares (
    portfolio INTEGER NOT NULL, user INTEGER NOT NULL, permissions TEXT NOT NULL, PRIMARY KEY (portfolio, user)
  ) WITHOUT ROWID;
  CREATE INDEX shares_user ON shares (user);
  CREATE TABLE portfolio_rules (
    portfolio INTEGER NOT NULL, code INTEGER NOT NULL, active INTEGER NOT NULL, params TEXT NOT NULL, PRIMARY KEY (portfolio, code)
  ) WITHOUT ROWID;
  CREATE TABLE watched (
    connect_id TEXT NOT NULL PRIMARY KEY, safe_number TEXT NOT NULL, country TEXT NOT NULL, name TEXT NOT NULL,
    folded TEXT NOT NULL, facts TEXT NOT NULL
  );
  CREATE INDEX watched_safe ON watched (safe_number);
  CREATE TABLE holdings (
    portfolio INTEGER NOT NULL, connect_id TEXT NOT NULL, reference TEXT, free_text TEXT, personal_limit,
    added INTEGER NOT NULL, modified INTEGER NOT NULL, import INTEGER, PRIMARY KEY (portfolio, connect_id)
  ) WITHOUT ROWID;
  CREATE INDEX holdings_company ON holdings (connect_id);
  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, connect_id TEXT NOT NULL, rule INTEGER NOT NULL, old_value TEXT NOT NULL,
    new_value TEXT NOT NULL, folded TEXT NOT NULL, at INTEGER NOT NULL, created INTEGER NOT NULL
  );
  CREATE INDEX events_company ON events (connect_id);
  CREATE TABLE notifications (
    id INTEGER PRIMARY KEY AUTOINCREMENT, event INTEGER NOT NULL, portfolio INTEGER NOT NULL, text TEXT NOT NULL,
    processed INTEGER
  );
  CREATE INDEX notifications_portfolio ON notifications (portfolio);
  CREATE INDEX notifications_event ON notifications (event);
  CREATE TABLE applied (register TEXT NOT NULL PRIMARY KEY, sequence INTEGER NOT NULL);
  CREATE TABLE imports (
    id INTEGER PRIMARY KEY AUTOINCREMENT, portfolio INTEGER NOT NULL, kind TEXT NOT NULL, file TEXT NOT NULL UNIQUE,
    accepted INTEGER NOT NULL
  );
`

const USAGE = `
  CREATE TABLE accounts (owner INTEGER PRIMARY KEY, created INTEGER NOT NULL);
  CREATE TABLE usage (
    owner INTEGER NOT NULL, product TEXT NOT NULL, country TEXT NOT NULL, used INTEGER NOT NULL,
    PRIMARY KEY (owner, product, country)
  );
`

/** From this step on, numbers shown to callers are random and independent of the row order; earlier numbers stay valid. */
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

/** The steps in order. The version of a database is the number of steps applied to it. */
export const MIGRATIONS: readonly string[] = [JOBS, SEARCHES, CREDITS, PORTFOLIOS, USAGE, NUMBERS]
