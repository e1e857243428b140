import { describe, expect, it } from "vitest";
import { hours, minutes, seconds } from "#domain/shared/time";
import { PermanentError } from "#ports/errors";
import { memoryDatabase, type StateDatabase } from "#adapters/sqlite/database";
import { statePorts } from "#runtime/local/state";
import { workloadKey, type WorkloadName } from "#domain/workload/workload";
import { named } from "#test/named";
import { host, trackApi, type World, worldWithApi } from "../world.ts";

/** Lets a day pass with the schedules: a sync and the reaper each minute, and sweeps each hour. */
async function passDay(lookout: World, everyHour: (hour: number) => Promise<unknown> = async () => undefined) {
  for (let hour = 0; hour < 24; hour += 1) {
    await everyHour(hour);
    await lookout.sweep();
    for (let minute = 0; minute < 60; minute += 1) {
      await lookout.sync();
      await lookout.reap();
      await lookout.pass(minutes(1));
    }
  }
}

/** Returns the number of deliveries of each queue from now on. */
function countsFrom({ deliveries }: World): () => Readonly<Record<string, number>> {
  const before = new Map(deliveries);
  return () => Object.fromEntries([...deliveries].map(([queue, count]) => [queue, count - (before.get(queue) ?? 0)]));
}

describe("an evaluation of a workload without a record that always fails", () => {
  it("is retried after pauses that double, and is then kept without its count", async () => {
    const lookout = await worldWithApi();
    lookout.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
    Object.assign(lookout.ports.store, { installation: () => Promise.reject(new TypeError("a bug")) });
    const counts: number[] = [];
    await lookout.sync();
    for (let minute = 0; minute < 20 * 60; minute += 1) {
      const evaluations = countsFrom(lookout);
      await lookout.pass(minutes(1));
      counts.push((evaluations()["EvaluateWorkload"] ?? 0) > 0 ? minute : -1);
    }

    expect(counts.filter((minute) => minute >= 0)).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 871]);
    const { id, body } = lookout.kept[0] ?? {};
    expect(lookout.kept).toHaveLength(1);
    expect({ id, message: JSON.parse(body ?? "") as unknown }).toEqual({
      id: "m",
      message: {
        name: "EvaluateWorkload",
        id: expect.any(String) as unknown,
        workload: named("prod/shop/deployment/api"),
        source: "retry",
      },
    });
  });

  it("is kept at once after a permanent error, and resumes with the next complete sync", async () => {
    const lookout = await worldWithApi();
    const key = lookout.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
    const { store } = lookout.ports;
    const installation = () => Promise.reject(new PermanentError("denied"));
    Object.assign(lookout.ports, { store: { ...store, installation } });
    const counts = countsFrom(lookout);
    await lookout.sync();
    await lookout.pass(minutes(50));

    expect(counts()).toEqual({ SyncCluster: 1, EvaluateWorkload: 1, "dead-letter": 1 });
    expect(lookout.kept.map(({ why }) => why)).toEqual(["denied"]);

    Object.assign(lookout.ports, { store });
    await lookout.pass(minutes(11));
    await lookout.sync();
    expect(await lookout.record(key)).toMatchObject({ tracked: true });
  });
});

describe("an evaluation of a tracked workload that always fails", () => {
  it("has one series of retries, however many pushes ask for it", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout);
    const { store } = lookout.ports;
    const slots = store.slots.bind(store);
    let isReaping = false;
    Object.assign(lookout.ports.store, {
      slots: (cluster: string) => (isReaping ? slots(cluster) : Promise.reject(new TypeError("no slots"))),
    });
    const reap = lookout.reap.bind(lookout);
    Object.assign(lookout, {
      reap: async () => {
        isReaping = true;
        await reap();
        isReaping = false;
      },
    });
    const hourly: number[] = [];
    await passDay(lookout, async (hour) => {
      const counts = countsFrom(lookout);
      await lookout.push("shop/api", `1.${hour + 1}.0`);
      await lookout.pass(hours(1));
      hourly.push(counts()["EvaluateWorkload"] ?? 0);
    });

    expect(Math.max(...hourly.slice(4))).toBeLessThanOrEqual(Math.max(...hourly.slice(0, 4)));
    expect((await lookout.record(key)).selectionFailures).toMatchObject([{ reason: "evaluation-failed" }]);
  });
});

/** Makes the record of a workload unreadable. Returns the function that restores the record. */
function spoil({ sql }: StateDatabase, key: string, change: string): () => void {
  const place = `pk = 'WORKLOAD#${key}' AND sk = 'WORKLOAD'`;
  const { form, value } = sql.prepare(`SELECT form, value FROM items WHERE ${place}`).get() ?? {};
  sql.exec(`UPDATE items SET ${change}, due_at = 1 WHERE ${place}`);
  return () => sql.prepare(`UPDATE items SET form = ?, value = ? WHERE ${place}`).run(form ?? null, value ?? null);
}

describe("a record that can't be read, among others", () => {
  it.each([
    { what: "damaged", change: `value = '{"tracked":true}'`, deliveries: 1 },
    { what: "of a newer Lookout", change: "form = 2", deliveries: 5 },
  ])("stops no other workload for a day, and repeats nothing: it is $what", async ({ change, deliveries }) => {
    const lookout = await worldWithApi();
    const database = memoryDatabase("abc123");
    Object.assign(lookout.ports, statePorts(database));
    const [api, web] = ["api", "web"].map((name) => lookout.deploy({ name, image: `${host}/shop/api:1.0.0` }));
    await lookout.pass(seconds(2));
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0");
    // An update of the workload is on its way, and its next command is queued.
    const restore = spoil(database, web!, change);
    const all = countsFrom(lookout);
    await passDay(lookout, (hour) => lookout.push("shop/api", `1.2.${hour}`));

    expect(lookout.image(api!)).toContain(":1.2.23@");
    const messages = lookout.kept.map(({ body }) => JSON.parse(body) as { name: string; workload: WorkloadName });
    expect(messages.map(({ workload }) => workloadKey(workload)).filter((key) => key !== web)).toEqual([]);
    expect(messages.length).toBeLessThanOrEqual(3);
    expect(all()["dead-letter"] ?? 0).toBe(messages.length);
    expect(all()["EvaluateWorkload"] ?? 0).toBeLessThanOrEqual(deliveries * messages.length + 2 * 24);

    restore();
    await lookout.sweep();
    await lookout.reap();
    await lookout.pass(minutes(5));
    expect(lookout.image(web!)).toContain(":1.2.23@");
  });
});
