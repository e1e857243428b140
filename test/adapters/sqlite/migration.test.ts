import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applicationId, fileVersion, firstVersion, type Migration, migrations } from "#adapters/sqlite/schema";
import { type OpenedStateFile, openStateFile } from "#adapters/sqlite/state-file";
import { statePorts } from "#runtime/local/state";
import { deployment, firstRecord, start } from "#test/contracts/records";

let folder: string;
let path: string;
let opened: OpenedStateFile[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lookout-migration-"));
  path = join(folder, "state.db");
  opened = [];
});
afterEach(() => {
  close();
  rmSync(folder, { recursive: true });
});

function open(steps?: readonly Migration[]): OpenedStateFile {
  const file = openStateFile(path, "abc123", steps);
  opened.push(file);
  return file;
}
function close(): void {
  for (const file of opened.splice(0)) if (file.kind === "open") file.database.close();
}

/** The tables of the next version, which only these tests know. */
const notes: Migration = (sql) => {
  sql.exec("ALTER TABLE items ADD COLUMN note TEXT; UPDATE items SET note = 'migrated ' || sk");
};
const next = [...migrations, notes];

/** Makes the file of a released version. The first files of the present version are such files too. */
function released(version: number): void {
  const shell = new DatabaseSync(path);
  shell.exec(
    readFileSync(fileURLToPath(new URL(`../../fixtures/state-files/${version}.sql`, import.meta.url)), "utf8"),
  );
  shell.close();
}

/** Reads a file as a person does with sqlite3. */
function read(file: string, statement: string): readonly unknown[] {
  const shell = new DatabaseSync(file);
  try {
    return shell
      .prepare(statement)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    shell.close();
  }
}
const versionOf = (file: string): unknown => read(file, "PRAGMA user_version");
const names = (): readonly string[] => readdirSync(folder).sort();
/** A killed process leaves the files that SQLite keeps beside the state file. */
const namesWithoutLog = (): readonly string[] => names().filter((name) => !/-(?:shm|wal)$/.test(name));
const versions = Array.from({ length: fileVersion - firstVersion + 1 }, (_, index) => firstVersion + index);

describe("a state file of a released version", () => {
  it.each(versions)("(%i) opens with everything in it, and with the tables of a new file", async (version) => {
    released(version);
    const file = open();
    if (file.kind === "refused") throw new Error(file.said);
    const { store, freezes, quarantine, ledger, changes } = statePorts(file.database);
    const record = firstRecord(deployment("api"));
    const key = "prod/shop/deployment/api";
    const digest = `sha256:${"a".repeat(64)}`;

    expect(await store.installation()).toBe("abc123");
    expect(await store.read(key)).toEqual(record);
    expect(await freezes.list()).toEqual([{ scope: {}, by: "ana", why: "the year ends", at: start }]);
    expect(await quarantine.list()).toEqual([{ digest, by: "ana", why: "CVE-2026-1234", at: start }]);
    expect((await ledger.read(key, 10)).map(({ cause }) => cause)).toEqual(["Wake:1:1"]);
    expect((await changes.take(10)).map((change) => change.record)).toEqual([record]);
    close();
    const form = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
    const withoutSpaces = (rows: readonly unknown[]): string => JSON.stringify(rows).replaceAll(/(?:\\n|\s)+/g, " ");
    const migrated = withoutSpaces(read(path, form));
    rmSync(path);
    open();
    close();
    expect(migrated).toBe(withoutSpaces(read(path, form)));
  });
});

describe("a state file of an older version", () => {
  it("is copied, and then migrated", () => {
    released(fileVersion);
    const file = open(next);
    const copy = `${path}.version-${fileVersion}`;

    expect(file).toMatchObject({ kind: "open", migrated: { from: fileVersion, to: fileVersion + 1, copy } });
    close();
    expect(names()).toEqual(["state.db", `state.db.version-${fileVersion}`]);
    expect([versionOf(path), versionOf(copy)]).toEqual([
      [{ user_version: fileVersion + 1 }],
      [{ user_version: fileVersion }],
    ]);
    expect(read(path, "SELECT note FROM items WHERE pk = 'FREEZE'")).toEqual([{ note: "migrated *" }]);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(open(next)).not.toHaveProperty("migrated");
  });

  it("is usable again as its copy, with the Lookout that wrote it", async () => {
    released(fileVersion);
    open(next);
    close();
    writeFileSync(path, readFileSync(`${path}.version-${fileVersion}`));
    const file = open();
    if (file.kind === "refused") throw new Error(file.said);

    expect(file.migrated).toBeUndefined();
    expect(await statePorts(file.database).freezes.list()).toHaveLength(1);
  });

  it("never replaces an earlier copy, and needs no second copy of the same content", () => {
    const copy = `state.db.version-${fileVersion}`;
    for (let round = 0; round < 2; round += 1) {
      released(fileVersion);
      open(next);
      close();
      rmSync(path);
    }
    expect(names()).toEqual([copy]);

    writeFileSync(join(folder, copy), "the copy of somebody");
    released(fileVersion);
    expect(open(next)).toMatchObject({ migrated: { copy: `${path}.version-${fileVersion}.2` } });
    close();
    expect(readFileSync(join(folder, copy), "utf8")).toBe("the copy of somebody");
    expect(names()).toEqual(["state.db", copy, `${copy}.2`]);
  });

  it("runs all steps from its version on, in their order and in one transaction", () => {
    released(fileVersion);
    const steps: readonly Migration[] = [
      ...next,
      (sql) => {
        sql.exec("UPDATE items SET note = note || ' twice'");
      },
    ];
    open(steps);
    close();

    expect(versionOf(path)).toEqual([{ user_version: fileVersion + 2 }]);
    expect(read(path, "SELECT note FROM items WHERE pk = 'FREEZE'")).toEqual([{ note: "migrated * twice" }]);
  });

  it("that a step can't migrate is refused unchanged, and works with the Lookout that wrote it", () => {
    released(fileVersion);
    const failing: Migration = (sql) => {
      sql.exec("INSERT INTO clock (read_at) VALUES ('noon')");
    };

    expect(open([...next, failing])).toEqual({
      kind: "refused",
      why: "not-migrated",
      said: "cannot store TEXT value in INTEGER column clock.read_at",
    });
    expect(versionOf(path)).toEqual([{ user_version: fileVersion }]);
    expect(open()).toMatchObject({ kind: "open" });
  });

  it("that fills the disk is refused unchanged", () => {
    released(fileVersion);
    const filling: Migration = (sql) => {
      sql.exec(
        "PRAGMA max_page_count = 1; CREATE TABLE filling (text TEXT); INSERT INTO filling VALUES (zeroblob(100000))",
      );
    };

    expect(open([...next, filling])).toMatchObject({ kind: "refused", why: "full" });
    expect(versionOf(path)).toEqual([{ user_version: fileVersion }]);
  });

  it("that is damaged is neither copied nor migrated", () => {
    released(fileVersion);
    writeFileSync(path, readFileSync(path).fill(7, 8_192, 9_000));

    expect(open(next)).toMatchObject({ kind: "refused", why: "damaged" });
    expect(names()).toEqual(["state.db"]);
  });

  it.each([
    { version: 8, why: "former-version" },
    { version: firstVersion - 1, why: "former-version" },
    { version: fileVersion + 1, why: "newer-version" },
  ])("is refused unchanged if its version is $version", ({ version, why }) => {
    const shell = new DatabaseSync(path);
    shell.exec(`CREATE TABLE t (a); PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`);
    shell.close();
    const before = readFileSync(path);

    expect(open()).toEqual({ kind: "refused", why, said: String(version) });
    expect([readFileSync(path).equals(before), names()]).toEqual([true, ["state.db"]]);
  });
});

describe("a migration that is killed", () => {
  const program = fileURLToPath(new URL("migrate-state-file.ts", import.meta.url));
  const run = (killedIn: string) => spawnSync(process.execPath, [program, path, killedIn], { encoding: "utf8" });
  const migrated = "SELECT count(*) AS others FROM items WHERE note IS NOT 'migrated ' || sk";

  it.each(["first", "second"])("in the %s step leaves the old file, and the next start migrates it", (step) => {
    released(firstVersion);
    expect(run(step).signal).toBe("SIGKILL");
    const file = open([]);
    expect(file).toMatchObject({ kind: "open" });
    close();
    expect(versionOf(path)).toEqual([{ user_version: firstVersion }]);

    expect(run("none").stdout).toBe("starts\nopen\n");
    expect(versionOf(path)).toEqual([{ user_version: firstVersion + 2 }]);
    expect(read(path, migrated)).toEqual([{ others: 0 }]);
    expect(namesWithoutLog()).toEqual(["state.db", `state.db.version-${firstVersion}`]);
  });

  it("at any moment leaves a file that the next start migrates, with one whole copy", async () => {
    released(firstVersion);
    const shell = new DatabaseSync(path);
    shell.exec(`
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 40000)
      INSERT INTO items (pk, sk, form, value) SELECT 'FILLING', n, 1, hex(randomblob(200)) FROM numbers`);
    shell.close();
    const rows = read(path, "SELECT count(*) AS count FROM items");
    for (const afterMs of [0, 10, 30, 60, 100, 150, 250]) {
      const child = spawn(process.execPath, [program, path, "none"], { stdio: ["ignore", "pipe", "inherit"] });
      const ended = new Promise((resolve) => child.on("close", resolve));
      await new Promise((resolve) => child.stdout.once("data", resolve));
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      child.kill("SIGKILL");
      await ended;
      expect([[{ user_version: firstVersion }], [{ user_version: firstVersion + 2 }]]).toContainEqual(versionOf(path));
    }

    expect(run("none").stdout).toBe("starts\nopen\n");
    expect(read(path, migrated)).toEqual([{ others: 0 }]);
    const copy = `${path}.version-${firstVersion}`;
    for (const file of [path, copy]) expect(read(file, "SELECT count(*) AS count FROM items")).toEqual(rows);
    expect(read(copy, "PRAGMA quick_check")).toEqual([{ quick_check: "ok" }]);
    expect(namesWithoutLog()).toEqual(["state.db", `state.db.version-${firstVersion}`]);
  }, 60_000);

  it("in the copy leaves a draft that the next start replaces", () => {
    released(firstVersion);
    for (const name of ["state.db.migrating", "state.db.migrating-journal"])
      writeFileSync(join(folder, name), "a part of a copy");
    open(next);
    close();

    expect(namesWithoutLog()).toEqual(["state.db", `state.db.version-${firstVersion}`]);
  });
});
