import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileVersion } from "#adapters/sqlite/schema";
import { PermanentError } from "#ports/errors";
import { statePorts } from "#runtime/local/state";
import { stateFiles } from "#runtime/local/state-files";
import { openStateFolder, type StateFolder } from "#runtime/local/state-folder";

let root: string;
let dir: string;
let open: StateFolder[];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "lookout-state-"));
  dir = join(root, "deep", "state");
  open = [];
});
afterEach(async () => {
  for (const folder of open) await folder.release();
  await rm(root, { recursive: true, force: true });
});

const opened = async (): Promise<StateFolder> => {
  const folder = await openStateFolder(dir);
  open.push(folder);
  return folder;
};
const closed = async (): Promise<StateFolder> => {
  const folder = await opened();
  await folder.release();
  return folder;
};
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const file = (name: keyof typeof stateFiles): string => join(dir, stateFiles[name]);
const names = async (): Promise<readonly string[]> => (await readdir(dir)).sort();

describe("a state folder", () => {
  it("is readable only for its owner, with every file in it", async () => {
    const folder = await opened();
    await folder.announce("http://127.0.0.1:8080");

    expect(folder.path).toBe(dir);
    expect(await modeOf(dir)).toBe(0o700);
    const files = await names();
    expect(files).toEqual(["server.json", "state.db", "state.db-wal", "token"]);
    for (const name of files) expect([name, await modeOf(join(dir, name))]).toEqual([name, 0o600]);
  });

  it("keeps its token and the name of the installation", async () => {
    const nameOf = ({ database }: StateFolder) => statePorts(database).store.installation();
    const first = await opened();
    const name = await nameOf(first);
    await first.release();
    const second = await opened();

    expect(first.token).toMatch(/^[\w-]{43}$/);
    expect(second.token).toBe(first.token);
    expect(name).toMatch(/^[a-z0-9]{6}$/);
    expect(await nameOf(second)).toBe(name);
  });

  it("that other users could read is closed to them, with the state file", async () => {
    await closed();
    await chmod(dir, 0o755);
    await chmod(file("state"), 0o644);
    await opened();

    expect([await modeOf(dir), await modeOf(file("state")), await modeOf(`${file("state")}-wal`)]).toEqual([
      0o700, 0o600, 0o600,
    ]);
  });

  it("replaces a token that others could read", async () => {
    const first = await closed();
    await chmod(file("token"), 0o644);
    const second = await opened();

    expect(second.token).not.toBe(first.token);
    expect(await modeOf(file("token"))).toBe(0o600);
  });

  it("replaces an invalid token by a new token", async () => {
    await closed();
    await writeFile(file("token"), Buffer.from([0, 255, 17, 3]));
    const second = await opened();

    expect(await readFile(file("token"), "utf8")).toBe(`${second.token}\n`);
    expect(second.token).toMatch(/^[\w-]{43}$/);
  });

  it("is released when one of its files is unusable", async () => {
    await closed();
    await rm(file("token"));
    await mkdir(file("token"));
    await expect(openStateFolder(dir)).rejects.toThrow(
      "(EISDIR): a folder has the name of one of Lookout's files\nName another folder with --data FOLDER.",
    );
    await rm(file("token"), { recursive: true });

    expect(await names()).toEqual(["state.db"]);
    await opened();
  });

  it("has the server's address while it is in use", async () => {
    const folder = await opened();
    await folder.announce("http://127.0.0.1:8080");
    expect(JSON.parse(await readFile(file("server"), "utf8"))).toEqual({
      url: "http://127.0.0.1:8080",
      pid: process.pid,
    });
    await folder.release();
    await folder.release();

    expect(await names()).toEqual(["state.db", "token"]);
  });

  it("of a killed start is used again: drafts, probes and an empty state file are Lookout's", async () => {
    await mkdir(dir, { recursive: true });
    for (const name of ["state.db", "probe.1", "token.2", "server.json.3"]) await writeFile(join(dir, name), "");

    await opened();
  });

  it.each([
    {
      holds: "notes.txt",
      because: "it is someone's folder",
      says: "is not a state folder, because it contains notes.txt; name an empty or a new folder with --data FOLDER",
    },
    {
      holds: "table.db",
      because: "an earlier Lookout kept its state there in an embedded engine",
      says:
        'contains table.db, the state of an earlier version, which this version does not read\nTo start anew: mv "DIR" "DIR.old", ' +
        "or name another folder with --data FOLDER.\nWithout the file, Lookout tracks every workload from the start and changes none. Holds, votes, blocked " +
        "digests, the quarantine, freezes and the history are lost.",
    },
    {
      holds: "lookout-state.json",
      because: "the same, before its engine ran",
      says: "the state of an earlier version",
    },
  ])("is refused unchanged: $because", async ({ holds, says }) => {
    await mkdir(dir, { recursive: true, mode: 0o755 });
    await writeFile(join(dir, holds), "dear diary");

    await expect(openStateFolder(dir)).rejects.toThrow(says.replaceAll("DIR", (text) => text.replace("DIR", dir)));
    await expect(openStateFolder(dir)).rejects.toThrow(PermanentError);
    expect(await readdir(dir)).toEqual([holds]);
    expect(await modeOf(dir)).toBe(0o755);
  });

  it.each([
    {
      version: 11,
      says:
        "FILE has version 11, from a Lookout before the first release; this Lookout reads versions from 12 on\n" +
        'Run that earlier Lookout until no update is open, and stop it. Keep its folder: mv "DIR" "DIR.old". ' +
        "Then start this Lookout, or name another folder with --data FOLDER. Lookout finds the workloads again.\n" +
        "Without the file, Lookout tracks every workload from the start and changes none. Holds, votes, blocked " +
        "digests, the quarantine, freezes and the history are lost.",
    },
    {
      version: fileVersion + 1,
      says:
        `FILE has version ${fileVersion + 1}, from a newer Lookout; this Lookout reads versions up to ${fileVersion}\n` +
        "Run the newer Lookout, or name another folder with --data FOLDER. To go back to this Lookout, move FILE and FILE-* away. " +
        `Then put the copy from before the migration in its place, such as FILE.version-${fileVersion}. Later changes are lost.`,
    },
  ])("with a state file of version $version is refused, with a remedy", async ({ version, says }) => {
    await closed();
    const shell = new DatabaseSync(file("state"));
    shell.exec(`PRAGMA user_version = ${version}`);
    shell.close();

    await expect(openStateFolder(dir)).rejects.toThrow(
      new PermanentError(says.replaceAll("FILE", file("state")).replaceAll("DIR", dir)),
    );
  });

  it("is refused when it is a file", async () => {
    await writeFile(join(root, "file"), "");
    await expect(openStateFolder(join(root, "file"))).rejects.toThrow(/file cannot be used .*\(EEXIST\)/);
  });
});

describe("a state folder that is in use", () => {
  it("is refused to a second Lookout, with the process and a remedy", async () => {
    const folder = await opened();
    await folder.announce("http://127.0.0.1:8080");
    const pid = String(process.pid);

    await expect(openStateFolder(dir)).rejects.toThrow(
      new PermanentError(
        `another Lookout uses the folder ${dir}: its server.json names process ${pid} at http://127.0.0.1:8080\n` +
          "Stop that process, or name another folder with --data FOLDER. A process in another container has the number of that container.",
      ),
    );
    await folder.release();
    await opened();
  });

  it("is refused while another program has the state file open", async () => {
    await closed();
    const shell = new DatabaseSync(file("state"));
    shell.exec("BEGIN IMMEDIATE");
    await expect(openStateFolder(dir)).rejects.toThrow(
      `another process has ${file("state")} open: a Lookout that starts or stops, or sqlite3\n` +
        "End that process, or name another folder with --data FOLDER.",
    );
    shell.close();

    await opened();
  });

  it("keeps the files of its process when a second start is refused", async () => {
    const opener = fileURLToPath(new URL("./open-state-file.ts", import.meta.url));
    const starts = Array.from({ length: 4 }, () =>
      spawn(process.execPath, [opener], { stdio: ["pipe", "pipe", "inherit"] }),
    );
    const open: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      const place = join(root, `round-${round}`);
      await mkdir(place);
      const at = String(Date.now() + (round === 0 ? 700 : 50));
      for (const { stdin } of starts) stdin.write(`${at}\t${join(place, "state.db")}\n`);
      const said = await Promise.all(starts.map(async ({ stdout }) => String((await once(stdout, "data"))[0]).trim()));
      // On a machine where a start stands still for half a second, all four may be refused.
      const won = said.filter((one) => one !== "locked");
      expect(won.length).toBeLessThanOrEqual(1);
      open.push(...won);
    }
    for (const { stdin } of starts) stdin.end();

    expect(new Set(open)).toEqual(new Set(["open, and state.db is there"]));
  }, 60_000);

  it("keeps the server.json of the next process after a second release", async () => {
    const first = await opened();
    await first.release();
    const second = await opened();
    await second.announce("http://127.0.0.1:8081");
    await first.release();

    expect(await names()).toContain("server.json");
  });
});
