import type { DatabaseSync } from "node:sqlite";

/** The application id in the header of the file: `Look` in ASCII. */
export const applicationId = 0x4c_6f_6f_6b;

/** The version of the first release. Lookout migrates files from this version on. */
export const firstVersion = 12;

/** Changes the tables and views of one version to the next version, in the transaction of all steps. */
export type Migration = (sql: DatabaseSync) => void;

/**
 * The steps from {@link firstVersion} on, in order. When {@link tables} change, add a step here. A
 * released step never changes.
 */
export const migrations: readonly Migration[] = [];

/**
 * The version of the tables. Each migration raises it. The form of each stored value has a number
 * of its own, in the row of its item.
 */
export const fileVersion = firstVersion + migrations.length;

/** Every table of the state file, and a view of each kind of item that users read. */
export const tables = `
  -- Everything that Lookout stores. JSON, except the listed tags of repositories.
  CREATE TABLE items (
    pk TEXT NOT NULL,
    sk TEXT NOT NULL,
    form INTEGER NOT NULL,
    marks TEXT,
    due_at INTEGER,
    expires_at INTEGER,
    value ANY NOT NULL,
    PRIMARY KEY (pk, sk)
  ) STRICT;
  CREATE INDEX items_due ON items (due_at, pk, sk) WHERE due_at IS NOT NULL;
  CREATE INDEX items_expiring ON items (expires_at) WHERE expires_at IS NOT NULL;

  -- The changes that are not handled yet. AUTOINCREMENT: the id of a handled change is never given again.
  CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pk TEXT NOT NULL,
    sk TEXT NOT NULL,
    form INTEGER NOT NULL,
    value ANY NOT NULL
  ) STRICT;

  -- The reading of the clock by which items are deleted, once another reading is a day later.
  CREATE TABLE clock (read_at INTEGER NOT NULL) STRICT;

  CREATE VIEW workloads AS
    SELECT substr(pk, 10) AS key, value ->> '$.version' AS version, due_at, value AS record
    FROM items WHERE sk = 'WORKLOAD' AND pk > 'WORKLOAD#' AND pk < 'WORKLOAD$';
  CREATE VIEW history AS
    SELECT value ->> '$.workload' AS workload, value ->> '$.at' AS at, value ->> '$.transition.what' AS what, value AS row
    FROM items WHERE pk > 'WORKLOAD#' AND pk < 'WORKLOAD$' AND sk > 'LOG#' AND sk < 'LOG$';
  CREATE VIEW votes AS
    SELECT substr(pk, 10) AS workload, value ->> '$.binding.seq' AS seq, value ->> '$.person' AS person, value AS vote
    FROM items WHERE pk > 'WORKLOAD#' AND pk < 'WORKLOAD$' AND sk > 'VOTE#' AND sk < 'VOTE$';
  CREATE VIEW slots AS
    SELECT value ->> '$.slot' AS slot, value ->> '$.workload' AS workload, sk FROM items WHERE pk = 'SLOTS';
  CREATE VIEW freezes AS SELECT sk AS scope, value AS freeze FROM items WHERE pk = 'FREEZE';
  CREATE VIEW quarantine AS SELECT substr(sk, 5) AS digest, value AS entry FROM items WHERE pk = 'QUARANTINE';
  CREATE VIEW repositories AS SELECT sk AS repository, value AS state FROM items WHERE pk = 'REPOSITORIES';
  CREATE VIEW clusters AS SELECT sk AS cluster, value AS state FROM items WHERE pk = 'CLUSTER-STATES';
`;

/**
 * SQLite removes this table when the process ends, so that the marker of an ended process delays no
 * push. It is no item, because an item would stay.
 */
export const temporaryTables = `
  CREATE TEMP TABLE push_coalescing (
    image_name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    lease_until INTEGER NOT NULL,
    again INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
