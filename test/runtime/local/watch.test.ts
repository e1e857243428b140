import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Ports } from "#app/shared/ports";
import { seconds } from "#domain/shared/time";
import { correlationOf } from "#domain/update/state/correlation";
import type { Command } from "#domain/update/commands";
import type { WorkloadHint } from "#ports/cluster";
import { clusterWatches } from "#runtime/local/watch";
import { world, type World } from "#test/app/world";

const log = { outcome: () => undefined, failure: () => undefined };
const key = "prod/shop/deployment/api";

let lookout: World;
let stop: AbortController;
let sent: Command[];
let reads: number;
let tell: (hint: WorkloadHint) => void;

/**
 * A workload whose update is patched and rolls on, with the cluster followed by a watch that a test
 * speaks for.
 */
beforeEach(async () => {
  lookout = world();
  lookout.deploy({ name: "api", image: "registry.test/shop/api:1.0.0" });
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  await lookout.sync();
  await lookout.pass(seconds(5));
  await lookout.push("shop/api", "1.1.0");
  await lookout.settle();
  [sent, reads] = [[], 0];
  stop = new AbortController();
  const cluster = { ...lookout.cluster, watch: async (onHint: typeof tell) => void (tell = onHint) };
  const ports: Ports = {
    ...lookout.ports,
    store: {
      ...lookout.ports.store,
      read: async (key) => {
        reads += 1;
        return lookout.ports.store.read(key);
      },
    },
    clusters: { names: () => ["prod"], cluster: () => cluster },
    queues: { send: async (sendings) => void sent.push(...sendings.map(({ command }) => command)) },
  };
  vi.useFakeTimers();
  clusterWatches(stop.signal, log).follow(ports);
});
afterEach(() => {
  stop.abort();
  vi.useRealTimers();
});

async function hintOf(part: Partial<WorkloadHint>): Promise<WorkloadHint> {
  const { workload } = await lookout.record(key);
  const read = await lookout.cluster.read(workload, new AbortController().signal);
  if (read.kind !== "found") throw new Error("the workload is gone");
  return { workload, live: read.live, ...part };
}

const check = async (): Promise<Command> => {
  const { workload, uid, seq, version, active } = await lookout.record(key);
  const hint = expect.stringMatching(/^watch:\d+$/) as string;
  return { name: "CheckRollout", workload, uid, seq, version, ...correlationOf({ ...active }), requestedBy: hint };
};

describe("a hint of a watch", () => {
  it("checks a possibly ended rollout once for many hints", async () => {
    tell(await hintOf({ underway: true }));
    tell(await hintOf({ underway: false }));
    await vi.advanceTimersByTimeAsync(100);

    expect(sent).toEqual([await check()]);
  });

  it("does not check a rollout in progress", async () => {
    tell(await hintOf({ underway: true }));
    await vi.advanceTimersByTimeAsync(100);

    expect(sent).toEqual([]);
  });

  it("reads no object again after a change of only a rollout's status", async () => {
    for (let number = 0; number < 5; number += 1) {
      tell(await hintOf({ underway: true }));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect({ sent, reads }).toEqual({ sent: [], reads: 1 });

    tell(await hintOf({ underway: false }));
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toEqual([await check()]);
  });

  it("checks a rollout whose image a user changed", async () => {
    const { live, ...hint } = await hintOf({ underway: true });
    const containers = live?.containers.map((container) => ({ ...container, image: "registry.test/shop/api:0.9.0" }));
    tell({ ...hint, ...(live && { live: { ...live, containers: containers ?? [] } }) });
    await vi.advanceTimersByTimeAsync(100);

    expect(sent).toEqual([await check()]);
  });
});
