import { named } from "#test/named";
import { beforeEach, describe, expect, it } from "vitest";
import { evaluateWorkload } from "#app/evaluate/evaluate-workload";
import { unblockWorkload } from "#app/api/unblock";
import { durationMs, minutes, seconds } from "#domain/shared/time";
import type { WorkloadName } from "#domain/workload/workload";
import { TransientError } from "#ports/errors";
import type { RepositoryName } from "#ports/registry";
import { api, type DeploySpec, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const tracked = (...given: readonly [Readonly<Record<string, string>>?, Partial<DeploySpec>?]): Promise<string> =>
  trackApi(lookout, ...given);

/** Schedules as they run: each minute a look at the cluster, and the reaper. */
async function schedules(total: number): Promise<void> {
  for (let minute = 0; minute < total; minute += 1) {
    await lookout.sync();
    await lookout.reap();
    await lookout.pass(minutes(1));
  }
}

/** Counts the messages that are sent from here on. */
function messages(): () => number {
  const { queues } = lookout.ports;
  const send = queues.send.bind(queues);
  let sent = 0;
  queues.send = (sendings) => {
    sent += sendings.length;
    return send(sendings);
  };
  return () => sent;
}

describe("the desired image after an update", () => {
  it("is selected again: a tag that moved meanwhile is rolled out too", async () => {
    const key = await tracked({ "lookout.dev/apply": "tag" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(1));
    const moved = await lookout.push("shop/api", "1.1.0");

    await lookout.pass(minutes(3));

    const { observed } = await lookout.record(key);
    expect(observed.containers).toMatchObject([{ image: `${host}/shop/api:1.1.0`, digest: moved }]);
    expect(lookout.cluster.history.filter(({ manager }) => manager === "lookout")).toHaveLength(2);
  });

  it("is never a downgrade, even if a user narrowed the range meanwhile", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(seconds(1));

    lookout.cluster.annotate(api, { "lookout.dev/semver-range": "<1.2" });
    await lookout.sync();
    await lookout.pass(minutes(3));

    expect(lookout.image(key)).toContain(":1.2.0@");
  });

  it("is the next matching version if the highest version did not run", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    await lookout.push("shop/api", "1.2.0", { broken: true });

    await lookout.pass(minutes(3));

    expect(lookout.image(key)).toContain(":1.1.0@");
  });

  it("is not the image that is being rolled back, even after an unblock", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0", { broken: true });
    while ((await lookout.record(key)).active?.status !== "rolling-back") await lookout.pass(durationMs(500));
    lookout.broken.clear();

    await unblockWorkload(named(key), { by: "ana" }, lookout.ports);
    await lookout.pass(minutes(3));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    await unblockWorkload(named(key), { by: "ana" }, lookout.ports);
    await lookout.pass(minutes(3));

    expect(lookout.image(key)).toContain(":1.1.0@");
  });
});

describe("a user who chooses an older image during a rollback", () => {
  it.each([
    { when: "before the image of before is back", back: false },
    { when: "after it is back", back: true },
  ])("keeps it: $when", async ({ back }) => {
    await lookout.push("shop/api", "0.9.0", { quietly: true });
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0", { broken: true });
    const chosen = `${host}/shop/api:0.9.0`;
    const patch = lookout.cluster.patch.bind(lookout.cluster);
    lookout.cluster.patch = async (sent, signal) => {
      const isBack = sent.updateLabel.to.endsWith("-back");
      if (isBack && !back) lookout.cluster.setImage(api, "app", chosen);
      const outcome = await patch(sent, signal);
      if (isBack && back) lookout.cluster.setImage(api, "app", chosen);
      return outcome;
    };

    await lookout.pass(minutes(3));
    await schedules(3);

    expect(lookout.image(key)).toBe(chosen);
  });
});

describe("a workload that is untracked during its rollout", () => {
  it("and rolled back by a user does not get that image again", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(1));
    lookout.cluster.annotate(api, { "lookout.dev/enabled": "false" });
    await lookout.sync();

    lookout.cluster.undo(api);
    lookout.cluster.annotate(api, { "lookout.dev/enabled": "true" });
    await lookout.sync();
    await lookout.pass(minutes(3));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
  });

  it("blocks no digest without a user's change", async () => {
    const key = await tracked();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(1));

    lookout.cluster.annotate(api, { "lookout.dev/enabled": "false" });
    await lookout.sync();
    lookout.cluster.annotate(api, { "lookout.dev/enabled": "true" });
    await lookout.sync();
    await lookout.pass(minutes(2));

    expect((await lookout.record(key)).blocked).toEqual([]);
  });
});

describe("a subscription", () => {
  it("exists before the first selection, so that no push is lost", async () => {
    const resolve = lookout.registry.resolve.bind(lookout.registry);
    let pushed = false;
    lookout.registry.resolve = async (name, tag, signal) => {
      const answer = await resolve(name, tag, signal);
      if (!pushed) {
        pushed = true;
        await lookout.push("shop/api", "1.1.0");
      }
      return answer;
    };

    const key = await tracked();
    await lookout.pass(minutes(3));

    expect(lookout.image(key)).toContain(":1.1.0@");
  });

  it.each([
    {
      because: "it is tracked again while it is forgotten",
      act: () => lookout.cluster.annotate(api, { "lookout.dev/enabled": "false" }),
      image: "api",
    },
    {
      because: "another image is set while the one before is looked at",
      act: () => lookout.cluster.setImage(api, "app", `${host}/shop/between:1.0.0`),
      image: "other",
    },
  ])("survives two evaluations at once: $because", async ({ act, image }) => {
    for (const name of ["between", "other"]) await lookout.push(`shop/${name}`, "1.0.0", { quietly: true });
    const key = await tracked();
    const { store } = lookout.ports;
    const subscribe = store.subscribe.bind(store);
    let raced = false;
    act();
    store.subscribe = async (workload: WorkloadName, repositories: readonly RepositoryName[]) => {
      if (!raced) {
        raced = true;
        lookout.cluster.annotate(api, { "lookout.dev/enabled": "true" });
        lookout.cluster.setImage(api, "app", `${host}/shop/${image}:1.0.0`);
        const command = { name: "EvaluateWorkload", id: "other", workload, source: "watch" } as const;
        await evaluateWorkload(command, lookout.ports, new AbortController().signal);
      }
      return subscribe(workload, repositories);
    };
    await lookout.sync();
    await schedules(3);

    await lookout.push(`shop/${image}`, "1.1.0");
    await lookout.pass(minutes(2));

    expect(lookout.image(key)).toContain(`/shop/${image}:1.1.0@`);
  });
});

describe("a push whose evaluation failed every time", () => {
  it("is evaluated again after a minute", async () => {
    const key = await tracked();
    const { store } = lookout.ports;
    const readMany = store.readMany.bind(store);
    store.readMany = () => Promise.reject(new TransientError("throttled"));
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(10));
    store.readMany = readMany;

    await lookout.pass(minutes(3));

    expect(lookout.image(key)).toContain(":1.1.0@");
  });
});

describe("a lasting failure", () => {
  it.each([
    { because: "the cluster is away past the deadline", trouble: () => lookout.cluster.unreachable(true) },
    {
      because: "nobody knows what becomes of the patches",
      trouble: () => {
        lookout.cluster.patch = () => Promise.resolve({ kind: "unknown", detail: "timeout" });
      },
    },
  ])("causes no more messages with time: $because", async ({ trouble }) => {
    await tracked({ "lookout.dev/rollback-timeout": "1m" });
    await lookout.push("shop/api", "1.1.0");
    trouble();
    await schedules(5);
    const sent = messages();

    await schedules(10);
    const first = sent();
    await schedules(10);

    expect(sent() - first).toBeLessThanOrEqual(first + 10);
  });

  it("asks a registry without the tag less and less often, and delays no other workload", async () => {
    lookout.deploy({ name: "lost", image: `${host}/shop/gone:1.0.0` });
    await lookout.sync();
    await schedules(60);
    const asked = lookout.registry.calls.tags;

    await schedules(60);

    expect(lookout.registry.calls.tags - asked).toBeLessThanOrEqual(3);
  });
});
