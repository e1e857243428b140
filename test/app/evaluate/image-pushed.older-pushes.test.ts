import { beforeEach, describe, expect, it } from "vitest";
import { minutes, seconds } from "#domain/shared/time";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
const name = { registry: host, repository: "shop/api" };
const latest = { "lookout.dev/policy": "latest" };

beforeEach(async () => {
  lookout = await worldWithApi();
});

const tagOf = (key: string): string => /:([^:@]+)@?[^/]*$/.exec(lookout.image(key))?.[1] ?? "";

async function heard(...tags: readonly string[]): Promise<void> {
  for (const tag of tags) {
    await lookout.push("shop/api", tag);
    await lookout.pass(seconds(30));
  }
}

async function unheard(tag: string): Promise<string> {
  const digest = await lookout.push("shop/api", tag, { quietly: true });
  await lookout.pass(seconds(10));
  return digest;
}

/** Tells of a push that happened before. */
async function toldLate(tag: string, digest: string, at = lookout.ports.clock.now()): Promise<void> {
  await lookout.ports.bus.publish([
    { name: "ImagePushed", id: `late-${tag}`, ...name, tag, digest, source: "webhook distribution", at },
  ]);
  await lookout.pass(minutes(1));
}

async function swept(): Promise<void> {
  await lookout.sweep();
  await lookout.pass(minutes(1));
}

async function annotated(annotations: Parameters<World["cluster"]["annotate"]>[1]): Promise<void> {
  lookout.cluster.annotate(api, annotations);
  await lookout.sync();
  await lookout.pass(seconds(30));
}

describe("under latest, an older push does not replace a newer one", () => {
  it("when a sweep finds the older push", async () => {
    const key = await trackApi(lookout, latest);
    await swept();
    await unheard("v5");
    await heard("v6");
    await swept();

    expect(tagOf(key)).toBe("v6");
  });

  it("when a sweep finds the newer push first", async () => {
    const key = await trackApi(lookout, latest);
    await swept();
    await heard("v6");
    const digest = await unheard("v7");
    const at = lookout.ports.clock.now();
    await swept();
    await toldLate("v7", digest, at);

    expect(tagOf(key)).toBe("v7");
  });

  it("when a new workload runs a tag without a notification", async () => {
    await trackApi(lookout, latest);
    await swept();
    await heard("v9");
    await unheard("v10");
    const web = lookout.deploy({ name: "web", image: `${host}/shop/api:v10`, annotations: latest });
    await lookout.sync();
    await lookout.pass(minutes(1));

    expect(tagOf(web)).toBe("v10");
  });

  it("when a user sets an image while the older one is held", async () => {
    const key = await trackApi(lookout, { ...latest, "lookout.dev/suspend": "true" });
    await swept();
    await heard("v9");
    await unheard("v10");
    lookout.cluster.setImage(api, "app", `${host}/shop/api:v10`);
    await annotated({ "lookout.dev/suspend": undefined });
    await swept();

    expect(tagOf(key)).toBe("v10");
  });

  it("when its notification is repeated for a new workload", async () => {
    const digest = await unheard("v3");
    const at = lookout.ports.clock.now();
    await unheard("v9");
    const key = lookout.deploy({ name: "api", image: `${host}/shop/api:v9`, annotations: latest });
    await lookout.sync();
    await swept();
    await toldLate("v3", digest, at);

    expect(tagOf(key)).toBe("v9");
  });

  it("when versions were followed meanwhile", async () => {
    await swept();
    const key = await trackApi(lookout, latest);
    await heard("1.3.0");
    await annotated({ "lookout.dev/policy": "semver", "lookout.dev/semver-range": "*" });
    await swept();
    await heard("1.9.0");
    await annotated({ "lookout.dev/policy": "latest", "lookout.dev/semver-range": undefined });

    expect(tagOf(key)).toBe("1.9.0");
  });
});

describe("under latest, a push is not lost", () => {
  it("when its registry fails at first, and the notification has no digest", async () => {
    await unheard("staging");
    const key = await trackApi(lookout, latest);
    await swept();
    const resolve = lookout.registry.resolve.bind(lookout.registry);
    lookout.registry.resolve = (...asked) => {
      lookout.registry.resolve = resolve;
      return Promise.resolve({ kind: "unreachable", detail: `${asked[0].registry} could not be reached` });
    };
    await heard("staging");

    expect(tagOf(key)).toBe("staging");
  });

  it("when the policy was misspelt for a while", async () => {
    const key = await trackApi(lookout, { ...latest, "lookout.dev/suspend": "true" });
    await swept();
    await heard("v7");
    await annotated({ "lookout.dev/policy": "latst" });
    await swept();
    await annotated({ "lookout.dev/policy": "latest" });

    expect((await lookout.record(key)).pending?.changes.map(({ tag }) => tag)).toEqual(["v7"]);
  });
});
