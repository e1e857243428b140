import { beforeEach, describe, expect, it } from "vitest";
import { pushReceivers } from "#adapters/webhook/receivers";
import type { ImagePushed } from "#domain/image/push";
import { handler } from "#functions/detect/registry-webhook";
import { seconds } from "#domain/shared/time";
import { host, trackApi, type World, worldWithApi } from "#test/app/world";
import { stoppedClock } from "#test/stopped-clock";

const secret = "a secret of this test, which is long";
const receivers = pushReceivers(
  [
    { name: "quay", kind: "quay", secret },
    { name: "hub", kind: "distribution", secret },
    { name: "ecr", kind: "ecr", secret },
  ],
  stoppedClock,
);
const digest = `sha256:${"a1".repeat(32)}`;

let lookout: World;
/** What was published since the beginning. */
let published: ImagePushed[];

beforeEach(async () => {
  lookout = await worldWithApi();
  published = [];
});

async function notify(receiver: string, body: object): Promise<{ readonly status: number; readonly answer: object }> {
  const { bus } = lookout.ports;
  const watched: typeof bus = {
    publish: async (events) => {
      published.push(...events.filter((event) => event.name === "ImagePushed"));
      await bus.publish(events);
    },
  };
  const request = new Request(`http://localhost/webhooks/${receiver}?secret=${encodeURIComponent(secret)}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${secret}`, "x-webhook-secret": secret },
  });
  const response = await handler(request, {
    ports: { ...lookout.ports, bus: watched },
    receivers,
    setAside: { deadLetter: () => Promise.reject(new Error()), keep: () => Promise.reject(new Error()) },
    log: { outcome: () => undefined, failure: () => undefined },
    signal: new AbortController().signal,
  });
  return { status: response.status, answer: (await response.json()) as object };
}

const tags = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `t${index.toString(36)}`);
const pushOf = (repository: string, tag: string) => ({
  action: "push",
  target: { mediaType: "application/vnd.oci.image.manifest.v1+json", repository, digest, tag },
  request: { host },
});
const rejected = () => lookout.measurements.filter(({ name }) => name === "WebhooksRejected").map(({ about }) => about);
const longestId = () => Math.max(...published.map(({ id }) => id.length));

describe("a large notification", () => {
  it("with 125,000 tags is one push of the repository, read in bounded time, with a short id", async () => {
    const small = { docker_url: `${host}/shop/api`, updated_tags: tags(1_000) };
    const large = { docker_url: `${host}/shop/api`, updated_tags: tags(125_000) };
    const took = async (body: object): Promise<number> => {
      const begins = performance.now();
      await notify("quay", body);
      return performance.now() - begins;
    };
    await took(small);
    const memoryBefore = process.memoryUsage().heapUsed;
    const [ofSmall, ofLarge] = [await took(small), await took(large)];

    // 125 times the tags: the time must not grow with their square.
    expect(ofLarge).toBeLessThan(Math.max(20, ofSmall) * 125 * 4);
    expect(process.memoryUsage().heapUsed - memoryBefore).toBeLessThan(200e6);
    expect(published).toHaveLength(3);
    expect(published.at(-1)).toMatchObject({ registry: host, repository: "shop/api" });
    expect(Object.keys(published.at(-1)!)).not.toContain("tag");
    expect(longestId()).toBeLessThan(257);
  });

  it("with many tags updates the same workloads as a push of each tag", async () => {
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    await notify("quay", { docker_url: `${host}/shop/api`, updated_tags: [...tags(400), "1.1.0"] });
    await lookout.pass(seconds(20));

    expect(lookout.image(key)).toContain("/shop/api:1.1.0@");
    expect(lookout.registry.calls.tags).toBeLessThan(5);
  });

  it("keeps its id when it is repeated, and has another id for other tags", async () => {
    await notify("quay", { docker_url: `${host}/shop/api`, updated_tags: tags(400) });
    await notify("quay", { docker_url: `${host}/shop/api`, updated_tags: tags(400) });
    await notify("quay", { docker_url: `${host}/shop/api`, updated_tags: tags(401) });

    expect(published[1]!.id).toBe(published[0]!.id);
    expect(published[2]!.id).not.toBe(published[0]!.id);
  });

  it("with 100 tags is a push of each", async () => {
    await notify("quay", { docker_url: `${host}/shop/api`, updated_tags: tags(100) });

    expect(published.map(({ tag }) => tag)).toEqual(tags(100));
    expect(new Set(published.map(({ id }) => id)).size).toBe(100);
    expect(longestId()).toBeLessThan(257 + 129);
  });

  it("with 300 tags of two repositories is one push of each repository", async () => {
    const events = tags(150).flatMap((tag) => [pushOf("shop/api", tag), pushOf("shop/web", tag)]);
    const { answer } = await notify("hub", { events });

    expect(published.map(({ repository, tag }) => [repository, tag])).toEqual([
      ["shop/api", undefined],
      ["shop/web", undefined],
    ]);
    expect(answer).toEqual({ pushes: 2 });
  });

  it("with 900 repositories counts for the first 100, and reports the rest to the sender and in metrics", async () => {
    const events = Array.from({ length: 900 }, (_, index) => pushOf(`shop/api-${index}`, "1.0.0"));
    const { status, answer } = await notify("hub", { events });

    expect(published).toHaveLength(100);
    expect({ status, answer }).toEqual({
      status: 202,
      answer: { pushes: 100, unread: "the notification has 900 repositories, and only the first 100 count" },
    });
    expect(rejected()).toEqual([{ reason: "too-many", receiver: "hub" }]);
  });

  it("with more than 1,000 events is read up to the limit, with a note", async () => {
    const { answer } = await notify("hub", {
      events: [pushOf("shop/api", "1.1.0"), ...Array.from({ length: 200_000 }, () => ({}))],
    });

    expect(published.map(({ tag }) => tag)).toEqual(["1.1.0"]);
    expect(answer).toEqual({ pushes: 1, unread: "events has more than 1000 entries, and only these are read" });
    expect(rejected()).toEqual([{ reason: "too-many", receiver: "hub" }]);
  });

  it("with more than 1,000 events and no push among the first is rejected and counted", async () => {
    const { answer } = await notify("hub", { events: Array(40_000).fill({ action: "pull" }) });

    expect(answer).toEqual({ ignored: "events has more than 1000 entries, and only these are read" });
    expect(rejected()).toEqual([{ reason: "malformed", receiver: "hub" }]);
  });
});

describe("an event of ECR", () => {
  it("of an invalid region is refused and counted", async () => {
    const { aPush } = await import("#test/deploy/event-rules/ecr-events");
    const { status } = await notify("ecr", { ...aPush, region: "us-east-1.evil.example" });
    const { status: known } = await notify("ecr", aPush);

    expect([status, known]).toEqual([400, 202]);
    expect(published.map(({ registry }) => registry)).toEqual(["123456789012.dkr.ecr.eu-central-1.amazonaws.com"]);
    expect(rejected()).toEqual([{ reason: "malformed", receiver: "ecr" }]);
  });
});
