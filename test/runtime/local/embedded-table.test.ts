import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DynamoTable, dynamoClient } from "#adapters/dynamodb/client";
import { ensureDynamoTable } from "#adapters/dynamodb/table";
import { dynamoWorkloadStore } from "#adapters/dynamodb/workload-store";
import { workloadKey } from "#domain/workload";
import { PermanentError } from "#ports/errors";
import { type EmbeddedTable, type RunningTable, startEmbeddedTable } from "#runtime/local/embedded-table";
import { identifyProcess } from "#runtime/local/process-identity";
import { stateFiles } from "#runtime/local/state-folder";
import { deployment, firstRecord } from "#test/contracts/records";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "lookout-embedded-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const probe = await findOutWhetherItRuns();

describe("an embedded table that is not installed", () => {
  it("is said to be unavailable, and why", async () => {
    expect(await startEmbeddedTable({ dir, binary: join(dir, "none") })).toEqual({
      kind: "unavailable",
      why: `there is no embedded table for ${process.platform}-${process.arch}: ${join(dir, "none")} is not installed`,
    });
  });
});

describe("a program that is no engine", () => {
  it("is reported with its last words", async () => {
    const binary = join(dir, "broken");
    await writeFile(binary, "#!/bin/sh\necho 'the disk is on fire' >&2\nexit 3\n");
    await chmod(binary, 0o755);
    const starting = startEmbeddedTable({ dir, binary });
    await expect(starting).rejects.toThrow(PermanentError);
    await expect(starting).rejects.toThrow(/did not start with .*table\.db: the disk is on fire/);
  });
});

describe("an engine that finds no room", () => {
  it("is reported as a full disk, with what to do", async () => {
    const binary = join(dir, "full");
    await writeFile(binary, "#!/bin/sh\necho 'Error: database or disk is full' >&2\nexit 3\n");
    await chmod(binary, 0o755);
    await expect(startEmbeddedTable({ dir, binary })).rejects.toThrow(
      `the folder ${dir} cannot be used for Lookout's state (ENOSPC): its disk is full\nMake room there and start again`,
    );
  });
});

if (probe.kind === "unavailable") {
  describe(`NOT TESTED HERE: ${probe.why}`, () => {
    it("says so", () => {
      process.stderr.write(`\nThe embedded table is NOT TESTED HERE: ${probe.why}\n`);
      expect(probe.why).not.toBe("");
    });
  });
} else {
  describe("an embedded table", () => {
    const record = firstRecord(deployment("api"));

    it("keeps what was written from start to start", async () => {
      await withTable(async (where) => {
        await ensureDynamoTable(where);
        await dynamoWorkloadStore(where).write(record);
      });
      await withTable(async (where) => {
        await ensureDynamoTable(where);
        expect(await dynamoWorkloadStore(where).read(workloadKey(record.workload))).toEqual(record);
      });
    });

    it("is gone once it is stopped, and may be stopped twice", async () => {
      const table = await start();
      await table.stop();
      await table.stop();
      expect(await table.ended).toContain("Shutting down");
      expect(await identifyProcess(table.pid)).toBeUndefined();
      await expect(readFile(join(dir, stateFiles.tableProcess))).rejects.toThrow("ENOENT");
    });

    it("tells when it ends by itself", async () => {
      const table = await start();
      process.kill(table.pid, "SIGKILL");
      expect(await table.ended).toContain(table.endpoint);
    });

    it.each(["SIGKILL", "SIGTERM"] as const)("ends with the process that started it, by %s", async (signal) => {
      const { parent, pid } = await startInAnotherProcess();
      parent.kill(signal);
      await once(parent, "exit");
      expect(await goneSoon(pid)).toBe(true);
    });

    it("that a killed process left behind is stopped by the next start", async () => {
      const { parent, pid } = await startInAnotherProcess();
      // A process that is stopped can't end its engine, and does not let go of the pipe.
      parent.kill("SIGSTOP");
      const table = await start();
      expect(await identifyProcess(pid)).toBeUndefined();
      await table.stop();
      parent.kill("SIGKILL");
      await once(parent, "exit");
    });

    it("leaves a process alone that only has the number of the one that was left behind", async () => {
      const bystander = spawn("sleep", ["60"], { stdio: "ignore" });
      const started = "another boot 1";
      await writeFile(join(dir, stateFiles.tableProcess), JSON.stringify({ pid: bystander.pid, started }));
      const table = await start();
      expect(await identifyProcess(bystander.pid!)).toMatchObject({ pid: bystander.pid });
      await table.stop();
      bystander.kill();
      await once(bystander, "exit");
    });
  });
}

async function findOutWhetherItRuns(): Promise<EmbeddedTable> {
  const folder = await mkdtemp(join(tmpdir(), "lookout-probe-"));
  const table = await startEmbeddedTable({ dir: folder });
  if (table.kind === "running") {
    await table.stop();
    await table.ended;
  }
  await rm(folder, { recursive: true, force: true });
  return table;
}

async function start(): Promise<RunningTable> {
  const table = await startEmbeddedTable({ dir });
  if (table.kind === "unavailable") throw new Error(table.why);
  return table;
}

async function withTable(body: (where: DynamoTable) => Promise<void>): Promise<void> {
  const table = await start();
  const client = dynamoClient({ endpoint: table.endpoint });
  await body({ client, table: "lookout" });
  client.destroy();
  await table.stop();
}

/** Starts an engine in a process of its own, which is there to be killed. */
async function startInAnotherProcess() {
  const module = new URL("../../../src/runtime/local/embedded-table.ts", import.meta.url).href;
  const program = `
    const { startEmbeddedTable } = await import(${JSON.stringify(module)});
    const table = await startEmbeddedTable({ dir: ${JSON.stringify(dir)} });
    console.log(table.pid);`;
  const parent = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  return { parent, pid: Number(line.toString()) };
}

async function goneSoon(pid: number): Promise<boolean> {
  for (let look = 0; look < 500; look++) {
    if ((await identifyProcess(pid)) === undefined) return true;
    await pause(10);
  }
  return false;
}
