import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hours, minutes, plus, seconds } from "#domain/shared/time";
import { releaseUpdates } from "#app/api/releases";
import { webhookFault } from "#test/channels/stand-ins/webhook";
import { host, trackApi, type World } from "../world.ts";
import { type CheckedWorld, checkedWorld, secret } from "./checked-world.ts";

let checked: CheckedWorld;
let lookout: World;
const open = async (...given: Parameters<typeof checkedWorld>): Promise<void> => {
  checked = await checkedWorld(...given);
  lookout = checked.lookout;
};
beforeEach(() => open());
afterEach(() => checked[Symbol.asyncDispose]());

const waits = async (key: string) => (await lookout.record(key)).pending?.waits;
const before = `${host}/shop/api:1.0.0`;

describe("an update of a namespace with a check", () => {
  it("starts after the check allowed it, which is asked once with a signature", async () => {
    const key = await trackApi(lookout);
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect(checked.questions()).toEqual([
      {
        check: "scan",
        when: "release",
        installation: "abc123",
        update: { seq: 1, detectedAt: "2026-11-21T10:00:02.000Z", source: "webhook distribution" },
        workload: { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" },
        changes: [
          {
            container: "app",
            image: `${host}/shop/api`,
            fromTag: "1.0.0",
            fromDigest: expect.stringMatching(/^sha256:/) as string,
            tag: "1.1.0",
            digest,
          },
        ],
        at: expect.any(String) as string,
      },
    ]);
    const [{ at: _, ...request }] = checked.server.received as [(typeof checked.server.received)[number]];
    expect(webhookFault({ ...request, at: lookout.clock.now() }, secret)).toBeUndefined();
    expect(request.path).toBe("/check");
  });

  it("waits while the check refuses, with its reason, and starts when it allows it at its time", async () => {
    checked.answer({ allow: false, reason: "2 critical findings", retryAfter: "10m" });
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    const until = plus(lookout.clock.now(), minutes(10));
    expect(await waits(key)).toEqual([{ reason: "check-refused", detail: "scan: 2 critical findings", until }]);
    checked.answer({ allow: true });
    await lookout.pass(minutes(9));
    expect(checked.questions()).toHaveLength(1);
    expect(lookout.image(key)).toBe(before);

    await lookout.pass(minutes(2));
    expect(checked.questions()).toHaveLength(2);
    expect(lookout.image(key)).toContain("1.1.0");
  });

  it("shares one question with all workloads that get the same digests", async () => {
    checked.answer({ allow: false, reason: "no", retryAfter: 600 });
    const keys = [await trackApi(lookout)];
    for (const name of ["two", "three", "four"]) keys.push(lookout.deploy({ name, image: before }));
    await lookout.pass(seconds(2));
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));

    for (const key of keys) expect((await waits(key))?.map(({ reason }) => reason)).toEqual(["check-refused"]);
    expect(checked.questions()).toHaveLength(1);
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(1));
    expect(checked.questions().map(({ changes }) => changes[0]?.tag)).toEqual(["1.1.0", "1.2.0"]);
  });

  it("is not asked about again while another gate holds it, and is asked before that gate opens", async () => {
    const key = await trackApi(lookout, { "lookout.dev/min-age": "2h" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(30));
    expect(checked.questions()).toHaveLength(1);
    await lookout.pass(hours(2));

    expect(lookout.image(key)).toContain("1.1.0");
    expect(checked.questions()).toHaveLength(2);
  });

  it("asks nothing at the time of the patch", async () => {
    const key = await trackApi(lookout);
    const asked: number[] = [];
    const patch = lookout.cluster.patch.bind(lookout.cluster);
    Object.assign(lookout.cluster, {
      patch: (...given: Parameters<typeof patch>) => {
        asked.push(checked.questions().length);
        // From now on, the check refuses everything.
        checked.answer({ allow: false });
        return patch(...given);
      },
    });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));

    expect(asked).toEqual([1]);
    expect(lookout.image(key)).toContain("1.1.0");
    expect(checked.questions()).toHaveLength(1);
  });

  it("is asked again when a lost message is overdue", async () => {
    const key = await trackApi(lookout);
    const send = lookout.ports.queues.send.bind(lookout.ports.queues);
    let isLost = true;
    Object.assign(lookout.ports.queues, {
      send: (sendings: Parameters<typeof send>[0]) =>
        send(isLost ? sendings.filter(({ command }) => command.name !== "AskChecks") : sendings),
    });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));
    expect(await waits(key)).toEqual([{ reason: "check-not-asked", detail: "scan" }]);
    isLost = false;
    await lookout.reap();
    await lookout.pass(seconds(5));

    expect(lookout.image(key)).toContain("1.1.0");
  });

  it("goes on with the stored answer after a crash between the answer and the wake", async () => {
    const key = await trackApi(lookout);
    const send = lookout.ports.queues.send.bind(lookout.ports.queues);
    let crashes = 1;
    Object.assign(lookout.ports.queues, {
      send: (sendings: Parameters<typeof send>[0]) => {
        const wakes = sendings.some(({ command }) => "requestedBy" in command);
        if (wakes && crashes > 0) {
          crashes -= 1;
          return Promise.reject(new Error("the process ended"));
        }
        return send(sendings);
      },
    });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));

    expect(crashes).toBe(0);
    expect(lookout.image(key)).toContain("1.1.0");
    expect(checked.questions()).toHaveLength(1);
  });
});

describe("a release past checks", () => {
  it("lets one update pass a refusal at once, and asks nothing", async () => {
    checked.answer({ allow: false, reason: "2 critical findings", retryAfter: "10m" });
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    const asker = { scope: key, past: ["checks"], by: "ana", why: "fixes an outage" } as const;
    const served = { id: "r", ports: lookout.ports, by: (claimed: string) => claimed, credential: { kind: "none" } };
    expect(await releaseUpdates(asker, served as never)).toMatchObject({ past: ["checks"], released: [{}] });
    await lookout.pass(minutes(1));

    expect(lookout.image(key)).toContain("1.1.0");
    expect(checked.questions()).toHaveLength(1);
  });
});

describe("a check without an answer", () => {
  it.each([
    [
      "HTML",
      { status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: "<p>hi" },
      "not JSON, but text/html",
    ],
    ["a redirect", { status: 302, headers: { location: "https://other.test" } }, "it redirects (302)"],
    ["an error", { status: 500, body: '{"allow":true}' }, "it answered 500, and not 200"],
    ["40 MB", { status: 200, body: " ".repeat(40_000_000) }, "empty, or longer than 16 KiB"],
    ["no allow", { status: 200, body: '{"reason":"fine"}' }, "allow must be true or false"],
    ["a text for allow", { status: 200, body: '{"allow":"true"}' }, "allow must be true or false"],
    ["a broken pause", { status: 200, body: '{"allow":true,"retryAfter":"soon"}' }, "retryAfter must be seconds"],
    ["a cut connection", "cut", "can't be reached"],
  ] as const)("holds the update after %s, and says why", async (_, reply, why) => {
    const key = await trackApi(lookout);
    checked.server.answerNext(reply);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    const until = plus(lookout.clock.now(), seconds(30));
    const detail = expect.stringContaining(why) as string;
    expect(await waits(key)).toEqual([{ reason: "check-unanswered", detail, until }]);
    await lookout.pass(seconds(35));
    expect(lookout.image(key)).toContain("1.1.0");
  });

  it("is asked after 30 s, and after twice the pause each time, at most every 10 minutes", async () => {
    const key = await trackApi(lookout);
    checked.server.answerNext(...Array.from({ length: 40 }, () => ({ status: 503 })));
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(hours(1));

    // 0, 0:30, 1:30, 3:30, 7:30, 15:30, 25:30, …
    expect(checked.server.received).toHaveLength(10);
    expect((await waits(key))?.map(({ reason }) => reason)).toEqual(["check-unanswered"]);
  });

  it("is stopped by the address guard without an allowed network", async () => {
    await checked[Symbol.asyncDispose]();
    await open([{ name: "scan", namespaces: ["shop"], allowNetworks: ["10.0.0.0/8"] }]);
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    expect((await waits(key))?.[0]?.detail).toContain("has an address that is not public");
    expect(checked.questions()).toEqual([]);
  });

  it("that hangs gives no answer after its time limit", async () => {
    await checked[Symbol.asyncDispose]();
    await open([{ name: "scan", namespaces: ["shop"], timeout: "1s" }]);
    const key = await trackApi(lookout);
    checked.server.answerNext("hang");
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    expect((await waits(key))?.[0]?.detail).toMatch(/gave no answer in 1 s$/);
  });
});

describe("the annotation lookout.dev/checks", () => {
  it("adds a check to those of the namespace", async () => {
    await checked[Symbol.asyncDispose]();
    await open([{ name: "scan", namespaces: ["shop"] }, { name: "smoke" }, { name: "other" }]);
    const key = await trackApi(lookout, { "lookout.dev/checks": "smoke" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));

    expect(
      checked
        .questions()
        .map(({ check }) => check)
        .sort(),
    ).toEqual(["scan", "smoke"]);
    expect(lookout.image(key)).toContain("1.1.0");
  });

  it("holds the update if it names an unknown check, and names the known ones", async () => {
    const key = await trackApi(lookout, { "lookout.dev/checks": "scam" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));

    const detail = '"scam"; did you mean scan?; lookout.yaml has scan';
    expect(await waits(key)).toEqual([{ reason: "check-unknown", detail }]);
    expect(checked.questions()).toEqual([]);
  });
});
