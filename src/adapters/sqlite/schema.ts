/** The application id in the header of the file: `Look` in ASCII. */
export const applicationId = 0x4c_6f_6f_6b;

/**
 * The version of the state file. The version rises when a table or the form of a record changes.
 * Lookout reads no other version.
 */
export const fileVersion = 11;

/**
 * The tables of JSON values by a text key. A new table needs its name here, and a higher
 * {@link fileVersion}.
 */
export const jsonTables = [
  "cluster_states",
  "registrations",
  "repositories",
  "ticks",
  "listed_tags",
  "freezes",
  "quarantine",
] as const;

/**
 * Every table of the state file. JSON columns hold the values of the ports, so that users can read
 * them.
 */
export const tables = `
  CREATE TABLE installation (name TEXT NOT NULL) STRICT;

  CREATE TABLE workloads (
    key TEXT PRIMARY KEY,
    cluster TEXT NOT NULL,
    version INTEGER NOT NULL,
    due_at INTEGER,
    awaits_approval INTEGER NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX workloads_of_a_cluster ON workloads (cluster, key);
  CREATE INDEX workloads_due ON workloads (due_at, key) WHERE due_at IS NOT NULL;
  CREATE INDEX workloads_awaiting_approval ON workloads (cluster, key) WHERE awaits_approval = 1;

  CREATE TABLE slots (
    cluster TEXT NOT NULL,
    slot INTEGER NOT NULL,
    workload TEXT NOT NULL,
    PRIMARY KEY (cluster, slot)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE slot_queue (
    cluster TEXT NOT NULL,
    namespace TEXT NOT NULL,
    since INTEGER NOT NULL,
    workload TEXT NOT NULL,
    PRIMARY KEY (cluster, namespace, since, workload)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE votes (
    workload TEXT NOT NULL,
    seq INTEGER NOT NULL,
    person TEXT NOT NULL,
    vote TEXT NOT NULL,
    PRIMARY KEY (workload, seq, person)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE subscribers (
    image_name TEXT NOT NULL,
    workload TEXT NOT NULL,
    PRIMARY KEY (image_name, workload)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX subscriptions_of_a_workload ON subscribers (workload);

  -- The changes that are not handled yet. AUTOINCREMENT: the id of a handled change is never given again.
  CREATE TABLE outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, record TEXT NOT NULL) STRICT;

  CREATE TABLE ledger (
    workload TEXT NOT NULL,
    version INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    row TEXT NOT NULL,
    PRIMARY KEY (workload, version, seq)
  ) STRICT;
  CREATE INDEX ledger_by_age ON ledger (at);

  CREATE TABLE tag_moves (
    image_name TEXT NOT NULL,
    tag TEXT NOT NULL,
    digest TEXT NOT NULL,
    moved_at INTEGER NOT NULL,
    is_found INTEGER NOT NULL,
    PRIMARY KEY (image_name, tag)
  ) STRICT, WITHOUT ROWID;

  -- When tags came to digests.
  CREATE TABLE sightings (
    image_name TEXT NOT NULL,
    tag TEXT NOT NULL,
    digest TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    kept_until INTEGER NOT NULL,
    content TEXT,
    PRIMARY KEY (image_name, tag, digest)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sightings_by_end ON sightings (kept_until);

  CREATE TABLE registry_limits (
    host TEXT NOT NULL,
    part TEXT NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (host, part)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE probe_results (id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  ${jsonTables.map((name) => `CREATE TABLE ${name} (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;`).join("\n  ")}
`;

/**
 * SQLite removes these tables when the process ends, so that the marker of an ended process delays
 * no push.
 */
export const temporaryTables = `
  CREATE TEMP TABLE push_coalescing (
    image_name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    lease_until INTEGER NOT NULL,
    again INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
