import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
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

function files(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith("table.db"))
    .sort();
}

const engines = existsSync("node_modules/@dynoxide");
if (!engines) process.stderr.write("\nA damaged table is NOT TESTED HERE: there is no embedded engine\n");

describe.runIf(engines)("a table that is damaged", () => {
  it(
    "is named by a start, outside or inside, with what to do, and a copy that is put back is taken",
    async () => {
      const { folder, typed } = fresh();
      await startsAndStops(typed);
      const table = join(folder, "table.db");
      const copy = readFileSync(table);
      const damages = [Buffer.from("a text that somebody put there"), Buffer.from(copy).fill(7, 4_096)];

      for (const damaged of damages) {
        writeFileSync(table, damaged);
        const { code, stdout } = await scratch.run(typed);

        expect({ code, stdout }).toEqual({
          code: 2,
          stdout: expect.stringMatching(/✗ .*table\.db is damaged, or is not a table of Lookout's: /) as string,
        });
        expect(stdout).toContain("Put a copy of it back, or begin anew: move it away");
        expect(files(folder)).toEqual(["lookout-state.json", "token"]);
      }
      writeFileSync(table, copy);
      await startsAndStops(typed);
    },
    patience,
  );
});

describe("a start with a folder that is not for it", () => {
  it(
    "says that another user's folder is, and what to do",
    async () => {
      const { folder, typed } = fresh();
      mkdirSync(folder);
      const refused = await asAnotherUser(folder, typed);

      expect(refused).toMatchObject({ code: 2 });
      expect(refused.stdout).toMatch(
        /cannot be used for Lookout's state \(E(ACCES|PERM)\): this user may not write there/,
      );
      expect(refused.stdout).toContain("Name another one with --data FOLDER, or start as the user who owns it.");
      expect(readdirSync(folder)).toEqual([]);
    },
    patience,
  );

  /** The owner of everything may write everywhere: the start then gives up that right. */
  async function asAnotherUser(folder: string, typed: string): Promise<Ran> {
    if (process.getuid?.() !== 0) {
      chmodSync(folder, 0o500);
      return scratch.run(typed);
    }
    chmodSync(scratch.folder, 0o755);
    const capless = "setpriv --bounding-set=-dac_override,-dac_read_search,-fowner --inh-caps=-all";
    spawnSync("chown", ["65534", folder]);
    chmodSync(folder, 0o500);
    return scratch.run(typed.replace("exec ", `exec ${capless} `));
  }
});

describe("a start", () => {
  it(
    "on a port that is in use says so, and leaves nothing behind",
    async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await new Promise((resolve) => server.once("listening", resolve));
      const address = server.address() as { readonly port: number };
      const { folder, typed } = fresh();

      const refused = await scratch.run(typed.replace("127.0.0.1:0", `127.0.0.1:${address.port}`));

      server.close();
      expect(refused).toMatchObject({ code: 2 });
      expect(refused.stdout).toContain(
        `127.0.0.1:${address.port} is in use: stop what listens there, or choose another`,
      );
      expect(files(folder)).toEqual(["lookout-state.json", "token"]);
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
    "is named by a start, which leaves nothing half-written, and starts once there is room",
    async () => {
      const place = smallDisk();
      if (place === undefined) return;
      const { folder, typed } = at(join(place, "state"));
      const filling = fill(place);

      const refused = await scratch.run(typed);

      expect(refused).toMatchObject({ code: 2 });
      expect(refused.stdout).toContain("cannot be used for Lookout's state (ENOSPC): its disk is full");
      expect(refused.stdout).toContain("Make room there and start again: nothing is half-written.");
      expect(readdirSync(folder)).toEqual([]);
      rmSync(filling);
      await startsAndStops(typed);
    },
    patience,
  );

  it(
    "is named by a running process, which goes on when there is room again",
    async () => {
      const place = smallDisk();
      if (place === undefined) return;
      const typed = `exec ${node} bin/lookout.js start --listen 127.0.0.1:0 --output json --data ${join(place, "state")} 2>&1`;
      const lookout: Running = scratch.start(typed);
      await lookout.says(/"WorkloadTracked".*"name":"api"/);
      const filling = fill(place);

      const pushed = await scratch.run(`${node} bin/lookout.js push shop/api:1.3.0 --data ${join(place, "state")}`);
      await lookout.says(/"level":"error","message":"[^"]*its disk is full/);
      rmSync(filling);
      await lookout.says(/there is room again for/);

      expect(pushed).toMatchObject({ code: 0 });
      expect((await lookout.interrupt()).code).toBe(0);
    },
    patience,
  );
});
