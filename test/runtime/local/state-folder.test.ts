import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PermanentError } from "#ports/errors";
import { identifyProcess } from "#runtime/local/process-identity";
import { openStateFolder, stateFiles } from "#runtime/local/state-folder";

const port = 8_080;
let root: string;
let dir: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "lookout-state-"));
  dir = join(root, "deep", "state");
});
afterEach(() => rm(root, { recursive: true, force: true }));

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const lockOf = async (content: unknown): Promise<void> => {
  const folder = await openStateFolder(dir, port);
  await folder.release();
  await writeFile(join(dir, stateFiles.lock), typeof content === "string" ? content : JSON.stringify(content));
};

describe("a state folder", () => {
  it("is made for its owner only", async () => {
    const folder = await openStateFolder(dir, port);
    expect(folder.path).toBe(dir);
    expect(await modeOf(dir)).toBe(0o700);
    expect(await modeOf(join(dir, stateFiles.token))).toBe(0o600);
    expect(JSON.parse(await readFile(join(dir, stateFiles.marker), "utf8"))).toEqual({ program: "lookout", schema: 4 });
    await folder.release();
  });

  it("keeps its token from start to start", async () => {
    const first = await openStateFolder(dir, port);
    await first.release();
    const second = await openStateFolder(dir, port);
    expect(first.token).toMatch(/^[\w-]{43}$/);
    expect(second.token).toBe(first.token);
    await second.release();
  });

  it("replaces a token that others could read", async () => {
    const first = await openStateFolder(dir, port);
    await first.release();
    await chmod(join(dir, stateFiles.token), 0o644);
    const second = await openStateFolder(dir, port);
    expect(second.token).not.toBe(first.token);
    expect(await modeOf(join(dir, stateFiles.token))).toBe(0o600);
    await second.release();
  });

  it("makes a new token in the place of garbage, whole", async () => {
    const first = await openStateFolder(dir, port);
    await first.release();
    await writeFile(join(dir, stateFiles.token), Buffer.from([0, 255, 17, 3]));
    const second = await openStateFolder(dir, port);
    expect(await readFile(join(dir, stateFiles.token), "utf8")).toBe(`${second.token}\n`);
    expect(second.token).toMatch(/^[\w-]{43}$/);
    await second.release();
  });

  it("that can't be used because of one file is given up again", async () => {
    const first = await openStateFolder(dir, port);
    await first.release();
    await rm(join(dir, stateFiles.token));
    await mkdir(join(dir, stateFiles.token));
    await expect(openStateFolder(dir, port)).rejects.toThrow(
      "(EISDIR): a folder is where Lookout keeps a file\nName another one with --data FOLDER.",
    );
    expect((await readdir(dir)).sort()).toEqual([stateFiles.marker, stateFiles.token].sort());
  });

  it("says where the server answers for as long as it is held", async () => {
    const folder = await openStateFolder(dir, port);
    await folder.announce("http://127.0.0.1:8080");
    expect(JSON.parse(await readFile(join(dir, stateFiles.server), "utf8"))).toEqual({
      url: "http://127.0.0.1:8080",
      pid: process.pid,
    });
    await folder.release();
    await folder.release();
    expect((await readdir(dir)).sort()).toEqual([stateFiles.marker, stateFiles.token].sort());
  });

  it.each([
    { holds: "notes.txt", content: "dear diary", because: "it is someone's folder", says: /holds notes.txt and no/ },
    { holds: stateFiles.marker, content: "{", because: "the marker is damaged", says: /damaged or something else's/ },
    {
      holds: stateFiles.marker,
      content: '{"program":"other","schema":1}',
      because: "of another program",
      says: /else's/,
    },
    {
      holds: stateFiles.marker,
      content: '{"program":"lookout","schema":5}',
      because: "of a newer Lookout",
      says: /says schema 5, and this Lookout reads 1 to 4: run the version that wrote it, or name another folder/,
    },
  ])("is refused and left as it is: $because", async ({ holds, content, says }) => {
    await mkdir(dir, { recursive: true, mode: 0o755 });
    await writeFile(join(dir, holds), content);
    await expect(openStateFolder(dir, port)).rejects.toThrow(says);
    await expect(openStateFolder(dir, port)).rejects.toThrow(PermanentError);
    expect(await readdir(dir)).toEqual([holds]);
    expect(await modeOf(dir)).toBe(0o755);
  });

  it("of the Lookout before is read, and from then on refused by that one", async () => {
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, stateFiles.marker), '{"program":"lookout","schema":1}');
    const folder = await openStateFolder(dir, port);
    await folder.release();
    expect(JSON.parse(await readFile(join(dir, stateFiles.marker), "utf8"))).toEqual({ program: "lookout", schema: 4 });
  });

  it("is refused when it is a file", async () => {
    await writeFile(join(root, "file"), "");
    await expect(openStateFolder(join(root, "file"), port)).rejects.toThrow(/file cannot be used .*\(EEXIST\)/);
  });
});

describe("the lock of a state folder", () => {
  it("is held against a second Lookout, which is told how to go on", async () => {
    const folder = await openStateFolder(dir, port);
    const pid = String(process.pid);
    await expect(openStateFolder(dir, 9_090)).rejects.toThrow(
      new PermanentError(
        `another Lookout uses this folder: process ${pid}, port 8080, by the lock ${join(dir, "lock")}. ` +
          `Stop it with "kill ${pid}", or start this one with another folder`,
      ),
    );
    await folder.release();
    await (await openStateFolder(dir, 9_090)).release();
  });

  it("is taken by one of many that start at once", async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => openStateFolder(dir, port)));
    const open = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    expect(open).toHaveLength(1);
    await open[0]!.release();
  });

  it("is taken over from a process that is dead", async () => {
    const dead = spawn(process.execPath, ["--version"], { stdio: "ignore" });
    await once(dead, "exit");
    await lockOf({ pid: dead.pid, port });
    await (await openStateFolder(dir, port)).release();
  });

  it("is taken over when the process of that number is another one", async () => {
    const parent = (await identifyProcess(process.ppid))!;
    await lockOf({ ...parent, started: "an earlier boot 1", port });
    // Where the system does not tell when a process started, its number has to do.
    if (parent.started === undefined) await expect(openStateFolder(dir, port)).rejects.toThrow("another Lookout");
    else await (await openStateFolder(dir, port)).release();
  });

  it("is respected when the process of that number can't be told from the one that wrote it", async () => {
    await lockOf({ pid: process.ppid, port });
    await expect(openStateFolder(dir, port)).rejects.toThrow(`process ${String(process.ppid)}, port 8080`);
  });

  it.each(["", "{}", '{"pid":-1,"port":1}', "12345"])(
    "that Lookout did not write (%s) is left to a person",
    async (text) => {
      await lockOf(text);
      await expect(openStateFolder(dir, port)).rejects.toThrow(/is not one that Lookout wrote: remove it/);
      expect(await readFile(join(dir, stateFiles.lock), "utf8")).toBe(text);
    },
  );
});
