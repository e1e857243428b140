import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StateDatabase } from "#adapters/sqlite/database";
import { applicationId, fileVersion } from "#adapters/sqlite/schema";
import { openStateFile } from "#adapters/sqlite/state-file";
import { type EpochMs, hours, plus, seconds } from "#domain/shared/time";
import { backupGauges, type Backups, openBackups } from "#runtime/local/backups";
import { newMemoryDatabase, statePorts } from "#runtime/local/state";
import { deployment, firstRecord, start } from "#test/contracts/records";

let folder: string;
let now: EpochMs;
let database: StateDatabase;
let backups: Backups;
const clock = { now: () => now };
const daily = { every: hours(24), keep: 2 };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lookout-backups-"));
  now = start;
  database = open(join(folder, "state.db"));
  backups = openBackups(database, folder, clock);
});
afterEach(async () => {
  await backups.stop();
  database.close();
  await rm(folder, { recursive: true });
});

function open(path: string): StateDatabase {
  const opened = openStateFile(path, "abc123");
  if (opened.kind === "refused") throw new Error(`${opened.why}: ${opened.said}`);
  return opened.database;
}
const copies = async (): Promise<readonly string[]> => (await readdir(join(folder, "backups"))).sort();
const workloadsIn = (path: string): readonly unknown[] => {
  const shell = new DatabaseSync(path, { readOnly: true });
  try {
    return shell
      .prepare("SELECT key FROM workloads ORDER BY key")
      .all()
      .map(({ key }) => key);
  } finally {
    shell.close();
  }
};

/** Reads a copy to its end, into a file. */
async function readInto(path: string, from = backups): Promise<number> {
  const { bytes, content } = await from.read();
  await writeFile(path, content);
  return bytes;
}

describe("a copy of the state", () => {
  it("is a whole state file with every confirmed write, while the process writes on", async () => {
    const { store } = statePorts(database);
    const filling = database.sql.prepare(
      "INSERT INTO items (pk, sk, form, value) VALUES ('FILLING', ?, 1, randomblob(2000))",
    );
    await database.write("filling", () => {
      for (let index = 0; index < 5_000; index += 1) filling.run(String(index));
    });
    const confirmed = Array.from({ length: 20 }, (_, index) => firstRecord(deployment(`app-${index + 10}`)));
    await Promise.all(confirmed.map((record) => store.write(record)));
    const done = new AbortController();
    let written = 0;
    const writing = (async () => {
      for (; !done.signal.aborted; written += 1) await store.write(firstRecord(deployment(`late-${written}`)));
    })();
    const path = join(folder, "copy.db");
    const bytes = await readInto(path);
    done.abort();
    await writing;

    const keys = workloadsIn(path).map(String);
    expect(written).toBeGreaterThan(0);
    expect(keys.filter((key) => key.includes("/app-"))).toEqual(
      confirmed.map(({ workload }) => `prod/shop/deployment/${workload.name}`),
    );
    expect((await stat(path)).size).toBe(bytes);
    const shell = new DatabaseSync(path, { readOnly: true });
    const read = (name: string): unknown => Object.values(shell.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect(["application_id", "user_version", "journal_mode", "quick_check"].map(read)).toEqual([
      applicationId,
      fileVersion,
      "delete",
      "ok",
    ]);
    shell.close();
    const restored = open(path);
    expect(await statePorts(restored).store.installation()).toBe("abc123");
    restored.close();
    // Each read ends with its file.
    expect(await copies()).toEqual([]);
  });

  it("can be made of a state in memory, as of the demo", async () => {
    const memory = newMemoryDatabase();
    await statePorts(memory).store.write(firstRecord(deployment("api")));
    await readInto(join(folder, "copy.db"), openBackups(memory, folder, clock));
    memory.close();

    expect(workloadsIn(join(folder, "copy.db"))).toEqual(["prod/shop/deployment/api"]);
  });

  it("begins also beside a process that writes all the time", async () => {
    const up = database.sql.prepare("INSERT OR REPLACE INTO clock (rowid, read_at) VALUES (1, ?)");
    let running = true;
    const write = (): void => {
      if (!running) return;
      database.sql.exec("BEGIN IMMEDIATE");
      for (let index = 0; index < 500; index += 1) up.run(index);
      database.sql.exec("COMMIT");
      setImmediate(write);
    };
    write();
    for (let index = 0; index < 5; index += 1) await readInto(join(folder, "copy.db"));
    running = false;

    expect(workloadsIn(join(folder, "copy.db"))).toEqual([]);
  });

  it("of a damaged state is refused, and no file remains", async () => {
    const { store } = statePorts(database);
    for (let index = 0; index < 400; index += 1) await store.write(firstRecord(deployment(`app-${index}`)));
    database.sql.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const path = join(folder, "state.db");
    const whole = await readFile(path);
    await writeFile(path, whole.fill(7, whole.length - 40_000, whole.length - 20_000));
    database.sql.exec("PRAGMA shrink_memory");

    await expect(backups.read()).rejects.toThrow("the copy of the state is damaged: ");
    expect(await copies()).toEqual([]);
  });

  it("is not made after a stop", async () => {
    await backups.stop();

    await expect(backups.read()).rejects.toThrow("Lookout stops");
    await expect(backups.copyIfDue(daily)).resolves.toBeUndefined();
    expect(await readdir(folder)).not.toContain("backups");
  });

  it("ends at a stop, and leaves no file", async () => {
    const filling = database.sql.prepare(
      "INSERT INTO items (pk, sk, form, value) VALUES ('FILLING', ?, 1, randomblob(2000))",
    );
    await database.write("filling", () => {
      for (let index = 0; index < 20_000; index += 1) filling.run(String(index));
    });
    const copying = backups.read();
    const ended = expect(copying).rejects.toThrow("Lookout stops");
    while (!(await readdir(folder)).includes("backups") || (await copies()).length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    await backups.stop();
    database.close();

    await ended;
    expect(await copies()).toEqual([]);
  });
});

describe("scheduled copies", () => {
  it("are made at once, and then after each interval, also by the next process", async () => {
    await backups.copyIfDue(daily);
    now = plus(start, hours(23.9));
    await openBackups(database, folder, clock).copyIfDue(daily);
    expect(await copies()).toEqual(["state-20260301T000000Z.db"]);
    now = plus(start, hours(24));
    await openBackups(database, folder, clock).copyIfDue(daily);

    expect(await copies()).toEqual(["state-20260301T000000Z.db", "state-20260302T000000Z.db"]);
    expect((await stat(join(folder, "backups"))).mode & 0o777).toBe(0o700);
    for (const name of await copies()) expect((await stat(join(folder, "backups", name))).mode & 0o777).toBe(0o600);
  });

  it("keep the newest ones, and delete no other file", async () => {
    await mkdir(join(folder, "backups"));
    const others = ["notes.txt", "state-20250101T000000Z.db.gz", "state-20991231T000000Z.db"];
    for (const name of others) await writeFile(join(folder, "backups", name), "mine");
    for (let day = 0; day < 4; day += 1) {
      now = plus(start, hours(24 * day));
      await backups.copyIfDue(daily);
    }

    expect(await copies()).toEqual([...others, "state-20260303T000000Z.db", "state-20260304T000000Z.db"].toSorted());
  });

  it("need no draft of a killed process, which the next start removes", async () => {
    await mkdir(join(folder, "backups"));
    const draft = "draft.0b7d1f6e-6a39-4c1e-9c0b-111111111111";
    for (const name of [draft, `${draft}-journal`]) await writeFile(join(folder, "backups", name), "half a copy");
    const next = openBackups(database, folder, clock);
    await next.stop();

    expect(await copies()).toEqual([]);
  });

  it("that fail keep the earlier copies, say why, and are tried again an hour later", async () => {
    await backups.copyIfDue(daily);
    expect(backups.outcome()).toEqual({ newestAt: start });
    now = plus(start, hours(24));
    const failure = { at: now, detail: expect.stringContaining("ENOTDIR") as string };
    await rm(join(folder, "backups"), { recursive: true });
    await writeFile(join(folder, "backups"), "a file in the folder's place");
    await expect(backups.copyIfDue(daily)).rejects.toThrow("ENOTDIR");
    expect(backups.outcome()).toEqual({
      newestAt: start,
      failure,
    });
    await rm(join(folder, "backups"));
    now = plus(now, seconds(3_599));
    await backups.copyIfDue(daily);
    expect(await readdir(folder)).not.toContain("backups");
    now = plus(now, seconds(1));
    await backups.copyIfDue(daily);

    expect(await copies()).toEqual(["state-20260302T010000Z.db"]);
    expect(backups.outcome()).toEqual({ newestAt: now });
  });

  it("appear as gauges", () => {
    expect(backupGauges({})).toBe("# TYPE lookout_backup_failed gauge\nlookout_backup_failed 0\n");
    expect(backupGauges({ newestAt: start, failure: { at: start, detail: "full" } })).toBe(
      "# TYPE lookout_backup_newest_timestamp_seconds gauge\nlookout_backup_newest_timestamp_seconds 1772323200\n" +
        "# TYPE lookout_backup_failed gauge\nlookout_backup_failed 1\n",
    );
  });
});
