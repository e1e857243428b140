import { createHmac } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { pushReceivers } from "#adapters/webhook/receivers";
import { receiversWithAliases } from "#app/detect/aliases";
import { explain } from "#app/api/explain";
import { seconds } from "#domain/shared/time";
import { host, trackApi, type World, worldWithApi } from "../world.ts";
import { stoppedClock } from "#test/stopped-clock";

const mirror = "mirror.test";
const pulled = `${mirror}/shop/api:1.0.0`;

let aliases: Map<string, string>;
let lookout: World;
beforeEach(async () => {
  aliases = new Map([
    [mirror, host],
    ["old.test", host],
  ]);
  lookout = await worldWithApi(aliases);
});

describe("a workload that pulls from an alias of its registry", () => {
  it("is updated by a push to the registry, and keeps its alias", async () => {
    const key = await trackApi(lookout, {}, { image: pulled });

    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(15));

    expect(lookout.image(key)).toBe(`${mirror}/shop/api:1.1.0@${digest}`);
    const record = await lookout.record(key);
    expect(record.last).toMatchObject({
      status: "succeeded",
      changes: [{ imageName: `${host}/shop/api`, from: pulled, to: `${mirror}/shop/api:1.1.0@${digest}` }],
    });
  });

  it("gets its old image back when the new one does not start", async () => {
    const key = await trackApi(lookout, {}, { image: pulled });

    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(seconds(120));

    expect((await lookout.record(key)).last?.status).toBe("rolled-back");
    expect(lookout.image(key)).toBe(pulled);
  });

  it("is explained with the tags of the registry", async () => {
    const key = await trackApi(lookout, {}, { image: pulled });
    await lookout.push("shop/api", "1.1.0", { quietly: true });

    const explanation = await explain(key, lookout.ports, new AbortController().signal);

    expect(explanation?.selections).toMatchObject([{ outcome: "selected", tag: "1.1.0", tags: 2 }]);
    expect(explanation?.workload.runs).toMatchObject([{ imageName: `${host}/shop/api`, image: pulled }]);
  });

  it("does not get a blocked digest under another host", async () => {
    const key = await trackApi(lookout, {}, { image: pulled });
    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(seconds(120));
    const { seq } = await lookout.record(key);

    lookout.deploy({ name: "api", image: "old.test/shop/api:1.0.0" });
    await lookout.pass(seconds(2));
    await lookout.sync();
    await lookout.pass(seconds(120));

    expect(lookout.image(key)).toBe("old.test/shop/api:1.0.0");
    expect(await lookout.record(key)).toMatchObject({ seq, selectionFailures: [{ reason: "digest-blocked" }] });
  });

  it("receives pushes from the start if its host is a known alias", async () => {
    const key = await trackApi(lookout, {}, { image: "new.test/shop/api:1.0.0" });
    const { workload, selectionFailures } = await lookout.record(key);
    expect(selectionFailures).toMatchObject([{ reason: "repository-not-found" }]);

    aliases.set("new.test", host);
    await lookout.ports.queues.send([
      { command: { name: "EvaluateWorkload", id: "start", workload, source: "start" } },
    ]);
    await lookout.settle();
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(15));

    expect(lookout.image(key)).toBe(`new.test/shop/api:1.1.0@${digest}`);
  });
});

describe("a receiver", () => {
  const secret = "a-secret-of-the-build";
  const receivers = receiversWithAliases(
    pushReceivers([{ name: "build", kind: "generic", secret, registry: "OLD.test" }], stoppedClock),
    new Map([["old.test", host]]),
  );
  const receive = async (content: object) => {
    const body = Buffer.from(JSON.stringify(content));
    const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    return (await receivers.receiver("build"))?.receive({
      method: "POST",
      headers: { "x-signature": signature },
      query: {},
      body,
    });
  };

  it.each([
    { because: "its own registry is an alias", content: { name: "shop/api", tag: "1" }, registry: host },
    { because: "the sender uses the alias", content: { name: "old.test/shop/api", tag: "1" }, registry: host },
    {
      because: "the sender uses another host",
      content: { name: "else.test/shop/api", tag: "1" },
      registry: "else.test",
    },
  ])("reports pushes under the registry's own host when $because", async ({ content, registry }) => {
    expect(await receive(content)).toMatchObject({ kind: "pushes", pushes: [{ registry, repository: "shop/api" }] });
  });

  it("rejects invalid proofs and unknown names", async () => {
    const unsigned = { method: "POST", headers: {}, query: {}, body: Buffer.from("{}") };
    expect((await (await receivers.receiver("build"))?.receive(unsigned))?.kind).toBe("unauthorized");
    expect(await receivers.receiver("other")).toBeUndefined();
  });
});
