import { copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStateFile } from "#adapters/sqlite/state-file";
import { statePorts } from "#runtime/local/state";
import { firstRecord, start } from "#test/contracts/records";
import { openScratch, type Running, type Scratch } from "#test/docs/shell";

/** A cluster that nobody answers for: the process starts all the same, and keeps what it knows. */
const kubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "away", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "me", user: { token: "none" } }],
  contexts: [{ name: "away", context: { cluster: "away", user: "me" } }],
  "current-context": "away",
});
const patience = 120_000;
const node = process.execPath;

let scratch: Scratch;
beforeAll(() => {
  scratch = openScratch({ kubeconfig });
});
afterAll(() => scratch.close(), patience);

const startOf = (folder: string): string =>
  `exec ${node} bin/lookout.js start --kubeconfig kubeconfig --listen 127.0.0.1:0 --output json --data ${folder} 2>&1`;

async function started(folder: string): Promise<Running> {
  const lookout = scratch.start(startOf(folder));
  await lookout.says(/"name":"Started"/);
  return lookout;
}

const workload = { cluster: "local", namespace: "shop", kind: "Deployment", name: "api" } as const;

/** A state folder in which one workload is known, with a decision. */
async function knowsWorkload(folder: string): Promise<void> {
  mkdirSync(folder);
  const opened = openStateFile(join(folder, "state.db"), "abc123");
  if (opened.kind === "refused") throw new Error(opened.said);
  const { store, ledger } = statePorts(opened.database);
  await store.write(firstRecord(workload));
  const transition = { seq: 1, what: "held", reasons: [], changes: [] } as const;
  await ledger.append([
    {
      workload: "local/shop/deployment/api",
      uid: "uid-of-api",
      seq: 1,
      version: 1,
      at: start,
      cause: "Wake:1:1",
      transition,
    },
  ]);
  opened.database.close();
}

describe("a backup of a running process", () => {
  it(
    "starts elsewhere with the same workloads, history, freezes and quarantine",
    async () => {
      const [folder, restored] = [join(scratch.folder, "state"), join(scratch.folder, "restored")];
      await knowsWorkload(folder);
      const lookout = await started(folder);
      const command = (typed: string, data = folder) => scratch.run(`${node} bin/lookout.js ${typed} --data ${data}`);
      const shown = async (data: string) => {
        const [status, history, freezes, quarantine] = await Promise.all(
          ["status", "history shop/api", "freezes", "quarantine list"].map(async (typed) => {
            const { code, stdout } = await command(`${typed} --output json`, data);
            expect({ typed, code }).toEqual({ typed, code: 0 });
            return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
          }),
        );
        const keys = (status?.["workloads"] as readonly Readonly<Record<string, unknown>>[]).map(
          (row) => row["workload"],
        );
        const decisions = history?.["decisions"] as readonly { readonly fact: string }[];
        return {
          lists: [keys, freezes?.["freezes"], quarantine?.["quarantined"]],
          facts: decisions.map(({ fact }) => fact),
        };
      };
      const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
      await command(`freeze local/shop --why "the year ends"`);
      await command(`quarantine add ${digest("1")} --why test`);
      // The process writes while it copies its state.
      const [backup] = await Promise.all([
        command(`backup ${join(scratch.folder, "copy.db")} --output json`),
        command(`quarantine add ${digest("2")} --why test`),
      ]);
      const before = await shown(folder);
      const again = await command(`backup ${join(scratch.folder, "copy.db")}`);
      const forced = await command(`backup --force ${join(scratch.folder, "copy.db")}`);
      await lookout.interrupt();
      const copy = join(scratch.folder, "copy.db");
      mkdirSync(restored);
      copyFileSync(copy, join(restored, "state.db"));
      const second = await started(restored);
      const after = await shown(restored);
      await second.interrupt();

      expect(backup).toMatchObject({ code: 0, stderr: "" });
      expect(JSON.parse(backup.stdout)).toEqual({
        ...{ apiVersion: "lookout.dev/v1", kind: "Backup", file: copy, bytes: expect.any(Number) as number },
      });
      expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("exists already") as string });
      expect(forced).toMatchObject({ code: 0 });
      expect(statSync(copy).mode & 0o777).toBe(0o600);
      expect(before.facts).toEqual(expect.arrayContaining(["UpdateHeld", "WorkloadTracked"]));
      expect(before.lists).toMatchObject([["local/shop/deployment/api"], [{}], [{}, {}]]);
      expect(after.lists).toEqual(before.lists);
      // The new process may add decisions of its own.
      expect(after.facts.slice(-before.facts.length)).toEqual(before.facts);
      expect(readdirSync(join(folder, "backups"))).toEqual([]);
    },
    patience,
  );

  it(
    "is made on the schedule of lookout.yaml, and doctor and metrics show it",
    async () => {
      const folder = join(scratch.folder, "scheduled");
      writeFileSync(join(scratch.folder, "scheduled.yaml"), "backup: { every: 24h, keep: 2 }\n");
      const lookout = scratch.start(startOf(folder).replace("--output", "--config scheduled.yaml --output"));
      await lookout.says(/"name":"Started"/);
      const backups = join(folder, "backups");
      const isCopy = (name: string): boolean => /^state-\d{8}T\d{6}Z\.db$/.test(name);
      const names = (): readonly string[] => (readdirSync(folder).includes("backups") ? readdirSync(backups) : []);
      while (!names().some(isCopy)) await new Promise((resolve) => setTimeout(resolve, 200));
      const url = `$(${node} -p 'require("${folder}/server.json").url')`;
      const { stdout: metrics } = await scratch.run(
        `curl --silent --header "Authorization: Bearer $(cat ${folder}/token)" ${url}/metrics`,
      );
      const doctor = await scratch.run(`${node} bin/lookout.js doctor --output json --data ${folder}`);
      await lookout.interrupt();

      expect(names()).toEqual([expect.stringMatching(/^state-\d{8}T\d{6}Z\.db$/)]);
      expect(metrics).toContain("lookout_backup_failed 0");
      expect(metrics).toMatch(/lookout_backup_newest_timestamp_seconds \d+/);
      const { checks } = JSON.parse(doctor.stdout) as { readonly checks: readonly object[] };
      expect(checks).toContainEqual({
        check: "backups",
        verdict: "well",
        detail: expect.stringMatching(/^the newest copy of the state is of 20/) as string,
      });
    },
    patience,
  );
});
