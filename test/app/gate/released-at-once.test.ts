import { describe, expect, it } from "vitest";
import { freeze, unfreeze } from "#app/api/freezes";
import { minutes, seconds, since } from "#domain/shared/time";
import { isProof } from "#test/proof";
import { host, type World, world } from "../world.ts";

/** The number of held updates. `npm run proof:properties` has 5,000. */
const held = isProof ? 5_000 : 100;
const slots = 10;
const namespaces = 4;
/** From the patch to the end of an update: its pods start within a second, and then have to run for ten seconds. */
const oneUpdateMs = 12_000;

/** What holds all updates, and releases them at one instant. */
interface Release {
  readonly by: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly hold: (lookout: World) => Promise<unknown>;
  readonly open: (lookout: World) => Promise<unknown>;
}

const cluster = { cluster: "prod" };
const releases: readonly Release[] = [
  {
    by: "one unfreeze",
    annotations: {},
    hold: ({ ports }) => freeze({ scope: cluster, by: "ana", why: "a sale" }, ports),
    open: ({ ports }) => unfreeze(cluster, ports),
  },
  {
    by: "one window that opens",
    annotations: { "lookout.dev/maintenance-window": "10:05-09:00" },
    hold: async () => undefined,
    open: (lookout) => lookout.pass(minutes(4)),
  },
];

/** Returns a world with many held updates of some namespaces, and a workload of another namespace. */
async function worldWithHeld({ annotations, hold }: Release) {
  const lookout = world({ maxConcurrentRollouts: slots });
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  await lookout.push("web/site", "1.0.0", { quietly: true });
  const keys = Array.from({ length: held }, (_, index) => {
    const name = { namespace: `shop-${index % namespaces}`, name: `api-${index}` };
    return lookout.deploy({ ...name, image: `${host}/shop/api:1.0.0`, replicas: 1, annotations });
  });
  const site = lookout.deploy({ namespace: "web", name: "site", image: `${host}/web/site:1.0.0` });
  await lookout.pass(seconds(2));
  await lookout.sync();
  await hold(lookout);
  await lookout.push("shop/api", "1.1.0");
  await lookout.pass(minutes(1));
  return { lookout, keys, site };
}

describe.each(releases)("many updates that are released by $by", (release) => {
  it("start within the budget, end one after the other, and delay no push of another namespace by more than one update", async () => {
    const { lookout, keys, site } = await worldWithHeld(release);
    const { store } = lookout.ports;
    const waiting = (await store.readMany(keys)).filter(({ pending }) => pending?.status === "held");
    await release.open(lookout);

    const openedAt = lookout.clock.now();
    const inFlight: number[] = [];
    const waits: number[] = [];
    let pushes = 0;
    const isEnded = async () =>
      (await store.slots("prod")).length === 0 && (await store.waiters("prod", 1)).length === 0;
    const push = async () => {
      pushes += 1;
      await lookout.push("web/site", `1.0.${pushes}`);
      return lookout.clock.now();
    };
    let pushedAt = await push();
    do {
      await lookout.pass(seconds(1));
      inFlight.push((await store.slots("prod")).length);
      const { active, last } = await lookout.record(site);
      if (active !== undefined || last?.status !== "succeeded" || last.changes[0]?.tag !== `1.0.${pushes}`) continue;
      waits.push(since(pushedAt, last.patchedAt));
      pushedAt = await push();
    } while (!(await isEnded()));
    const ended = await store.readMany(keys);
    console.log(waits, inFlight.length, Math.max(...inFlight), pushes);

    expect(waiting).toHaveLength(held);
    expect(ended.map(({ last, pending }) => pending ?? last?.status)).toEqual(keys.map(() => "succeeded"));
    expect(inFlight.filter((count) => count > slots)).toEqual([]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(oneUpdateMs);
    expect(waits.length).toBeGreaterThan(2);
    expect(since(openedAt, lookout.clock.now())).toBeLessThan(2 * oneUpdateMs * (held / slots));
    expect([lookout.kept, lookout.failures]).toEqual([[], []]);
  }, 3_600_000);
});
