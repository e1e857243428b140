/** The thread that makes a copy one file without a log, and sends the result of its check: `ok`, or the fault. */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { applicationId, fileVersion } from "./schema.ts";

const sql = new DatabaseSync(String(workerData));
const pragma = (name: string): unknown => Object.values(sql.prepare(`PRAGMA ${name}`).get() ?? {})[0];
sql.exec("PRAGMA journal_mode = DELETE");
const isWhole = pragma("application_id") === applicationId && pragma("user_version") === fileVersion;
const said = isWhole ? pragma("quick_check(1)") : "it is not a state file of this version";
sql.close();
parentPort?.postMessage(said);
