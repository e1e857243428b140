import { beforeEach, describe, expect, it } from "vitest";
import { minutes, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
let key: string;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const never = Number.POSITIVE_INFINITY;

/** Lets time pass until the record is in a state. */
async function untilRecord(state: (record: WorkloadRecord) => boolean): Promise<void> {
  for (let step = 0; step < 40; step += 1) {
    if (state(await lookout.record(key))) return;
    await lookout.pass(seconds(0.5));
  }
  throw new Error(`never in this state: ${JSON.stringify((await lookout.record(key)).active)}`);
}

interface During {
  readonly state: string;
  /** Brings the first update into the state. */
  readonly reach: () => Promise<void>;
}

const states: readonly During[] = [
  {
    state: "held",
    async reach() {
      lookout.cluster.annotate(api, { "lookout.dev/suspend": "true" });
      await lookout.sync();
      await lookout.push("shop/api", "1.1.0");
      await untilRecord(({ pending }) => pending !== undefined);
    },
  },
  {
    state: "patching, without a landed patch",
    async reach() {
      lookout.cluster.failNext({ kind: "unknown", detail: "no answer" });
      await lookout.push("shop/api", "1.1.0");
      await untilRecord(({ active }) => active?.status === "patching");
    },
  },
  {
    state: "patching, with a landed patch",
    async reach() {
      lookout.cluster.failNext({ kind: "unknown", detail: "no answer" }, true);
      await lookout.push("shop/api", "1.1.0");
      await untilRecord(({ active }) => active?.status === "patching");
    },
  },
  {
    state: "rolling out",
    async reach() {
      await lookout.push("shop/api", "1.1.0", { created: { afterMs: never, because: "quota" } });
      await untilRecord(({ active }) => active?.status === "rolling-out");
    },
  },
  {
    state: "rolling out, with all pods running",
    async reach() {
      await lookout.push("shop/api", "1.1.0");
      await untilRecord(({ active }) => active?.status === "rolling-out" && active.progress.kind === "running");
    },
  },
  {
    state: "rolling back",
    async reach() {
      await lookout.push("shop/api", "1.1.0", { broken: true });
      await untilRecord(({ active }) => active?.status === "rolling-out");
      lookout.cluster.failNext({ kind: "unreachable", detail: "no answer" });
      await untilRecord(({ active }) => active?.status === "rolling-back");
    },
  },
];

const specOf = (name: string, image: string) => ({
  replicas: 3,
  template: { spec: { containers: [{ name, image }] } },
});

describe.each(states)("an update that is $state", ({ reach }) => {
  beforeEach(async () => {
    key = await trackApi(lookout);
    await reach();
    lookout.createdLater.clear();
  });

  /** Returns how the first update ended. */
  const ended = () =>
    lookout.facts
      .find(({ seq, name }) => seq === 1 && name === "UpdateSuperseded")
      ?.reasons.map(({ reason }) => reason);

  const goesOn = async (): Promise<void> => {
    lookout.cluster.annotate(api, { "lookout.dev/suspend": undefined });
    await lookout.sync();
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(1));
    await lookout.reap();
    await lookout.pass(minutes(1));
    expect(lookout.image(key)).toContain("shop/api:1.2.0@");
    const { blocked, hold, active, last } = await lookout.record(key);
    expect([blocked.filter(({ reason }) => reason === "changed-by-hand"), hold, active]).toEqual([
      [],
      undefined,
      undefined,
    ]);
    expect(last).toMatchObject({ status: "succeeded" });
  };

  it("ends when its container is renamed, and the new container is updated", async () => {
    lookout.cluster.apply({ kind: "Deployment", metadata: api, spec: specOf("web", `${host}/shop/api:1.0.0`) });
    await lookout.sync();
    await lookout.pass(minutes(1));

    expect(ended()).toEqual(["container-gone"]);
    await goesOn();
  });

  it("ends when its object is deleted and created anew, and the new object is updated", async () => {
    lookout.cluster.remove(api);
    lookout.cluster.apply({
      kind: "Deployment",
      metadata: { ...api, annotations: { "lookout.dev/enabled": "true" } },
      spec: specOf("app", `${host}/shop/api:1.0.0`),
    });
    await lookout.sync();
    await lookout.pass(minutes(1));

    expect(ended()).toEqual(["object-recreated"]);
    await goesOn();
  });
});
