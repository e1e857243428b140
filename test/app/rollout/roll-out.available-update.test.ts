import { named } from "#test/named";
import { beforeEach, describe, expect, it } from "vitest";
import { castVote } from "#app/api/approvals";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { minutes, seconds } from "#domain/shared/time";
import { approvalRules } from "#test/model/world/voters";
import { api, host, trackApi, type World, world } from "../world.ts";

const available = "lookout.dev/status.available-update";
const kinds = ["Deployment", "StatefulSet", "DaemonSet", "CronJob"] as const;
const asks = { "lookout.dev/approval-required": "true" };

let lookout: World;
beforeEach(async () => {
  lookout = world({}, undefined, undefined, undefined, approvalRules);
  await lookout.push("shop/api", "1.0.0", { quietly: true });
});

type Named = Parameters<World["cluster"]["object"]>[0];
const shown = (name: Named = api) => lookout.cluster.object(name)?.metadata.annotations?.[available];
const generation = () => lookout.cluster.object(api)?.metadata.generation;
const written = (name: Named = api) =>
  lookout.cluster.history.filter(({ workload, what }) => workload.kind === name.kind && what.includes(available))
    .length;
const textOf = (tag: string, digest: string) => `app=${host}/shop/api:${tag}@${digest}`;

/** Votes as a person who has seen the pending update. */
async function decide(key: string, decision: "approve" | "reject"): Promise<WorkloadRecord> {
  const record = await lookout.record(key);
  const { seq: update, approval } = record.pending ?? {};
  const ballot = { update: update ?? 0, bindingHash: approval?.bindingHash ?? "", decision, why: "looked at it" };
  await castVote(
    named(key),
    ballot,
    { "if-match": `${record.uid}/${record.version}` },
    { kind: "token", token: "ana" },
    lookout.ports,
  );
  await lookout.settle();
  return record;
}

describe("an update that waits for approval", () => {
  it.each(kinds)("is shown once on its %s, and not any more when it has landed", async (kind) => {
    const name = { ...api, kind };
    const key = await trackApi(lookout, asks, { kind });
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));
    await lookout.tellAgain("shop/api", "1.1.0");
    await lookout.sync();
    await lookout.pass(minutes(20));

    expect(shown(name)).toBe(textOf("1.1.0", digest));
    expect(written(name)).toBe(1);

    await decide(key, "approve");
    await lookout.pass(minutes(2));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect(shown(name)).toBeUndefined();
  });

  it("is not shown any more after a rejection", async () => {
    const key = await trackApi(lookout, asks);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(10));
    expect(shown()).toBeDefined();

    await decide(key, "reject");
    await lookout.pass(seconds(40));
    expect(shown()).toBeUndefined();
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
  });

  it("is replaced on the object by a newer update", async () => {
    await trackApi(lookout, asks);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(10));
    const newer = await lookout.push("shop/api", "1.2.0");
    await lookout.pass(seconds(10));

    expect(shown()).toBe(textOf("1.2.0", newer));
    expect(written()).toBe(2);
  });

  it("is not shown any more when the workload asks for no update", async () => {
    await trackApi(lookout, asks);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(10));
    lookout.cluster.annotate(api, { "lookout.dev/semver-range": "~1.0" });
    await lookout.sync();
    await lookout.pass(seconds(10));

    expect(shown()).toBeUndefined();
  });

  it("stays removed when a user removes it", async () => {
    await trackApi(lookout, asks);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(10));
    lookout.cluster.annotate(api, { [available]: undefined });
    await lookout.sync();
    await lookout.pass(minutes(30));

    expect(shown()).toBeUndefined();
  });

  it("changes no pod, and counts as no user's change", async () => {
    const key = await trackApi(lookout, asks);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    const { observed } = await lookout.record(key);
    await lookout.pass(seconds(10));
    const pods = lookout.cluster.objects.all().flatMap(({ pods: all }) => all.map(({ name }) => name));
    const before = { version: (await lookout.record(key)).version, generation: generation() };
    await lookout.sync();
    await lookout.pass(minutes(1));

    expect(shown()).toBeDefined();
    expect((await lookout.record(key)).observed).toEqual(observed);
    expect({ version: (await lookout.record(key)).version, generation: generation() }).toEqual(before);
    expect(lookout.cluster.objects.all().flatMap(({ pods: all }) => all.map(({ name }) => name))).toEqual(pods);
  });

  it("continues even if it could not be shown in five deliveries", async () => {
    const key = await trackApi(lookout, asks);
    Object.assign(lookout.cluster, { patchAnnotation: async () => ({ kind: "read-again" }) as const });
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(5));
    expect(lookout.failures).toHaveLength(5);
    expect((await lookout.record(key)).pending?.waits).toMatchObject([{ reason: "needs-approval" }]);

    await decide(key, "approve");
    await lookout.pass(minutes(2));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });

  it("is shown later when the cluster gives no answer", async () => {
    const key = await trackApi(lookout, asks);
    lookout.cluster.unreachable(true);
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(10));
    expect((await lookout.record(key)).pending).toBeDefined();
    lookout.cluster.unreachable(false);
    await lookout.pass(minutes(16));

    expect(shown()).toBe(textOf("1.1.0", digest));
    expect(lookout.failures).toEqual([]);
  });
});

describe("an update that needs no approval", () => {
  it("is not shown while it waits", async () => {
    await trackApi(lookout, { "lookout.dev/min-age": "1h" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(5));

    expect(shown()).toBeUndefined();
    expect(written()).toBe(0);
  });
});
