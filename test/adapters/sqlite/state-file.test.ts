import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StateDatabase } from "#adapters/sqlite/database";
import { applicationId, fileVersion, tables } from "#adapters/sqlite/schema";
import { type OpenedStateFile, openStateFile } from "#adapters/sqlite/state-file";
import { hours, plus } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import { PermanentError, TransientError } from "#ports/errors";
import type { LedgerRow } from "#ports/ledger";
import { statePorts } from "#runtime/local/state";
import { deployment, firstRecord, start } from "#test/contracts/records";

let folder: string;
let path: string;
let databases: StateDatabase[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lookout-state-file-"));
  path = join(folder, "state.db");
  databases = [];
});
afterEach(() => {
  for (const database of databases) database.close();
  rmSync(folder, { recursive: true });
});

function open(): StateDatabase {
  const opened = openStateFile(path, "abc123");
  if (opened.kind === "refused") throw new Error(`${opened.why}: ${opened.said}`);
  databases.push(opened.database);
  return opened.database;
}

function refusal(): OpenedStateFile {
  const opened = openStateFile(path, "abc123");
  if (opened.kind === "open") databases.push(opened.database);
  return opened;
}

const record = firstRecord(deployment("api"));
const key = workloadKey(record.workload);

describe("a state file", () => {
  it("is one file that only its owner reads, and sqlite3 after it is closed", async () => {
    const database = open();
    await statePorts(database).store.write(record);
    database.close();

    expect([readdirSync(folder), statSync(path).mode & 0o777]).toEqual([["state.db"], 0o600]);
    const shell = new DatabaseSync(path, { readOnly: true });
    const [row] = shell.prepare("SELECT key, version, record FROM workloads").all();
    shell.close();
    expect({ ...row, record: JSON.parse(String(row?.["record"])) as unknown }).toEqual({ key, version: 1, record });
  });

  it("is flushed to the disk with each transaction, in a log beside it", () => {
    const { sql } = open();
    const [mode, synchronous] = ["journal_mode", "synchronous"].map((name) => sql.prepare(`PRAGMA ${name}`).get());

    expect([mode, synchronous]).toEqual([{ journal_mode: "wal" }, { synchronous: 2 }]);
    expect(existsSync(`${path}-shm`)).toBe(false);
  });

  it("has the stored items after a restart, but no marker of push coalescing", async () => {
    const api = { registry: "registry.test", repository: "shop/api" };
    const first = open();
    const before = statePorts(first);
    await before.store.write(record);
    await before.freezes.put({ scope: {}, by: "ana", why: "the year ends", at: start });
    expect(await before.pushCoalescing.begin(api, "push-1", start)).toBe("first");
    first.close();
    const after = statePorts(open());

    expect(await after.store.installation()).toBe("abc123");
    expect(await after.store.read(key)).toEqual(record);
    expect((await after.changes.take(10)).map((change) => change.record)).toEqual([record]);
    expect(await after.freezes.list()).toHaveLength(1);
    expect(await after.pushCoalescing.begin(api, "push-2", start)).toBe("first");
  });

  it("refuses a second process, and frees its lock when it is closed", () => {
    const first = open();
    expect(refusal()).toEqual({ kind: "refused", why: "locked", said: "database is locked" });
    first.close();

    expect(refusal().kind).toBe("open");
  });

  it("has its application id from the start, even if its log is lost", () => {
    open();
    const header = readFileSync(path);
    expect([header.readUInt32BE(68), header.readUInt32BE(60)]).toEqual([applicationId, fileVersion]);
  });

  it("of another program without data is refused too", () => {
    const shell = new DatabaseSync(path);
    shell.exec("PRAGMA application_id = 42");
    shell.close();

    expect(refusal()).toEqual({ kind: "refused", why: "foreign", said: "" });
  });

  it.each([
    { place: "a folder", make: () => mkdirSync(path) },
    { place: "a link", make: () => symlinkSync(join(folder, "elsewhere.db"), path) },
  ])("is refused when $place is in its place, and nothing else is created", ({ make }) => {
    make();
    expect([refusal(), readdirSync(folder)]).toEqual([{ kind: "refused", why: "no-file", said: "" }, ["state.db"]]);
  });

  it("of another program is refused unchanged", () => {
    const shell = new DatabaseSync(path);
    shell.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('dear diary')");
    shell.close();
    const before = readFileSync(path);

    expect(refusal()).toEqual({ kind: "refused", why: "foreign", said: "" });
    expect([readFileSync(path).equals(before), readdirSync(folder)]).toEqual([true, ["state.db"]]);
  });

  it.each([
    {
      place: "that is a text",
      damage: () => Buffer.from("a text that somebody put there, long enough for a header ......"),
    },
    { place: "inside", damage: (whole: Buffer) => Buffer.from(whole).fill(7, 4_096) },
    {
      place: "in one page, behind a whole header",
      damage: (whole: Buffer) => Buffer.from(whole).fill(7, 8_192, 9_000),
    },
    { place: "at its end, which is cut off", damage: (whole: Buffer) => whole.subarray(0, whole.length - 5_000) },
  ])("that is damaged $place is refused unchanged", async ({ damage }) => {
    const database = open();
    for (let index = 0; index < 40; index += 1)
      await statePorts(database).store.write(firstRecord(deployment(`app-${String(index)}`)));
    database.close();
    const damaged = damage(readFileSync(path));
    writeFileSync(path, damaged);

    expect(refusal()).toMatchObject({ kind: "refused", why: "damaged" });
    expect(readFileSync(path).equals(damaged)).toBe(true);
  });

  it("with a damaged page fails each read of the page, and reports the damage once", async () => {
    const database = open();
    const { store } = statePorts(database);
    for (let index = 0; index < 400; index += 1) await store.write(firstRecord(deployment(`app-${String(index)}`)));
    database.sql.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const damaged = readFileSync(path).fill(7, 4_096);
    writeFileSync(path, damaged);
    database.sql.exec("PRAGMA shrink_memory");

    await expect(store.workloadIndex("prod")).rejects.toThrow(TransientError);
    await expect(store.workloadIndex("prod")).rejects.toThrow(
      "the state file failed while listing the workloads of prod: database disk image is malformed",
    );
    expect(await database.damaged).toBe("database disk image is malformed");
  });

  it("reports the damage also on a write", async () => {
    const database = open();
    const { store } = statePorts(database);
    for (let index = 0; index < 400; index += 1) await store.write(firstRecord(deployment(`app-${String(index)}`)));
    database.sql.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    writeFileSync(path, readFileSync(path).fill(7, 4_096));
    database.sql.exec("PRAGMA shrink_memory");

    await expect(store.write(record)).rejects.toThrow(TransientError);
    expect(await database.damaged).toBe("database disk image is malformed");
  });

  it("has a version that each change of a table or of a record raises", () => {
    const form = createHash("sha256").update(tables.replace(/\s+/g, " ")).digest("hex").slice(0, 8);
    // When this fails: add a step to `migrations`, a file to test/fixtures/state-files, and write the new form here.
    expect({ fileVersion, form }).toEqual({ fileVersion: 12, form: "105b49a2" });
  });
});

describe("an item that was stored by hand", () => {
  it("as a record without JSON or schema is rejected", async () => {
    const database = open();
    const { store } = statePorts(database);
    await store.write(record);
    for (const [text, says] of [
      ["{", `WORKLOAD#${key}, WORKLOAD is damaged: it is no JSON`],
      ["{}", 'is damaged: its member "workload" is missing'],
    ] as const) {
      database.sql.prepare("UPDATE items SET value = ? WHERE sk = 'WORKLOAD'").run(text);
      await expect(store.read(key)).rejects.toThrow(says);
      await expect(store.read(key)).rejects.toThrow(PermanentError);
      expect(await store.readMany([key])).toEqual([]);
    }
  });

  it("as a record of a newer form waits for the newer Lookout", async () => {
    const database = open();
    const { store } = statePorts(database);
    await store.write(record);
    database.sql.prepare("UPDATE items SET form = 2 WHERE sk = 'WORKLOAD'").run();

    await expect(store.read(key)).rejects.toThrow(TransientError);
  });
});

describe("expired rows", () => {
  const row = (version: number, at = start): LedgerRow => ({
    ...{ workload: key, uid: "uid-1", seq: 1, version, at, cause: "Wake:1:1" },
    transition: { seq: 1, what: "held", reasons: [], changes: [] },
  });
  const days = (count: number) => hours(24 * count);

  it("of the ledger are deleted a day after their 400 days, and those of the future stay", async () => {
    const { ledger, expire } = statePorts(open());
    await ledger.append([row(1), row(2, plus(start, days(30))), row(3, plus(start, days(900)))]);
    const left = async (after: number) => {
      await expire(plus(start, days(after)));
      return (await ledger.read(key, 10)).map(({ version }) => version);
    };

    expect(await left(400.5)).toEqual([3, 2, 1]);
    expect(await left(401.5)).toEqual([3, 2]);
  });

  it("of synthetic pushes are deleted", async () => {
    const { probeResults, expire } = statePorts(open());
    await probeResults.put("one", start);
    await expire(plus(start, hours(2)));
    await expire(plus(start, hours(26)));

    expect(await probeResults.read("one")).toBeUndefined();
  });
});

describe("the writes of one turn of the event loop", () => {
  const records = ["api", "web", "worker"].map((name) => firstRecord(deployment(name)));
  const stored = async (database: StateDatabase) => (await statePorts(database).store.workloadIndex("prod")).length;

  it("succeed or fail one by one: a failed write leaves nothing", async () => {
    const database = open();
    database.sql.exec(`
      CREATE TEMP TRIGGER refuse AFTER INSERT ON main.outbox WHEN new.value ->> '$.workload.name' = 'web'
      BEGIN SELECT RAISE(ABORT, 'not this one'); END`);
    const { store, changes } = statePorts(database);
    const outcomes = await Promise.allSettled(records.map((each) => store.write(each)));

    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({
      reason: new TransientError(
        "the state file failed while writing version 1 of the record of prod/shop/deployment/web: not this one",
      ),
    });
    expect(await store.workloadIndex("prod")).toEqual(["prod/shop/deployment/api", "prod/shop/deployment/worker"]);
    expect((await changes.take(10)).map((change) => change.record)).toEqual([records[0], records[2]]);
  });

  it("all fail on a full disk, and all succeed once there is room", async () => {
    const database = open();
    const { store } = statePorts(database);
    const large = records.map((each) => ({
      ...each,
      selectionFailures: [{ container: "app", reason: "problem-in-settings" as const, detail: "é".repeat(40_000) }],
    }));
    const pages = Number(Object.values(database.sql.prepare("PRAGMA page_count").get() ?? {})[0]);
    database.sql.exec(`PRAGMA max_page_count = ${String(pages + 5)}`);
    const outcomes = await Promise.allSettled(large.map((each) => store.write(each)));

    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(outcomes.map((outcome) => outcome.status === "rejected" && String(outcome.reason))).toEqual(
      Array<unknown>(3).fill(expect.stringContaining("database or disk is full")),
    );
    expect(await stored(database)).toBe(0);

    database.sql.exec("PRAGMA max_page_count = 1000000");
    await Promise.all(large.map((each) => store.write(each)));
    expect(await stored(database)).toBe(3);
  });

  it("all fail if the transaction fails", async () => {
    const database = open();
    database.sql.exec(`
      PRAGMA foreign_keys = ON;
      CREATE TABLE parent (id INTEGER PRIMARY KEY) STRICT;
      CREATE TABLE child (id INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED) STRICT;
      CREATE TRIGGER refuse AFTER INSERT ON outbox BEGIN INSERT INTO child VALUES (1); END`);
    const { store } = statePorts(database);
    const outcomes = await Promise.allSettled(records.map((each) => store.write(each)));

    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    database.sql.exec("DROP TRIGGER refuse");
    expect(await stored(database)).toBe(0);
    await Promise.all(records.map((each) => store.write(each)));
    expect(await stored(database)).toBe(3);
  });

  it("are answered after they are on the disk", async () => {
    const database = open();
    const { store } = statePorts(database);
    let answered = 0;
    const writing = records.map((each) => store.write(each).then(() => (answered += 1)));
    await Promise.resolve();
    expect([answered, await stored(database)]).toEqual([0, 0]);
    await Promise.all(writing);

    expect([answered, await stored(database)]).toEqual([3, 3]);
  });
});
