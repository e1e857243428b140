import { beforeEach, describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { sweepRepository } from "#app/detect/sweep-repository";
import { withKnown } from "#domain/policy/tag-history";
import { minutes, seconds } from "#domain/shared/time";
import { host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
const name = { registry: host, repository: "shop/api" };

beforeEach(async () => {
  lookout = await worldWithApi();
});

const latest = { "lookout.dev/policy": "latest" };
const regex = (pattern: string) => ({ "lookout.dev/policy": "regex", "lookout.dev/tag-pattern": pattern });
const tagOf = (key: string): string => /:([^:@]+)@?[^/]*$/.exec(lookout.image(key))?.[1] ?? "";

async function pushed(tag: string): Promise<void> {
  await lookout.push("shop/api", tag);
  await lookout.pass(seconds(30));
}

async function pushedUnheard(...tags: readonly string[]): Promise<void> {
  for (const tag of tags) await lookout.push("shop/api", tag, { quietly: true });
}

/** Tells of a push as ECR does, with its digest. */
async function told(tag: string, digest: string): Promise<void> {
  const at = lookout.ports.clock.now();
  await lookout.ports.bus.publish([
    { name: "ImagePushed", id: digest, ...name, tag, digest, source: "webhook distribution", at },
  ]);
  await lookout.pass(seconds(30));
}

describe("a push under each policy", () => {
  it.each([
    { policy: { "lookout.dev/semver-range": "^1" }, pushes: ["1.2.0", "1.1.0", "2.0.0"], runs: "1.2.0" },
    { policy: latest, pushes: ["f00d", "1.2.0", "main"], runs: "main" },
    { policy: regex("^main-"), pushes: ["main-b", "main-a", "dev-c"], runs: "main-a" },
    {
      policy: {
        ...regex("^(?:b-)?(?P<n>[0-9]+)"),
        "lookout.dev/filter-extract": "$n",
        "lookout.dev/order": "numerical",
      },
      pushes: ["b-9", "b-10", "b-8", "x"],
      runs: "b-10",
    },
    { policy: { ...regex("^b-|^1"), "lookout.dev/order": "alphabetical" }, pushes: ["b-9", "b-10"], runs: "b-9" },
    { policy: { "lookout.dev/policy": "alphabetical" }, pushes: ["a", "c", "b"], runs: "c" },
    {
      policy: {
        "lookout.dev/policy": "numerical",
        "lookout.dev/tag-pattern": "^([0-9]+)[.0]*$",
        "lookout.dev/filter-extract": "$1",
      },
      pushes: ["7", "12", "x"],
      runs: "12",
    },
    { policy: { "lookout.dev/policy": "digest" }, pushes: ["2.0.0", "1.0.0"], runs: "1.0.0" },
    { policy: { "lookout.dev/tag-pattern": "^1[.][01]" }, pushes: ["1.1.0", "1.2.0"], runs: "1.1.0" },
  ])("$policy: of $pushes, $runs runs", async ({ policy, pushes, runs }) => {
    const key = await trackApi(lookout, policy);
    for (const tag of pushes) await pushed(tag);

    const now = await lookout.ports.registry.resolve(name, runs, new AbortController().signal);
    expect(lookout.image(key)).toBe(`${host}/shop/api:${runs}@${"digest" in now ? now.digest : ""}`);
    expect(lookout.failures).toEqual([]);
  });

  it("with an invalid pattern is held with a reason", async () => {
    const key = await trackApi(lookout, regex("main-("));
    await pushed("main-1");

    expect(tagOf(key)).toBe("1.0.0");
    expect((await lookout.record(key)).selectionFailures).toEqual([
      {
        container: "app",
        reason: "problem-in-settings",
        detail: 'lookout.dev/tag-pattern "main-(": not a pattern (character 6: missing closing ))',
      },
    ]);
  });
});

describe("an image without a tag", () => {
  it("follows latest without a policy, also after its first update", async () => {
    await pushedUnheard("latest");
    const key = await trackApi(lookout, {}, { image: `${host}/shop/api` });
    await pushed("latest");
    const first = lookout.image(key);
    await pushed("main");
    const digest = await lookout.push("shop/api", "latest");
    await lookout.pass(seconds(30));

    expect(first).toMatch(/:latest@sha256:/);
    expect(lookout.image(key)).toBe(`${host}/shop/api:latest@${digest}`);
  });
});

describe("the newest tag", () => {
  it("is no tag from before the first listing", async () => {
    await pushedUnheard("main", "dev");
    const key = await trackApi(lookout, latest);
    await lookout.sweep();
    await lookout.sweep();

    expect(tagOf(key)).toBe("1.0.0");
    expect((await lookout.record(key)).seq).toBe(0);
  });

  it("may be a tag from before the first listing after it moves", async () => {
    await pushedUnheard("main");
    const key = await trackApi(lookout, latest);
    await lookout.sweep();
    await pushed("main");

    expect(tagOf(key)).toBe("main");
  });

  it("does not change with a repeated notification", async () => {
    const key = await trackApi(lookout, latest);
    await pushed("main-1");
    await pushed("main-2");
    await lookout.tellAgain("shop/api", "main-1");
    await lookout.pass(seconds(30));

    expect(tagOf(key)).toBe("main-2");
  });

  it("does not change with a late notification of an old push", async () => {
    const key = await trackApi(lookout, latest);
    const old = await lookout.push("shop/api", "main-1", { quietly: true });
    await pushedUnheard("main-1");
    await told("main-1", old);

    expect(tagOf(key)).toBe("1.0.0");
  });

  it("is skipped after it was deleted", async () => {
    const key = await trackApi(lookout, { ...latest, "lookout.dev/suspend": "true" });
    await pushed("main-1");
    await pushed("main-2");
    lookout.registry.deleteTag(host, "shop/api", "main-2");
    await lookout.sweep();
    await lookout.pass(seconds(30));

    expect((await lookout.record(key)).pending?.changes.map(({ tag }) => tag)).toEqual(["main-1"]);
  });

  it("is found among three tags that were pushed at the same time", async () => {
    const key = await trackApi(lookout, regex("^main-"));
    await lookout.push("shop/api", "dev-1");
    await lookout.push("shop/api", "main-1");
    await lookout.push("shop/api", "dev-2");
    await lookout.pass(seconds(30));

    expect(tagOf(key)).toBe("main-1");
  });

  it("is known even if the registry failed at its push", async () => {
    const key = await trackApi(lookout, latest);
    const digest = await lookout.push("shop/api", "main-1", { quietly: true });
    lookout.registry.unreachable(host, true);
    await told("main-1", digest);
    lookout.registry.unreachable(host, false);
    await lookout.sweep();
    await lookout.pass(seconds(30));

    expect(tagOf(key)).toBe("main-1");
  });

  it("is selected by more workloads than one page has", async () => {
    const image = `${host}/shop/api:1.0.0`;
    const held = { "lookout.dev/suspend": "true" };
    for (let index = 0; index < 100; index += 1) lookout.deploy({ name: `api-${index}`, image, annotations: held });
    const last = lookout.deploy({ name: "web", image, annotations: latest });
    await lookout.sync();
    await pushed("main-1");

    expect(tagOf(last)).toBe("main-1");
  });

  it("is shown with its policy and the tags without a known move", async () => {
    await pushedUnheard("dev");
    const key = await trackApi(lookout, regex("^(main|dev)"));
    await pushed("main-1");

    expect((await explain(key, lookout.ports, new AbortController().signal))?.selections).toEqual([
      {
        container: "app",
        policy: "regex ^(main|dev)",
        outcome: "unchanged",
        tag: "main-1",
        tags: 3,
        rejected: [
          { tag: "1.0.0", reason: "pattern-does-not-match" },
          { tag: "dev", reason: "push-time-unknown" },
        ],
      },
    ]);
  });
});

describe("a push without a notification under the policy latest", () => {
  it("is found by the sweep if its tag is new", async () => {
    const key = await trackApi(lookout, latest);
    await lookout.sweep();
    await pushedUnheard("main-1");
    await lookout.sweep();
    await lookout.pass(seconds(30));

    expect(tagOf(key)).toBe("main-1");
    expect((await lookout.ports.repositories.read(name))?.missed).toBe(1);
  });

  it("is found later if the registry can't resolve its tag yet", async () => {
    const key = await trackApi(lookout, latest);
    await lookout.sweep();
    await pushedUnheard("main-1");
    const command = { name: "SweepRepository", id: "sweep:1", ...name, at: lookout.ports.clock.now() } as const;
    const registry = {
      ...lookout.ports.registry,
      resolve: async () => ({ kind: "unreachable", detail: "it is busy" }) as const,
    };
    await lookout.pass(minutes(1));
    const { signal } = new AbortController();
    await sweepRepository({ ...command, at: lookout.ports.clock.now() }, { ...lookout.ports, registry }, signal);
    await lookout.pass(seconds(30));
    expect(tagOf(key)).toBe("1.0.0");
    await lookout.sweep();
    await lookout.pass(seconds(30));

    expect(tagOf(key)).toBe("main-1");
  });

  it("is not reported after an incomplete listing", async () => {
    await pushedUnheard("main", "dev");
    const key = await trackApi(lookout, latest);
    await lookout.sweep();
    lookout.registry.deleteTag(host, "shop/api", "main");
    await lookout.sweep();
    await pushedUnheard("main");
    await lookout.sweep();
    await lookout.pass(seconds(30));

    expect(tagOf(key)).toBe("1.0.0");
  });

  it("is not an old tag after a failed listing", async () => {
    await pushedUnheard("dev");
    const key = await trackApi(lookout, latest);
    await lookout.sweep();
    await lookout.ports.tagHistory.drop(name);
    await pushed("main-1");
    lookout.registry.unreachable(host, true);
    await lookout.sweep();
    lookout.registry.unreachable(host, false);
    await lookout.pass(minutes(5));
    await lookout.sweep();
    await lookout.pass(seconds(30));

    expect((await lookout.ports.tagHistory.list(name)).map(({ tag }) => tag)).toEqual(["main-1"]);
    expect(tagOf(key)).toBe("main-1");
  });

  it("is not derived from pushes during which no workload followed the repository", async () => {
    const key = await trackApi(lookout, latest);
    await lookout.sweep();
    expect(await lookout.ports.tagHistory.listed(name)).toEqual(withKnown([], ["1.0.0"]));
    lookout.cluster.annotate(
      { namespace: "shop", kind: "Deployment", name: "api" },
      { "lookout.dev/policy": "digest" },
    );
    await lookout.sync();
    await lookout.sweep();
    expect(await lookout.ports.tagHistory.listed(name)).toBeUndefined();
    await pushedUnheard("main");
    await lookout.sweep();
    lookout.cluster.annotate({ namespace: "shop", kind: "Deployment", name: "api" }, latest);
    await lookout.sync();
    await lookout.sweep();
    await lookout.pass(seconds(30));

    expect(tagOf(key)).toBe("1.0.0");
  });
});
