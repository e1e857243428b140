import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openScratch, type Ran, type Running, type Scratch } from "#test/docs/shell";

/** A cluster that nobody answers for: the process starts all the same. */
const kubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "away", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "me", user: { token: "none" } }],
  contexts: [{ name: "away", context: { cluster: "away", user: "me" } }],
  "current-context": "away",
});
const patience = 60_000;
const node = process.execPath;

let scratch: Scratch;
beforeAll(() => {
  scratch = openScratch({ kubeconfig });
});
afterAll(() => scratch.close(), patience);

let folders = 0;
/** A state folder that no other test has, and what a start with it is typed as. */
function fresh(): { readonly folder: string; readonly typed: string } {
  folders += 1;
  return at(join(scratch.folder, `state-${folders}`));
}
function at(folder: string): { readonly folder: string; readonly typed: string } {
  const flags = `--kubeconfig kubeconfig --listen 127.0.0.1:0 --output json --data ${folder}`;
  return { folder, typed: `exec ${node} bin/lookout.js start ${flags} 2>&1` };
}

/** Starts until it answers, and stops. */
async function startsAndStops(typed: string): Promise<void> {
  const process = scratch.start(typed);
  await process.says(/"name":"Started"/);
  expect((await process.interrupt()).stdout).toContain("stopping");
}

const files = (folder: string): readonly string[] => readdirSync(folder).sort();

describe("a damaged state file", () => {
  it(
    "is reported at a start with a remedy, and a restored copy works",
    async () => {
      const { folder, typed } = fresh();
      await startsAndStops(typed);
      const state = join(folder, "state.db");
      const copy = readFileSync(state);
      const damages = [Buffer.from("a text that somebody put there"), Buffer.from(copy).fill(7, 4_096)];

      for (const damaged of damages) {
        writeFileSync(state, damaged);
        const { code, stdout } = await scratch.run(typed);

        expect({ code, stdout }).toEqual({
          code: 2,
          stdout: expect.stringMatching(/✗ .*state\.db is damaged, or is not a state file of Lookout: /) as string,
        });
        expect(stdout).toContain("Move ");
        expect(files(folder)).toEqual(["state.db", "token"]);
      }
      writeFileSync(state, copy);
      await startsAndStops(typed);
    },
    patience,
  );
});

describe("a start with an unusable folder", () => {
  it(
    "reports the folder of another user, with a remedy",
    async () => {
      const { folder, typed } = fresh();
      mkdirSync(folder);
      const refused = await asAnotherUser(folder, typed);

      expect(refused).toMatchObject({ code: 2 });
      expect(refused.stdout).toMatch(
        /cannot be used for Lookout's state \(E(ACCES|PERM)\): this user can't write there/,
      );
      expect(refused.stdout).toContain("Name another folder with --data FOLDER, or start as the folder's owner.");
      expect(readdirSync(folder)).toEqual([]);
    },
    patience,
  );

  it(
    "reports a read-only state file, with a remedy",
    async () => {
      const { folder, typed } = fresh();
      await startsAndStops(typed);
      chmodSync(join(folder, "state.db"), 0o400);
      const refused = await asAnotherUser(folder, typed, 0o700);

      expect(refused).toMatchObject({ code: 2 });
      expect(refused.stdout).toMatch(/✗ .*state\.db can't be written \(/);
      expect(refused.stdout).toContain(
        "Make the file writable for this user, start Lookout as the file's owner, or name another",
      );
      expect(files(folder)).toEqual(["state.db", "token"]);
    },
    patience,
  );

  it(
    "reports the state of an earlier version, with a remedy",
    async () => {
      const { folder, typed } = fresh();
      mkdirSync(folder);
      writeFileSync(join(folder, "table.db"), "");
      const refused = await scratch.run(typed);
      await startsAndStops(typed.replace("exec ", `mv ${folder} ${folder}.old && exec `));

      expect(refused).toMatchObject({ code: 2 });
      expect(refused.stdout).toContain(
        "contains table.db, the state of an earlier version, which this version does not read",
      );
      expect(refused.stdout).toContain(`To start anew: mv "${folder}" "${folder}.old"`);
    },
    patience,
  );

  /** The owner of everything may write everywhere: the start then gives up that right. */
  async function asAnotherUser(folder: string, typed: string, mode = 0o500): Promise<Ran> {
    if (process.getuid?.() !== 0) {
      chmodSync(folder, mode);
      return scratch.run(typed);
    }
    chmodSync(scratch.folder, 0o755);
    const capless = "setpriv --bounding-set=-dac_override,-dac_read_search,-fowner --inh-caps=-all";
    if (mode === 0o500) spawnSync("chown", ["65534", folder]);
    chmodSync(folder, mode);
    return scratch.run(typed.replace("exec ", `exec ${capless} `));
  }
});

describe("a start", () => {
  it(
    "on a used port reports the port, and leaves no files",
    async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await new Promise((resolve) => server.once("listening", resolve));
      const address = server.address() as { readonly port: number };
      const { folder, typed } = fresh();

      const refused = await scratch.run(typed.replace("127.0.0.1:0", `127.0.0.1:${address.port}`));

      server.close();
      expect(refused).toMatchObject({ code: 2 });
      expect(refused.stdout).toContain(`127.0.0.1:${address.port} is in use: stop the other server, or choose another`);
      expect(files(folder)).toEqual(["state.db", "token"]);
    },
    patience,
  );
});

describe("a full disk", () => {
  const mounted: string[] = [];
  afterEach(() => {
    for (const place of mounted.splice(0)) spawnSync("umount", ["--lazy", place]);
  });

  /** A disk of three mebibytes; undefined where this user may not mount one. */
  function smallDisk(): string | undefined {
    const place = join(scratch.folder, `disk-${(folders += 1)}`);
    mkdirSync(place);
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", place]).status !== 0) {
      process.stderr.write("\nA full disk is NOT TESTED HERE: this user may not mount a small one\n");
      return undefined;
    }
    mounted.push(place);
    return place;
  }

  function fill(place: string): string {
    const file = join(place, "filling");
    spawnSync("dd", ["if=/dev/zero", `of=${file}`, "bs=1k"]);
    return file;
  }

  it(
    "is reported at a start without any write, and a start with free space works",
    async () => {
      const place = smallDisk();
      if (place === undefined) return;
      const { folder, typed } = at(join(place, "state"));
      const filling = fill(place);

      const refused = await scratch.run(typed);

      expect(refused).toMatchObject({ code: 2 });
      expect(refused.stdout).toContain("cannot be used for Lookout's state (ENOSPC): its disk is full");
      expect(refused.stdout).toContain("Free some space and start again. No data is half-written.");
      expect([files(folder), statSync(join(folder, "state.db")).size]).toEqual([["state.db"], 0]);
      rmSync(filling);
      await startsAndStops(typed);
    },
    patience,
  );

  it(
    "fails new writes, loses no confirmed write, and the process continues with free space",
    async () => {
      const place = smallDisk();
      if (place === undefined) return;
      const { folder, typed } = at(join(place, "state"));
      const lookout: Running = scratch.start(typed);
      await lookout.says(/"name":"Started"/);
      const acknowledged: string[] = [];
      const quarantine = async (digit: string): Promise<Ran> => {
        const digest = `sha256:${digit.repeat(64)}`;
        const ran = await scratch.run(`${node} bin/lookout.js quarantine add ${digest} --why test --data ${folder}`);
        if (ran.code === 0) acknowledged.push(digest);
        return ran;
      };
      expect(await quarantine("1")).toMatchObject({ code: 0 });

      const filling = fill(place);
      expect(await quarantine("2")).toMatchObject({ code: 3 });
      await lookout.says(/"level":"error","message":"[^"]*its disk is full/);
      rmSync(filling);
      await lookout.says(/has free space again/);
      expect(await quarantine("3")).toMatchObject({ code: 0 });
      expect((await lookout.interrupt()).code).toBe(0);

      expect(digestsIn(folder)).toEqual(acknowledged);
      await startsAndStops(typed);
    },
    patience,
  );

  it(
    "fails a backup with the reason, keeps the process, and a backup with free space works",
    async () => {
      const place = smallDisk();
      if (place === undefined) return;
      const { folder, typed } = at(join(place, "state"));
      const lookout: Running = scratch.start(typed);
      await lookout.says(/"name":"Started"/);
      const copy = join(scratch.folder, "copy-of-small-disk.db");
      const backup = (): Promise<Ran> => scratch.run(`${node} bin/lookout.js backup ${copy} --data ${folder}`);

      const filling = fill(place);
      const refused = await backup();
      expect(refused).toMatchObject({ code: 3 });
      expect(refused.stderr).toMatch(
        /✗ Lookout can't copy its state: the disk of \S+ has 0 MiB free, but a copy needs 2 MiB\n/,
      );
      expect(readdirSync(join(folder, "backups"))).toEqual([]);
      rmSync(filling);
      expect(await backup()).toMatchObject({ code: 0 });
      expect((await lookout.interrupt()).code).toBe(0);
    },
    patience,
  );
});

/** What the state file of a stopped Lookout holds, as a person reads it with sqlite3. */
function digestsIn(folder: string): readonly string[] {
  const shell = new DatabaseSync(join(folder, "state.db"), { readOnly: true });
  const rows = shell.prepare("SELECT digest FROM quarantine ORDER BY digest").all();
  shell.close();
  return rows.map(({ digest }) => String(digest));
}

const isLinux = process.platform === "linux";
if (!isLinux) process.stderr.write("\nThe sockets of a process are NOT TESTED HERE: only Linux lists them\n");

describe("a running process", () => {
  it.runIf(isLinux)(
    "listens on one port, and keeps its state in one file that nobody else can open",
    async () => {
      const { folder, typed } = fresh();
      const lookout: Running = scratch.start(typed);
      const started = await lookout.says(/"name":"Started"/);
      const server = JSON.parse(readFileSync(join(folder, "server.json"), "utf8")) as { pid: number; url: string };
      const sockets = listeningSocketsOf(server.pid);
      const second = await scratch.run(typed);
      const shell = new DatabaseSync(join(folder, "state.db"));

      expect(started).toContain(`"folder":"${folder}"`);
      expect(new Set(sockets)).toEqual(new Set([Number(new URL(server.url).port)]));
      expect(second).toMatchObject({ code: 2 });
      expect(second.stdout).toContain(
        `another Lookout uses the folder ${folder}: its server.json names process ${server.pid} at ${server.url}`,
      );
      expect(() => shell.prepare("SELECT * FROM workloads").all()).toThrow("database is locked");
      shell.close();
      await lookout.interrupt();
      expect(files(folder)).toEqual(["state.db", "token"]);
    },
    patience,
  );

  it(
    "that is killed keeps confirmed writes, and frees its folder at once",
    async () => {
      const { folder, typed } = fresh();
      const lookout: Running = scratch.start(typed);
      await lookout.says(/"name":"Started"/);
      const digest = `sha256:${"4".repeat(64)}`;
      const added = await scratch.run(
        `${node} bin/lookout.js quarantine add ${digest} --why test --data ${folder} && kill -9 $(node -p 'require("${folder}/server.json").pid')`,
      );

      expect(added).toMatchObject({ code: 0 });
      await startsAndStops(typed);
      expect(digestsIn(folder)).toEqual([digest]);
    },
    patience,
  );
});

/** The ports that a process listens on, by the kernel's own tables. */
function listeningSocketsOf(pid: number): readonly number[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`)) ?? [];
      return inode === undefined ? [] : [inode];
    }),
  );
  const listening = "0A";
  return ["tcp", "tcp6"]
    .flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, "utf8").trim().split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([, local = "", , state, , , , , , inode = ""]) =>
      state === listening && inodes.has(inode) ? [Number.parseInt(local.split(":")[1] ?? "", 16)] : [],
    );
}

/** A descriptor may be closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
