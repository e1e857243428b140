import { describe, expect, it } from "vitest";
import { freeze, unfreeze } from "#app/api/freezes";
import { hours, minutes, seconds } from "#domain/shared/time";
import { isProof } from "#test/proof";
import { begins, host, type World, world } from "../world.ts";

/** The number of held updates. `npm run proof` has 5,000. */
const held = isProof ? 5_000 : 200;
const slots = 25;
/** The time that one update takes: until its pods run, and until they have run for a while. */
const oneUpdate = seconds(15);
const windowed = { "lookout.dev/maintenance-cron": "0 12 * * *", "lookout.dev/maintenance-duration": "10h" };

/** What releases all updates at one instant. */
interface Release {
  readonly by: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly hold: (lookout: World) => Promise<unknown>;
  readonly open: (lookout: World) => Promise<unknown>;
}

const releases: readonly Release[] = [
  {
    by: "one unfreeze",
    annotations: {},
    hold: ({ ports }) => freeze({ scope: { cluster: "prod" }, by: "ana", why: "a sale" }, ports),
    open: ({ ports }) => unfreeze({ cluster: "prod" }, ports),
  },
  {
    by: "one window that opens",
    annotations: windowed,
    hold: async () => undefined,
    open: (lookout) => lookout.pass(hours(2)),
  },
];

describe.each(releases)("many updates released by $by", ({ annotations, hold, open }) => {
  it.each([1, 10, 50])("of %i namespaces", async (namespaces) => {
    const t0 = performance.now();
    const lookout = world({ maxConcurrentRollouts: slots });
    await lookout.push("shop/api", "1.0.0", { quietly: true });
    const keys = Array.from({ length: held }, (_, index) =>
      lookout.deploy({
        namespace: `team-${index % namespaces}`,
        name: `api-${index}`,
        image: `${host}/shop/api:1.0.0`,
        annotations,
      }),
    );
    await lookout.push("web/site", "1.0.0", { quietly: true });
    const site = lookout.deploy({ namespace: "web", name: "site", image: `${host}/web/site:1.0.0` });
    await lookout.pass(seconds(2));
    await lookout.sync();
    await lookout.pass(seconds(2));
    await hold(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));
    const first = await lookout.ports.store.readMany(keys);
    console.log(performance.now() - t0, Map.groupBy(first, (r) => JSON.stringify(r.pending?.waits.map((w) => w.reason))).keys().toArray());
    await open(lookout);
    console.log("opened", performance.now() - t0);
    const openedAt = lookout.clock.now();
    let most = 0;
    let n = 0;
    const waits: number[] = [];
    let pushedAt: number | undefined;
    for (;;) {
      await lookout.pass(seconds(1));
      const taken = await lookout.ports.store.slots("prod");
      most = Math.max(most, taken.length);
      if (pushedAt === undefined) {
        n += 1;
        pushedAt = lookout.clock.now();
        await lookout.push("web/site", `1.0.${n}`);
      } else if (lookout.image(site).includes(`:1.0.${n}@`)) {
        const record = await lookout.record(site);
        if (record.active === undefined) {
          waits.push(record.last!.startedAt! - pushedAt);
          pushedAt = undefined;
        }
      }
      const updated = lookout.facts.filter(({ name }) => name === "RolloutSucceeded").length;
      if (taken.length === 0 || lookout.clock.now() - openedAt > minutes(200)) break;
    }
    console.log({ by: namespaces, took: (lookout.clock.now() - openedAt) / 1000, most, waits, kept: lookout.kept.length, failures: lookout.failures.length, s: (await lookout.ports.store.readMany(keys)).filter((r) => r.last?.status === "succeeded").length, real: performance.now() - t0, deliveries: lookout.deliveries });
  });
});
