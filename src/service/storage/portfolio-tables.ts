/** A step of the database: the tables of portfolios, of what they hold, of events and of imports. Nothing but SQL. */

/** Tables of portfolios, of what they hold, of events and imports. */
export const PORTFOLIO_TABLES = `
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
