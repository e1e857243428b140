/**
 * Migrates the state file of the first argument by two steps. The second argument names the step
 * that kills the process: `first`, `second` or `none`.
 */
import type { Migration } from "#adapters/sqlite/schema";
import { openStateFile } from "#adapters/sqlite/state-file";

const [, , path = "", killedIn] = process.argv;
const killing = (name: string, step: Migration): Migration => {
  return (sql) => {
    step(sql);
    if (killedIn === name) process.kill(process.pid, "SIGKILL");
  };
};

console.log("starts");
const opened = openStateFile(path, "abc123", [
  killing("first", (sql) => {
    sql.exec("ALTER TABLE items ADD COLUMN note TEXT");
  }),
  killing("second", (sql) => {
    sql.exec("UPDATE items SET note = 'migrated ' || sk");
  }),
]);
if (opened.kind === "open") opened.database.close();
console.log(opened.kind);
