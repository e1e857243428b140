/** What the thread gets. */
export interface FinishedBackup {
  readonly path: string;
  readonly applicationId: number;
  readonly fileVersion: number;
}

/**
 * Makes a copy one file without a log, and sends the result of its check: `ok`, or the fault. Another
 * thread evaluates the text of this function, because an executable has no file for it. So the
 * function uses nothing outside of itself.
 */
export function finishBackup(): void {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const threads = process.getBuiltinModule("node:worker_threads");
  const { path, applicationId, fileVersion } = threads.workerData as FinishedBackup;
  const sql = new DatabaseSync(path);
  const pragma = (name: string): unknown => Object.values(sql.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  sql.exec("PRAGMA journal_mode = DELETE");
  const isWhole = pragma("application_id") === applicationId && pragma("user_version") === fileVersion;
  const said = isWhole ? pragma("quick_check(1)") : "it is not a state file of this version";
  sql.close();
  threads.parentPort?.postMessage(said);
}
