import { publishChanges } from "#app/notify/state-changed";
import { minutes, plus, seconds } from "#domain/shared/time";
import type { Transition, UpdateCore, WorkloadRecord } from "#domain/update/state/workload";
import type { Channels } from "#ports/channels";
import { firstRecord, nextRecord } from "#test/contracts/records";
import { world, type World } from "#test/app/world";

const tag = "1.1.0";
const imageName = "registry.test/shop/app";
const digest = `sha256:${"1".repeat(64)}`;

/** The steps of an update, as its records tell them. */
export type What = Transition["what"];

/** Returns an empty world with channels, and with a clock at which nothing was told. */
export function worldOf(channels: Channels): World {
  return world({}, new Map(), [], undefined, undefined, undefined, undefined, channels);
}

/** Returns the versions of one workload whose update takes these steps, a second apart. */
export function versionsOf(
  name: string,
  whats: readonly What[],
  { lookout, push, annotations = {} }: { lookout: World; push?: string; annotations?: Record<string, string> },
): readonly WorkloadRecord[] {
  const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name } as const;
  const changedAt = lookout.clock.now();
  const first = firstRecord(workload, { changedAt });
  const change = { list: "containers", name: "app", imageName, tag, apply: "tag", digest } as const;
  const changes = [{ ...change, from: `${imageName}:1.0.0`, to: `${imageName}:${tag}`, policy: "semver" }];
  const origin = { detectedAt: changedAt, source: "webhook", ...(push === undefined ? {} : { correlationId: push }) };
  const core: UpdateCore = { seq: 1, changes, selectedAt: changedAt, ...origin };
  const versions: WorkloadRecord[] = [{ ...first, observed: { ...first.observed, annotations } }];
  for (const [index, what] of whats.entries()) {
    const last = versions.at(-1) ?? first;
    const selected = index === 0 ? { selected: true as const } : {};
    const reasons = what === "held" || what === "still-waiting" ? [{ reason: "frozen" } as const] : [];
    const transition: Transition = { seq: 1, what, reasons, changes, ...selected };
    const transitions = [{ ...transition, ...origin }];
    const active = { ...core, status: "released", releasedAt: changedAt } as const;
    versions.push(nextRecord(last, { seq: 1, transitions, active, changedAt: plus(last.changedAt, seconds(1)) }));
  }
  return versions.slice(1);
}

/** Hands versions of records on, as the outbox does, and delivers what follows at once. */
export async function publish(records: readonly WorkloadRecord[], lookout: World): Promise<void> {
  const id = ({ workload, version }: WorkloadRecord) => `${workload.name}/${version}`;
  await publishChanges(
    records.map((record) => ({ id: id(record), record })),
    lookout.ports,
  );
  await lookout.settle();
}

export const succeeds: readonly What[] = ["released", "patched", "running", "succeeded"];
export const fails: readonly What[] = ["released", "patched", "failing", "rolling-back", "rolled-back"];

/** Lets many workloads follow one push at the same pace. Returns how many there are of each end. */
export async function followPush(count: number, broken: readonly number[], lookout: World): Promise<void> {
  const all = Array.from({ length: count }, (_, index) =>
    versionsOf(`api-${index}`, broken.includes(index) ? fails : succeeds, { lookout, push: "p-1" }),
  );
  for (let step = 0; step < fails.length; step += 1) {
    await publish(
      all.flatMap((versions) => versions.slice(step, step + 1)),
      lookout,
    );
    await lookout.pass(seconds(3));
  }
  await lookout.pass(minutes(10));
}
