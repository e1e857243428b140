import { beforeEach, describe, expect, it } from "vitest";
import { hours, minutes, plus, seconds } from "#domain/shared/time";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const aged = { "lookout.dev/min-age": "60s" };
const tagOf = (key: string): string => /:([^:@]+)@/.exec(lookout.image(key))?.[1] ?? "1.0.0";
const pending = async (key: string) => (await lookout.record(key)).pending;
const requests = (): number => lookout.registry.calls.resolve + lookout.registry.calls.manifest;
const quarantine = (digest: string) =>
  lookout.ports.quarantine.add({ digest, by: "ana", why: "CVE", at: lookout.clock.now() });

describe("a repository that is pushed more often than the minimum age", () => {
  it("gives its workloads an update for each push, once the image is old enough", async () => {
    const key = await trackApi(lookout, aged);
    const pushedAt = new Map<string, number>();
    const got: string[] = [];
    for (let step = 1; step <= 30; step += 1) {
      const tag = `1.${step}.0`;
      pushedAt.set(tag, lookout.clock.now());
      await lookout.push("shop/api", tag);
      for (let second = 0; second < 20; second += 1) {
        await lookout.pass(seconds(1));
        const runs = tagOf(key);
        if (runs === "1.0.0" || got.at(-1) === runs) continue;
        got.push(runs);
        expect(lookout.clock.now() - (pushedAt.get(runs) ?? Infinity)).toBeGreaterThanOrEqual(60_000);
      }
    }

    expect(got.length).toBeGreaterThan(20);
    expect(got.at(-1)).toBe("1.28.0");
  });

  it("holds the next image that is old enough, and is never up to date meanwhile", async () => {
    const key = await trackApi(lookout, aged);
    const seenAt = lookout.clock.now();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(20));
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(seconds(20));

    expect(await pending(key)).toMatchObject({
      changes: [{ tag: "1.1.0" }],
      waits: [{ reason: "image-too-new", until: plus(seenAt, seconds(60)) }],
      reselectAt: plus(seenAt, seconds(80)),
    });
    expect(lookout.facts.filter(({ name }) => name === "UpdateSuperseded")).toEqual([]);
  });

  it("gives a workload that follows one tag the newest digest that is old enough and still exists", async () => {
    const key = await trackApi(lookout, { ...aged, "lookout.dev/policy": "digest" });
    const first = await lookout.push("shop/api", "1.0.0");
    await lookout.pass(seconds(20));
    const second = await lookout.push("shop/api", "1.0.0");
    await lookout.pass(seconds(20));
    await lookout.push("shop/api", "1.0.0");
    await lookout.pass(seconds(19));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);

    await lookout.pass(seconds(3));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0@${first}`);
    await lookout.push("shop/api", "1.0.0");
    await lookout.pass(seconds(20));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0@${second}`);
  });

  it.each([{ "lookout.dev/policy": "latest" }, { "lookout.dev/policy": "regex", "lookout.dev/tag-pattern": "^main-" }])(
    "gives the newest tag that is old enough under %j",
    async (policy) => {
      const key = await trackApi(lookout, { ...aged, ...policy });
      for (let step = 1; step <= 6; step += 1) {
        await lookout.push("shop/api", `main-${step}`);
        await lookout.pass(seconds(20));
      }

      expect(tagOf(key)).toBe("main-4");
      await lookout.pass(seconds(70));
      expect(tagOf(key)).toBe("main-6");
    },
  );

  it("gives no digest of one tag that is gone, and waits for a younger one", async () => {
    const key = await trackApi(lookout, { ...aged, "lookout.dev/policy": "digest" });
    const first = await lookout.push("shop/api", "1.0.0");
    await lookout.pass(seconds(20));
    const second = await lookout.push("shop/api", "1.0.0");
    await lookout.pass(seconds(20));
    lookout.registry.deleteDigest(host, "shop/api", first);
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);

    await lookout.pass(seconds(20));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0@${second}`);
  });

  it("gives a workload without digests in its images only the present digest of its tag", async () => {
    const key = await trackApi(lookout, { ...aged, "lookout.dev/policy": "digest", "lookout.dev/apply": "restart" });
    await lookout.push("shop/api", "1.0.0");
    await lookout.pass(seconds(50));
    const second = await lookout.push("shop/api", "1.0.0");
    await lookout.pass(seconds(55));
    expect(lookout.factNames(key)).not.toContain("UpdateReleased");

    expect(await pending(key)).toMatchObject({ changes: [{ digest: second }] });
    await lookout.pass(seconds(10));
    expect(lookout.factNames(key)).toContain("UpdateReleased");
  });
});

describe("the age of an image", () => {
  it("starts again when its tag leaves the digest and comes back", async () => {
    const key = await trackApi(lookout, aged);
    const second = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(2));
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(40));
    lookout.registry.moveTag(host, "shop/api", "1.1.0", second);
    await lookout.tellAgain("shop/api", "1.1.0");
    await lookout.pass(seconds(58));
    expect(tagOf(key)).toBe("1.0.0");

    await lookout.pass(seconds(4));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${second}`);
  });

  it("starts again when its tag is deleted and pushed again", async () => {
    const key = await trackApi(lookout, aged);
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(30));
    lookout.registry.deleteTag(host, "shop/api", "1.1.0");
    await lookout.sweep();
    expect(await pending(key)).toBeUndefined();

    lookout.registry.push(host, "shop/api", "1.1.0", { digest });
    await lookout.tellAgain("shop/api", "1.1.0");
    await lookout.pass(seconds(58));
    expect(tagOf(key)).toBe("1.0.0");
    await lookout.pass(seconds(4));
    expect(tagOf(key)).toBe("1.1.0");
  });

  it("begins at the sweep that finds a tag", async () => {
    const key = await trackApi(lookout, { "lookout.dev/min-age": "1h" });
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    await lookout.pass(minutes(10));
    await lookout.sweep();
    const seenAt = lookout.clock.now();

    expect(await pending(key)).toMatchObject({ waits: [{ until: plus(seenAt, hours(1)) }] });
  });

  it("begins at a push that joined the evaluation of another push", async () => {
    const key = await trackApi(lookout, aged);
    await lookout.push("shop/api", "1.2.0");
    await lookout.settle();
    const { pushCoalescing, clock } = lookout.ports;
    const name = { registry: host, repository: "shop/api" };
    expect(await pushCoalescing.begin(name, "another", clock.now())).toBe("first");
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    expect(await pushCoalescing.end(name, "another", clock.now())).toBe("again");
    expect(await pushCoalescing.end(name, "another", clock.now())).not.toBe("again");
    await lookout.pass(seconds(30));
    lookout.registry.deleteTag(host, "shop/api", "1.2.0");
    await lookout.sweep();
    await lookout.pass(seconds(34));

    expect(tagOf(key)).toBe("1.1.0");
  });

  it("is waited for once at the first start, and the wait says so", async () => {
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    await lookout.push("shop/api", "1.2.0", { quietly: true });
    const key = await trackApi(lookout, aged);
    await lookout.pass(seconds(1));
    const [wait] = (await pending(key))?.waits ?? [];
    expect(wait?.reason).toBe("image-too-new");
    expect(wait?.detail).toContain("1.2.0 was first seen at ");

    await lookout.pass(seconds(60));
    expect(tagOf(key)).toBe("1.2.0");
  });
});

describe("an update that is old enough", () => {
  it("is not released if its digest was deleted during the hold", async () => {
    const key = await trackApi(lookout, aged);
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(30));
    lookout.registry.deleteDigest(host, "shop/api", digest);
    await lookout.pass(seconds(40));

    expect(tagOf(key)).toBe("1.0.0");
    expect(lookout.factNames(key)).not.toContain("UpdateReleased");
  });

  it("is not released if its digest was deleted while another gate held it", async () => {
    const key = await trackApi(lookout, { ...aged, "lookout.dev/maintenance-window": "11:00-14:00" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(30));
    lookout.registry.deleteTag(host, "shop/api", "1.1.0");
    await lookout.pass(minutes(40));

    expect(tagOf(key)).toBe("1.0.0");
  });

  it("is replaced by a higher image that is old enough before its window opens", async () => {
    const key = await trackApi(lookout, { ...aged, "lookout.dev/maintenance-window": "11:00-14:00" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(40));
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(seconds(30));
    expect(await pending(key)).toMatchObject({ changes: [{ tag: "1.1.0" }], waits: [{ reason: "window-closed" }] });

    await lookout.pass(seconds(40));
    expect(await pending(key)).toMatchObject({ changes: [{ tag: "1.2.0" }], waits: [{ reason: "window-closed" }] });
    await lookout.pass(hours(1));
    expect(tagOf(key)).toBe("1.2.0");
    expect(lookout.factNames(key).filter((name) => name === "UpdateReleased")).toHaveLength(1);
  });

  it("waits while the registry does not confirm it, and starts when the registry answers", async () => {
    const key = await trackApi(lookout, aged);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(30));
    lookout.registry.unreachable(host, true);
    await lookout.pass(minutes(5));
    expect(tagOf(key)).toBe("1.0.0");
    expect((await pending(key))?.waits).toMatchObject([{ reason: "registry-unreachable" }]);

    lookout.registry.unreachable(host, false);
    await lookout.reap();
    await lookout.pass(minutes(1));
    expect(tagOf(key)).toBe("1.1.0");
  });

  it("is the next image below a quarantined one", async () => {
    const key = await trackApi(lookout, aged);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(1));
    await quarantine(await lookout.push("shop/api", "1.2.0"));
    await lookout.pass(seconds(70));

    expect(tagOf(key)).toBe("1.1.0");
  });

  it("is the next image below a blocked one", async () => {
    const key = await trackApi(lookout, { ...aged, "lookout.dev/rollback-timeout": "30s" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(1));
    await lookout.push("shop/api", "1.2.0", { broken: true });
    await lookout.pass(minutes(5));
    await lookout.sweep();
    await lookout.pass(minutes(5));

    expect(tagOf(key)).toBe("1.1.0");
  });

  it("is asked for approval, not a younger image", async () => {
    const key = await trackApi(lookout, { ...aged, "lookout.dev/approval-required": "true" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(50));
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(seconds(20));

    expect(await pending(key)).toMatchObject({ changes: [{ tag: "1.1.0" }], waits: [{ reason: "needs-approval" }] });
  });
});

describe("a selection among young images", () => {
  it("sends at most ten requests", async () => {
    const key = await trackApi(lookout, aged);
    for (let minor = 1; minor <= 30; minor += 1) {
      const digest = await lookout.push("shop/api", `1.${minor}.0`, { quietly: true });
      await quarantine(digest);
    }
    const before = requests();
    await lookout.tellAgain("shop/api", "1.30.0");
    await lookout.settle();

    expect(requests() - before).toBeLessThanOrEqual(10);
    expect(tagOf(key)).toBe("1.0.0");
  });

  it("asks for no young image again", async () => {
    await trackApi(lookout, aged);
    for (let minor = 1; minor <= 3; minor += 1) await lookout.push("shop/api", `1.${minor}.0`);
    await lookout.settle();
    const before = requests();
    await lookout.sweep();

    // The running tag.
    expect(requests() - before).toBe(1);
  });

  it("ends its wait when the annotation is removed", async () => {
    const key = await trackApi(lookout, { "lookout.dev/min-age": "1h" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(10));
    await lookout.push("shop/api", "1.2.0");
    await lookout.settle();
    lookout.cluster.annotate(api, { "lookout.dev/min-age": undefined });
    await lookout.sync();
    await lookout.pass(seconds(5));

    expect(tagOf(key)).toBe("1.2.0");
  });
});
