import { beforeEach, describe, expect, it } from "vitest";
import { liftQuarantine, putInQuarantine } from "#app/api/quarantine";
import type { ApprovalsView, ApprovalView, MayVoteView } from "#contracts/api/approvals";
import { problemOf } from "#contracts/problem";
import type { ApprovalRules } from "#domain/approval/approvers";
import { tokenHash } from "#domain/approval/people";
import { hours, minutes, seconds, toIso } from "#domain/shared/time";
import { serveApi } from "#runtime/api";
import { api, host, trackApi, type World, world } from "#test/app/world";

const rules: ApprovalRules = {
  people: ["ana", "ben", "eva"].map((name) => ({ name, iam: [], tokenHash: tokenHash(`token of ${name}`) })),
  approvers: [
    {
      ...{ namespaces: ["shop"], people: ["ana", "ben"], needed: 2, deadline: hours(24) },
      ...{ notTheAuthor: false, required: false, byAnnotation: false },
    },
  ],
  namesAreProved: [],
};
const required = { "lookout.dev/approval-required": "true" };
const path = "/v1/workloads/prod/shop/deployment/api";

let lookout: World;
let key: string;
beforeEach(async () => {
  lookout = world({}, undefined, [], undefined, rules);
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  key = await trackApi(lookout, required);
});

async function ask(
  where: string,
  { person, body, headers = {} }: { person?: string; body?: object; headers?: Record<string, string> } = {},
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const proof = person === undefined ? {} : { "x-lookout-person": `token of ${person}` };
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const request = new Request(`http://localhost${where}`, { ...init, headers: { ...proof, ...headers } });
  const response = await serveApi(request, lookout.ports, new AbortController().signal);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function pending(person = "ana"): Promise<ApprovalView | undefined> {
  return ((await ask("/v1/approvals", { person })).body["approvals"] as ApprovalView[])[0];
}

/** Votes on what the list of approvals shows now, or on what was seen before. */
async function vote(
  person: string,
  decision: "approval" | "rejection" = "approval",
  seen?: ApprovalView,
  key = "k",
): ReturnType<typeof ask> {
  const { uid, version, update, bindingHash } = seen ?? (await pending())!;
  const why = decision === "rejection" ? { why: "too risky" } : {};
  return ask(`${path}/${decision}`, {
    person,
    body: { update, bindingHash, ...why },
    headers: { "if-match": `${uid}/${version}`, "idempotency-key": `${person}-${key}` },
  });
}

/** What a person sends who has seen what waits now. */
async function seenWith(more: object): Promise<{ readonly body: object; readonly headers: Record<string, string> }> {
  const { uid, version, update, bindingHash } = (await pending())!;
  return { body: { update, bindingHash, ...more }, headers: { "if-match": `${uid}/${version}` } };
}

const waits = async () => (await lookout.record(key)).pending?.waits.map(({ reason }) => reason);

describe("an update that needs approval", () => {
  it("waits, and starts when enough people have approved its digest", async () => {
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    expect(await waits()).toEqual(["needs-approval"]);
    expect(await pending("eva")).toMatchObject({
      workload: key,
      images: [{ container: "app", tag: "1.1.0", digest }],
      approvedBy: [],
      missing: [{ more: 2, people: ["ana", "ben"] }],
      waitsForMe: false,
    });

    expect((await vote("ana")).status).toBe(200);
    await lookout.pass(seconds(5));
    expect(await pending("ben")).toMatchObject({ approvedBy: ["ana"], waitsForMe: true });
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);

    expect(await vote("ben")).toMatchObject({
      status: 200,
      body: { person: "ben", decision: "approve", isRepeated: false },
    });
    await lookout.pass(seconds(5));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect((await lookout.ports.store.votes(key, 1)).map(({ person, proof }) => [person, proof.kind])).toEqual([
      ["ana", "token"],
      ["ben", "token"],
    ]);
    expect(lookout.factNames(key).filter((name) => name.startsWith("Approval"))).toEqual([
      "ApprovalRequested",
      "ApprovalGiven",
      "ApprovalGiven",
    ]);
  });

  it("needs approvals of different people", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    await vote("ana");
    await lookout.pass(seconds(5));

    expect(await vote("ana", "approval", undefined, "again")).toMatchObject({
      status: 409,
      body: { code: "approved-already", detail: "ana has approved update 1 already" },
    });
  });

  it("counts a repeated request once, with the same answer", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    const seen = (await pending())!;
    await vote("ana", "approval", seen);

    expect(await vote("ana", "approval", seen)).toMatchObject({ status: 200, body: { isRepeated: true } });
    expect((await lookout.ports.store.votes(key, 1)).length).toBe(1);
  });

  it("gives a repeated request the same answer even after the update has continued", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    await vote("ana");
    await lookout.pass(seconds(5));
    const seen = (await pending("ben"))!;
    const first = await vote("ben", "approval", seen);
    await lookout.pass(seconds(5));

    expect(await vote("ben", "approval", seen)).toEqual({
      status: 200,
      body: { ...first.body, isRepeated: true },
    });
  });

  it("is not decided by a vote on an outdated version", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    const seen = (await pending())!;
    const { uid, version } = seen;

    expect(await vote("ana", "approval", { ...seen, version: version - 1 })).toMatchObject({
      status: 409,
      body: { code: "changed-meanwhile", etag: `${uid}/${version}`, pending: { update: 1 } },
    });
    expect(await vote("ana", "approval", { ...seen, uid: "another" })).toMatchObject({ status: 409 });
    expect(await vote("ana", "approval", { ...seen, bindingHash: "0".repeat(64) })).toMatchObject({
      status: 409,
      body: { code: "changed-meanwhile", detail: "update 1 has other images or settings now" },
    });
    const { bindingHash, update } = seen;
    expect(await ask(`${path}/approval`, { person: "ana", body: { update, bindingHash } })).toMatchObject({
      status: 400,
      body: { code: "bad-request", detail: "if-match: expected uid/version from the list of approvals" },
    });
    expect((await lookout.ports.store.votes(key, 1)).length).toBe(0);
  });

  it("refuses a vote on an unknown or decided update, with the pending update and the deciders", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    const seen = (await pending())!;
    expect(await vote("ana", "approval", { ...seen, update: 9 })).toMatchObject({
      status: 409,
      body: {
        code: "update-unknown",
        detail: "there is no update 9",
        pending: { update: 1 },
        deciders: ["ana", "ben"],
      },
    });

    await vote("ana", "rejection", seen);
    await lookout.pass(seconds(5));
    const { status, body } = await vote("ben", "approval", seen);
    expect({ status, body }).toMatchObject({
      status: 409,
      body: { code: "update-decided", detail: "update 1 has ended: rejected", deciders: ["ana", "ben"] },
    });
    expect(body).not.toHaveProperty("pending");
  });

  it("is not decided by a caller without a proof, or of a workload that is not tracked", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    const { body, headers } = await seenWith({});

    expect(await ask(`${path}/approval`, { body, headers })).toMatchObject({
      status: 403,
      body: {
        code: "no-right",
        detail: expect.stringMatching(/^the request has no token of a person/) as string,
        deciders: ["ana", "ben"],
      },
    });
    expect(await ask(`${path}-2/approval`, { person: "ana", body, headers })).toMatchObject({
      status: 404,
      body: { code: "not-found", detail: `${key}-2 is not tracked` },
    });
  });

  it("refuses a key that was sent with another vote", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    await vote("ana");

    expect(await vote("ana", "rejection")).toMatchObject({
      status: 409,
      body: { code: "key-used", detail: "this Idempotency-Key was sent with another vote" },
    });
  });

  it("is decided only by its deciders, and names them", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));

    const { uid, version, images } = (await pending())!;
    const now = {
      etag: `${uid}/${version}`,
      pending: { update: 1, images: images.map(({ from, ...image }) => image) },
      deciders: ["ana", "ben"],
    };
    expect(await vote("eva")).toEqual({
      status: 403,
      body: problemOf("no-right", `eva may not decide about ${key}`, now),
    });
    expect(await vote("mallory")).toEqual({
      status: 403,
      body: problemOf("no-right", "this token is in no entry of people in lookout.yaml", now),
    });
    expect(await waits()).toEqual(["needs-approval"]);
  });

  it("is not approved by a vote on another digest", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    const seen = (await pending())!;
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));

    expect(await vote("ana", "approval", seen)).toMatchObject({
      status: 409,
      body: {
        code: "update-superseded",
        detail: "update 1 was superseded by update 2",
        pending: { update: 2 },
        deciders: ["ana", "ben"],
      },
    });
  });
});

describe("the question whether a vote would count", () => {
  const mayVote = async (query: string, person?: string): Promise<MayVoteView> =>
    (await ask(`${path}/approval${query}`, person === undefined ? {} : { person })).body as unknown as MayVoteView;

  /** Asks, and then votes in the same situation. */
  const askAndVote = async (decision: "approve" | "reject", update: number, person?: string) => {
    const asked = await mayVote(`?decision=${decision}&update=${update}`, person);
    const bindingHash = (await pending())?.bindingHash ?? "0".repeat(64);
    const voted = await ask(`${path}/${decision === "approve" ? "approval" : "rejection"}`, {
      ...(person === undefined ? {} : { person }),
      body: { update, bindingHash, why: "read" },
      headers: { "if-match": `${asked.uid}/${asked.version}`, "idempotency-key": `${decision}-${update}` },
    });
    return { asked, voted };
  };

  it("is answered with the update, its images and the hash of a vote that counts", async () => {
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    const { uid, version, bindingHash } = (await pending())!;

    const asked = await mayVote("", "ana");
    expect(asked).toEqual({
      ...{ workload: key, uid, version, update: 1, deciders: ["ana", "ben"], mayVote: true, bindingHash },
      images: [
        {
          ...{ container: "app", from: `${host}/shop/api:1.0.0`, imageName: `${host}/shop/api`, tag: "1.1.0", digest },
        },
      ],
    });
    expect(await mayVote("?decision=reject&update=1", "ben")).toEqual(asked);
    expect(await lookout.ports.store.votes(key, 1)).toEqual([]);
    expect((await lookout.record(key)).version).toBe(version);
    expect((await vote("ana", "approval", asked as unknown as ApprovalView)).status).toBe(200);
  });

  const situations: readonly {
    readonly says: string;
    readonly person?: string;
    readonly decision?: "reject";
    readonly update?: number;
    readonly before?: () => Promise<unknown>;
  }[] = [
    { says: "the request has no token of a person. Set LOOKOUT_TOKEN_FILE to the file with your token." },
    { says: "this token is in no entry of people in lookout.yaml", person: "mallory" },
    { says: "eva may not decide about prod/shop/deployment/api", person: "eva" },
    { says: "there is no update 9", person: "ana", update: 9 },
    { says: "ana has approved update 1 already", person: "ana", before: () => vote("ana") },
    {
      says: "update 1 was superseded by update 2",
      person: "ana",
      before: async () => {
        await lookout.push("shop/api", "1.1.0");
        await lookout.pass(seconds(5));
      },
    },
    { says: "update 1 has ended: rejected", person: "ben", before: () => vote("ana", "rejection") },
    { says: "update 1 has ended: rejected", person: "ben", decision: "reject", before: () => vote("ana", "rejection") },
    {
      says: "the approval of update 1 has expired",
      person: "ben",
      before: async () => {
        lookout.clock.turn(hours(24));
        await lookout.pass(seconds(5));
      },
    },
    {
      says: "update 1 needs no approval",
      person: "ben",
      before: async () => {
        lookout.cluster.annotate(api, {
          "lookout.dev/approval-required": undefined,
          "lookout.dev/maintenance-window": "02:00-03:00",
        });
        await lookout.sync();
      },
    },
  ];

  it.each(situations)(
    "is answered with the refusal that the vote gets: $says",
    async ({ says, person, decision = "approve" as const, update = 1, before }) => {
      await lookout.push("shop/api", "1.1.0");
      await lookout.pass(seconds(5));
      await before?.();

      const { asked, voted } = await askAndVote(decision, update, person);
      expect(asked).toMatchObject({ mayVote: false, update, deciders: ["ana", "ben"] });
      expect(asked.mayVote ? undefined : asked.why).toEqual(voted.body);
      expect(voted).toMatchObject({ body: { detail: expect.stringContaining(says) as string } });
    },
  );

  it("has another answer for a rejection than for an approval of an update with all its approvals", async () => {
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    await putInQuarantine({ digest, why: "CVE", by: "eva" }, lookout.ports);
    await vote("ana");
    await vote("ben");
    await lookout.pass(seconds(5));

    const { asked, voted } = await askAndVote("approve", 1, "ana");
    expect(asked).toMatchObject({ mayVote: false, why: { detail: "update 1 has all its approvals" } });
    expect(asked.mayVote ? undefined : asked.why).toEqual(voted.body);
    expect(await askAndVote("reject", 1, "ana")).toMatchObject({ asked: { mayVote: true }, voted: { status: 200 } });
  });

  it("is about the newest update, if the question names none", async () => {
    expect(await mayVote("", "ana")).toMatchObject({ update: 1, why: { detail: "there is no update 1" } });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    await vote("ana", "rejection");
    expect(await mayVote("", "ana")).toMatchObject({ update: 1, why: { detail: "update 1 has ended: rejected" } });
    await ask(`${path}/approval-request`, { person: "ana", body: {} });
    await lookout.pass(seconds(5));
    expect(await mayVote("", "ana")).toMatchObject({ update: 2, mayVote: true });
  });

  it("names the annotation if lookout.yaml names no people", async () => {
    lookout = world();
    await lookout.push("shop/api", "1.0.0", { quietly: true });
    key = await trackApi(lookout, required);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));

    const { asked, voted } = await askAndVote("approve", 1);
    expect(asked).toMatchObject({
      mayVote: false,
      why: { detail: expect.stringMatching(/^lookout.yaml names no people, .*kubectl annotate/) as string },
    });
    expect(asked.mayVote ? undefined : asked.why).toEqual(voted.body);
  });

  it("is refused for a workload that is not tracked", async () => {
    expect(await ask(`${path}-2/approval`, { person: "ana" })).toEqual({
      status: 404,
      body: problemOf("not-found", `${key}-2 is not tracked`),
    });
  });
});

describe("the list of approvals", () => {
  it("reads only the records of waiting updates", async () => {
    for (const name of ["web", "worker"]) {
      await lookout.push(`shop/${name}`, "1.0.0", { quietly: true });
      lookout.deploy({ name, image: `${host}/shop/${name}:1.0.0` });
    }
    await lookout.push("shop/api", "1.1.0");
    await lookout.sync();
    await lookout.pass(seconds(5));
    const { store } = lookout.ports;
    const read: string[] = [];
    const counting = {
      ...store,
      read: (one: string) => (read.push(one), store.read(one)),
      readMany: (keys: readonly string[]) => (read.push(...keys), store.readMany(keys)),
    };
    const request = new Request("http://localhost/v1/approvals");
    const response = await serveApi(request, { ...lookout.ports, store: counting }, new AbortController().signal);

    expect(((await response.json()) as ApprovalsView).approvals).toMatchObject([{ workload: key, update: 1 }]);
    expect((await store.workloadIndex("prod")).length).toBe(3);
    expect(read).toEqual([key]);
  });

  it("omits an update after its decision", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    await vote("ana", "rejection");

    expect((await ask("/v1/approvals")).body["approvals"]).toEqual([]);
  });
});

describe("votes", () => {
  it("are void after the tag moves, and the new digest needs approval", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    await vote("ana");
    await vote("ben", "approval", { ...(await pending())!, bindingHash: "0".repeat(64) });
    const moved = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));

    expect(await pending()).toMatchObject({ update: 2, images: [{ digest: moved }], approvedBy: [], voidVotes: [] });
    expect(lookout.factNames(key).filter((name) => name.startsWith("Approval"))).toEqual([
      "ApprovalRequested",
      "ApprovalGiven",
      "ApprovalVoided",
      "ApprovalRequested",
    ]);
  });

  it("are void after a gating setting changes, with a fact", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    await vote("ana");
    lookout.cluster.annotate(api, { "lookout.dev/rollback-timeout": "1m" });
    await lookout.sync();
    await lookout.pass(seconds(5));

    expect(await pending()).toMatchObject({ update: 1, approvedBy: [], voidVotes: ["ana"] });
    expect(lookout.factNames(key)).toContain("ApprovalVoided");
  });

  it("that became void stay void after the setting is changed back, until the person votes again", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    await vote("ana");
    for (const timeout of ["1m", undefined]) {
      lookout.cluster.annotate(api, { "lookout.dev/rollback-timeout": timeout });
      await lookout.sync();
      await lookout.pass(seconds(5));
    }
    await vote("ben");
    await lookout.pass(seconds(5));

    expect(await pending()).toMatchObject({ approvedBy: ["ben"], voidVotes: ["ana"] });
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await vote("ana", "approval", undefined, "again")).body).toMatchObject({ isRepeated: false });
    await lookout.pass(seconds(5));
    expect(lookout.image(key)).toContain("1.1.0");
    expect(lookout.factNames(key).filter((name) => name.startsWith("Approval"))).toEqual([
      "ApprovalRequested",
      "ApprovalGiven",
      "ApprovalVoided",
      "ApprovalGiven",
      "ApprovalGiven",
    ]);
  });

  it("stay valid after a channel for notifications changes", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    await vote("ana");
    lookout.cluster.annotate(api, { "lookout.dev/notify-slack": "#releases" });
    await lookout.sync();
    await lookout.pass(seconds(5));

    expect(await pending()).toMatchObject({ update: 1, approvedBy: ["ana"], voidVotes: [] });
  });
});

describe("an explanation", () => {
  const explained = async () => (await ask(`${path}/explanation`)).body["approval"];

  it("shows each vote with its proof and reason, the missing approvals and the deadline", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    const { requestedAt, until } = (await pending())!;
    await ask(`${path}/approval`, {
      person: "ana",
      ...(await seenWith({ why: "tested on stage" })),
    });

    const ana = { person: "ana", decision: "approve", provedBy: "token", why: "tested on stage", counts: true };
    const at = toIso(lookout.clock.now());
    const asked = { update: 1, requestedAt, until, isExpired: false, deciders: ["ana", "ben"] };
    expect(await explained()).toEqual({
      ...asked,
      votes: [{ ...ana, at }],
      missing: [{ more: 1, people: ["ben"] }],
    });

    lookout.cluster.annotate(api, { "lookout.dev/rollback-timeout": "1m" });
    await lookout.sync();
    await lookout.pass(seconds(5));
    expect(await explained()).toEqual({
      ...asked,
      votes: [{ ...ana, at, counts: false }],
      missing: [{ more: 2, people: ["ana", "ben"] }],
    });
  });

  it("has no votes if no approval is needed", async () => {
    expect(await explained()).toBeUndefined();
  });
});

describe("a rejection", () => {
  it("ends the update, and blocks its digest until approval is requested again", async () => {
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    await vote("ana");
    expect((await vote("ben", "rejection")).status).toBe(200);
    await lookout.pass(minutes(5));

    const record = await lookout.record(key);
    expect(record.pending).toBeUndefined();
    expect(record.last).toMatchObject({ status: "rejected", reason: "approval-rejected", detail: "ben: too risky" });
    expect(record.blocked).toMatchObject([{ digest, reason: "approval-rejected", seq: 1 }]);
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);

    expect(await ask(`${path}/approval-request`, { person: "ana", body: {} })).toMatchObject({
      status: 200,
      body: { workload: key, unblocked: 1, expired: false },
    });
    await lookout.pass(seconds(5));
    expect(await pending()).toMatchObject({ update: 2, images: [{ digest }], approvedBy: [] });
  });

  it("is lifted only by a proved decider, not by a name in the request", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    await vote("ben", "rejection");
    const { blocked } = await lookout.record(key);

    const refused = { status: 403, body: { code: "no-right", deciders: ["ana", "ben"] } };
    expect(await ask(`${path}/approval-request`, { body: { by: "ben" } })).toMatchObject(refused);
    expect(await ask(`${path}/approval-request`, { person: "eva", body: {} })).toMatchObject(refused);
    const kept = blocked.map(({ imageName, tag, digest }) => ({ imageName, tag, digest }));
    expect((await ask(`${path}/unblock`, { body: { by: "ben" } })).body).toEqual({
      ...{ workload: key, hold: false, blocked: 0, digests: [], rejected: 1 },
      left: { hold: false, digests: kept },
    });
    expect(await ask(`${path}/unblock`, { body: { by: "ben", digest: "1.1.0" } })).toMatchObject(refused);
    expect((await lookout.record(key)).blocked).toEqual(blocked);

    expect((await ask(`${path}/unblock`, { person: "ana", body: { by: "ben" } })).body).toMatchObject({ blocked: 1 });
    await lookout.pass(seconds(5));
    expect(lookout.facts.findLast(({ name }) => name === "DigestsUnblocked")?.detail).toMatch(/; by ana$/);
  });

  it.each(["  ", "x\u0000", "\u001b]0;title\u0007", "\u202etxt"])("is refused with the reason %j", async (why) => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));

    expect(await ask(`${path}/rejection`, { person: "ana", ...(await seenWith({ why })) })).toMatchObject({
      status: 400,
      body: { detail: "why: 1 to 500 characters that are not all blank, without control characters" },
    });
  });

  it("needs a reason", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    const { uid, version, update, bindingHash } = (await pending())!;

    const refused = await ask(`${path}/rejection`, {
      person: "ana",
      body: { update, bindingHash },
      headers: { "if-match": `${uid}/${version}` },
    });
    expect(refused.status).toBe(400);
  });
});

describe("an expired approval", () => {
  it("stays held, accepts no vote, and can be requested again", async () => {
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    await vote("ana");
    lookout.clock.turn(hours(24));
    await lookout.pass(seconds(5));

    expect(await waits()).toEqual(["approval-expired"]);
    expect(lookout.factNames(key)).toContain("ApprovalExpired");
    expect(await vote("ben")).toMatchObject({
      status: 409,
      body: { code: "approval-expired", detail: "the approval of update 1 has expired", pending: { update: 1 } },
    });

    expect((await ask(`${path}/approval-request`, { body: {} })).body).toMatchObject({ expired: true });
    await lookout.pass(seconds(5));
    expect(await pending()).toMatchObject({ update: 2, isExpired: false, approvedBy: [] });
  });

  it("does not occur if all people approved in time, even behind another closed gate (seed 784)", async () => {
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    await putInQuarantine({ digest, why: "CVE", by: "eva" }, lookout.ports);
    await vote("ana");
    await vote("ben");
    await lookout.pass(seconds(5));
    const { version } = await lookout.record(key);
    lookout.clock.turn(hours(25));
    await lookout.pass(seconds(5));

    // Its timer asked the gates once more, and not again and again.
    expect((await lookout.record(key)).version).toBe(version + 1);
    expect(await waits()).toEqual(["quarantined"]);
    await liftQuarantine(digest, lookout.ports);
    await lookout.pass(seconds(5));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });
});

describe("an approval annotation", () => {
  it("does not count if lookout.yaml names approvers", async () => {
    lookout.cluster.annotate(api, { "lookout.dev/approved-by": "ana", "lookout.dev/approved-image": "1.1.0" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    await lookout.sync();

    expect(await pending()).toMatchObject({ approvedBy: [] });
  });

  it.each([
    { "lookout.dev/approved-by": "ana", "lookout.dev/approved-image": "1.1.0" },
    { "lookout.dev/approve": "1.1.0" },
  ])("counts once if lookout.yaml names no people: %j", async (annotations) => {
    lookout = world();
    await lookout.push("shop/api", "1.0.0", { quietly: true });
    key = await trackApi(lookout, required);
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(5));
    lookout.cluster.annotate(api, annotations);
    await lookout.sync();
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect((await lookout.ports.store.votes(key, 1)).map(({ proof }) => proof.kind)).toEqual(["annotation"]);

    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(30));
    expect(await waits()).toEqual(["needs-approval"]);
  });
});

describe("the caller of a vote", () => {
  it("is proved only by IAM or by the personal token", async () => {
    const arn = "arn:aws:iam::111122223333:user/ana";

    expect((await ask("/v1/me", { person: "ana" })).body).toEqual({ person: "ana", provedBy: "token" });
    expect((await ask("/v1/me")).body).toEqual({ provedBy: "nobody" });
    expect((await ask("/v1/me", { person: "ana", headers: { "x-lookout-caller": arn } })).body).toEqual({
      provedBy: "iam",
      arn,
    });
  });
});
