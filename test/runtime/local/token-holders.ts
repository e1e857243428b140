import { memoryDatabase } from "#adapters/sqlite/database";
import type { CreatedTokenView, TokenRequest } from "#contracts/api/tokens";
import type { PlannedFreeze } from "#domain/gates/freezes";
import { epochMs, type DurationMs, plus } from "#domain/shared/time";
import { memoryCluster } from "#adapters/memory/cluster";
import { openDemo } from "#runtime/local/demo-server";
import { factStream, type FactStream } from "#runtime/local/fact-stream";
import { httpFace, type HttpFace } from "#runtime/local/http";
import { openShell, type Shell } from "#runtime/local/shell";
import { statePorts } from "#runtime/local/state";
import { clustersOf } from "#runtime/local/world";
import { firstRecord } from "#test/contracts/records";
import type { Ports } from "#app/shared/ports";
import { handOn } from "#test/hand-on";

/** The token of the state folder. */
export const folderToken = "the token of the folder";

/** A workload in each namespace, and what concerns it. Nothing else has these names. */
const places = ["dev/shop", "dev/hidden", "secluded/shop"] as const;

/** A request to the API. */
export interface Sent {
  readonly method?: string;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A local process with three workloads, and its API. */
export interface Holders {
  readonly shell: Shell;
  readonly facts: FactStream;
  readonly logged: unknown[];
  ask(token: string, path: string, sent?: Sent): Promise<Response>;
  /** Makes a token as the owner of the state folder, and returns its text. */
  make(request: TokenRequest): Promise<string>;
  /** Returns all stored items. */
  stored(): readonly unknown[];
  pass(time: DurationMs): void;
}

const planned: readonly PlannedFreeze[] = [
  { name: "hidden-sale", scope: { cluster: "dev", namespace: "hidden" }, why: "sale", windows: [] },
];

/** Opens the process. Its clusters are `dev` and `secluded`. */
export async function openHolders(): Promise<Holders> {
  let now = epochMs(Date.parse("2026-11-21T18:00:00Z"));
  const clock = { now: () => now };
  const demo = openDemo(clock);
  const database = memoryDatabase("abc123");
  const state = statePorts(database);
  const logged: unknown[] = [];
  const log = {
    outcome: (entry: unknown) => void logged.push(entry),
    failure: (entry: unknown) => void logged.push(entry),
  };
  const clusters = clustersOf(new Map(["dev", "secluded"].map((name) => [name, memoryCluster({ name, clock })])));
  const rules = { ...demo.rules, plannedFreezes: planned };
  const facts = factStream();
  const ports = { clock, ...state, ...demo, clusters, rules };
  const shell = openShell({ ports, receivers: demo.receivers, log, onFact: facts.publish });
  for (const place of places) {
    const [cluster = "", namespace = ""] = place.split("/");
    const name = `api-of-${cluster}-${namespace}`;
    const workload = { cluster, namespace, kind: "Deployment", name } as const;
    const record = firstRecord(workload);
    await state.store.write(record);
    await state.store.subscribe(workload, [{ registry: "registry.demo", repository: `of/${cluster}-${namespace}` }]);
    await state.clusterStates.write({ name: cluster, lastSyncAt: now });
    await state.freezes.put({
      scope: { cluster, namespace },
      by: "eva",
      why: `sale of ${cluster}-${namespace}`,
      at: now,
    });
    const transition = { seq: 1, what: "held", reasons: [], changes: [] } as const;
    const row = { uid: record.uid, seq: 1, version: 1, at: now, cause: "c", transition };
    await state.ledger.append([{ workload: `${place}/deployment/${name}`, ...row }]);
  }
  await handOn(ports as unknown as Ports);
  const app: HttpFace = httpFace({
    ...{ shell, token: folderToken, log, settings: () => ({ settings: [] }), facts, metrics: () => "" },
    backups: { read: async () => ({ bytes: 1, content: new Blob(["x"]).stream() }) },
    demoPush: demo.pushTo(shell),
  });
  const ask: Holders["ask"] = async (token, path, { method = "GET", body, headers = {} } = {}) =>
    app.request(path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    shell,
    facts,
    logged,
    ask,
    async make(request) {
      const made = await ask(folderToken, "/v1/tokens", { method: "POST", body: request });
      if (made.status !== 200) throw new Error(await made.text());
      return ((await made.json()) as CreatedTokenView).text;
    },
    stored: () => database.sql.prepare("SELECT pk, sk, value FROM items ORDER BY pk, sk").all(),
    pass: (time) => void (now = plus(now, time)),
  };
}
