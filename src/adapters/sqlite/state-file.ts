import { chmodSync, closeSync, lstatSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { createTables, fileDatabase, type StateDatabase, transactionsOf } from "./database.ts";
import { faultOf, type SqliteFault } from "./errors.ts";
import { copyBeforeMigration } from "./migration-copy.ts";
import { applicationId, fileVersion, firstVersion, type Migration, migrations } from "./schema.ts";

/** The outcome of opening a state file. */
export type OpenedStateFile =
  | {
      readonly kind: "open";
      readonly database: StateDatabase;
      /** Present if the file had an older version. */
      readonly migrated?: MigratedFile;
    }
  /**
   * The content of the file is unchanged. `said` is the message of SQLite or of a migration, or the
   * version of the file.
   */
  | { readonly kind: "refused"; readonly why: WhyNotOpened; readonly said: string };

/** A state file that this start brought to the present version. */
export interface MigratedFile {
  readonly from: number;
  readonly to: number;
  /** The path of the copy of the file before the migration. */
  readonly copy: string;
}

/** The reason why a state file was not opened. */
export type WhyNotOpened =
  | Exclude<SqliteFault, "unknown">
  /** A database of another program. */
  | "foreign"
  /** A folder, a link or a device. */
  | "no-file"
  /** A state file of a version before the first release. */
  | "former-version"
  /** A state file of a newer Lookout. */
  | "newer-version"
  /** A step of the migration failed. */
  | "not-migrated";

const ownerOnly = 0o600;
/**
 * The time limit for the lock. A concurrent start that finds the file locked ends within this time.
 */
const lockTimeoutMs = 500;

class Refused extends Error {
  readonly why: WhyNotOpened;
  constructor(why: WhyNotOpened, said: string) {
    super(said);
    this.why = why;
  }
}

/**
 * Opens the state file for this process alone, and creates a missing file. The lock ends when the
 * process ends, even after SIGKILL. A file of an older released version is copied and migrated.
 *
 * A refused file is never removed, not even an empty file that this call created. Another process
 * may have opened it.
 *
 * @param installation - the name that a new file gets.
 * @param steps - the migrations. Tests add steps to them.
 * @throws the error of SQLite or the system that is not in {@link WhyNotOpened}.
 */
export function openStateFile(
  path: string,
  installation: string,
  steps: readonly Migration[] = migrations,
): OpenedStateFile {
  let sql: DatabaseSync | undefined;
  try {
    makeFile(path);
    sql = new DatabaseSync(path, { timeout: lockTimeoutMs });
    const version = prepareFile(sql, installation, firstVersion + steps.length);
    const migrated = migrate(sql, path, version, steps);
    return { kind: "open", database: fileDatabase(sql), ...(migrated === undefined ? {} : { migrated }) };
  } catch (error) {
    sql?.close();
    if (error instanceof Refused) return { kind: "refused", why: error.why, said: error.message };
    const why = faultOf(error);
    if (why === undefined || why === "unknown") throw error;
    return { kind: "refused", why, said: error instanceof Error ? error.message : "" };
  }
}

/**
 * Creates a file that only its owner may read. SQLite gives the files beside it the same mode. The
 * function does not open an existing file, because closing the file would end this process's locks
 * on the file.
 */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", ownerOnly));
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    keepToOwner(path);
  }
}

/**
 * Removes the access of other users, which a restored copy may allow. Keeps the mode of another
 * user's file, because only the owner can change it.
 */
function keepToOwner(path: string): void {
  const file = lstatSync(path);
  if (!file.isFile()) throw new Refused("no-file", "");
  if ((file.mode & 0o077) === 0) return;
  try {
    chmodSync(path, ownerOnly);
  } catch (error) {
    if (!hasCode(error, "EPERM")) throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** Locks and checks a file, and fills an empty file. Returns the version of the file. */
function prepareFile(sql: DatabaseSync, installation: string, newest: number): number {
  // The lock comes first, so that the process holds it from the first read on, and the file needs
  // no shared memory. One of several concurrent starts gets the lock, and never two. Starts that only
  // read at first would all fail.
  sql.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
  const isNew = isEmpty(sql);
  const version = isNew ? fileVersion : knownVersion(sql, newest);
  sql.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  if (isNew) {
    createTables(sql, installation);
    // From now on the file itself has its application id, even if its log is lost.
    sql.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  refuseDamaged(sql);
  return version;
}

function isEmpty(sql: DatabaseSync): boolean {
  return pragma(sql, "schema_version") === 0 && pragma(sql, "application_id") === 0;
}

/** Returns the version of a state file that this Lookout reads. */
function knownVersion(sql: DatabaseSync, newest: number): number {
  if (pragma(sql, "application_id") !== applicationId) throw new Refused("foreign", "");
  const version = Number(pragma(sql, "user_version"));
  if (version < firstVersion) throw new Refused("former-version", String(version));
  if (version > newest) throw new Refused("newer-version", String(version));
  return version;
}

/**
 * Runs the steps from a version on, in one transaction, after a copy of the file. A start that ends
 * early leaves the file of the old version.
 */
function migrate(sql: DatabaseSync, path: string, from: number, steps: readonly Migration[]): MigratedFile | undefined {
  const to = firstVersion + steps.length;
  if (from === to) return undefined;
  const copy = copyBeforeMigration(sql, path, from);
  try {
    transactionsOf(sql)(() => {
      for (const step of steps.slice(from - firstVersion)) step(sql);
      sql.exec(`PRAGMA user_version = ${to}`);
    });
  } catch (error) {
    // A step's own fault is not the fault of the disk.
    if ((faultOf(error) ?? "unknown") !== "unknown") throw error;
    throw new Refused("not-migrated", error instanceof Error ? error.message : "");
  }
  return { from, to, copy };
}

/** Throws for a damaged page, which SQLite does not notice when it opens the file. */
function refuseDamaged(sql: DatabaseSync): void {
  const said = pragma(sql, "quick_check(1)");
  if (said !== "ok") throw new Refused("damaged", String(said));
}

function pragma(sql: DatabaseSync, name: string): unknown {
  return Object.values(sql.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}
