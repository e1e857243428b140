import { chmodSync, closeSync, lstatSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { createTables, fileDatabase, type StateDatabase } from "./database.ts";
import { faultOf, type SqliteFault } from "./errors.ts";
import { applicationId, fileVersion } from "./schema.ts";

/** The outcome of opening a state file. */
export type OpenedStateFile =
  | { readonly kind: "open"; readonly database: StateDatabase }
  /**
   * The content of the file is unchanged. `said` is the message of SQLite, or the version of the
   * file.
   */
  | { readonly kind: "refused"; readonly why: WhyNotOpened; readonly said: string };

/** The reason why a state file was not opened. */
export type WhyNotOpened =
  | Exclude<SqliteFault, "unknown">
  /** A database of another program. */
  | "foreign"
  /** A folder, a link or a device. */
  | "no-file"
  /** A state file of a version that this Lookout does not read. */
  | "other-version";

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
 * process ends, even after SIGKILL.
 *
 * A refused file is never removed, not even an empty file that this call created. Another process
 * may have opened it.
 *
 * @param installation - the name that a new file gets.
 * @throws the error of SQLite or the system that is not in {@link WhyNotOpened}.
 */
export function openStateFile(path: string, installation: string): OpenedStateFile {
  let sql: DatabaseSync | undefined;
  try {
    makeFile(path);
    sql = new DatabaseSync(path, { timeout: lockTimeoutMs });
    prepareFile(sql, installation);
    return { kind: "open", database: fileDatabase(sql) };
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

function prepareFile(sql: DatabaseSync, installation: string): void {
  // The lock comes first, so that the process holds it from the first read on, and the file needs
  // no shared memory. Exactly one of several concurrent starts gets the lock. Starts that only read
  // at first would all fail.
  sql.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
  const isNew = isEmpty(sql);
  if (!isNew) refuseOthers(sql);
  sql.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  if (isNew) {
    createTables(sql, installation);
    // From now on the file itself has its application id, even if its log is lost.
    sql.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  refuseDamaged(sql);
}

function isEmpty(sql: DatabaseSync): boolean {
  return pragma(sql, "schema_version") === 0 && pragma(sql, "application_id") === 0;
}

function refuseOthers(sql: DatabaseSync): void {
  if (pragma(sql, "application_id") !== applicationId) throw new Refused("foreign", "");
  const version = pragma(sql, "user_version");
  if (version !== fileVersion) throw new Refused("other-version", String(version));
}

/** Throws for a damaged page, which SQLite does not notice when it opens the file. */
function refuseDamaged(sql: DatabaseSync): void {
  const said = pragma(sql, "quick_check(1)");
  if (said !== "ok") throw new Refused("damaged", String(said));
}

function pragma(sql: DatabaseSync, name: string): unknown {
  return Object.values(sql.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}
