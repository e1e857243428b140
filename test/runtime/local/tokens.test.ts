import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RegistryFact } from "#domain/registry/outage";
import { epochMs, hours, minutes } from "#domain/shared/time";
import type { Fact } from "#domain/update/events";
import { folderToken, type Holders, openHolders, type Sent } from "./token-holders.ts";

let lookout: Holders;
beforeEach(async () => {
  lookout = await openHolders();
});
afterEach(async () => {
  lookout.facts.end();
  await lookout.shell.stop(1_000);
});

const answer = async (token: string, path: string, sent?: Sent): Promise<Readonly<Record<string, unknown>>> =>
  (await (await lookout.ask(token, path, sent)).json()) as Readonly<Record<string, unknown>>;
const revoke = (named: string) => answer(folderToken, `/v1/tokens/${named}`, { method: "DELETE" });
const create = (body: object) => answer(folderToken, "/v1/tokens", { method: "POST", body });

describe("a new token", () => {
  it("is shown once, and only its hash is stored", async () => {
    const made = await create({ name: "ana", role: "approver", clusters: ["dev"], namespaces: ["shop", "pay-*"] });
    const text = String(made["text"]);
    const view = {
      ...{ name: "ana", id: expect.stringMatching(/^[0-9a-f]{12}$/) as string, role: "approver" },
      ...{ clusters: ["dev"], namespaces: ["shop", "pay-*"] },
      ...{ createdBy: "the state folder", createdAt: "2026-11-21T18:00:00.000Z" },
    };

    expect(made).toEqual({ ...view, text: expect.stringMatching(/^lookout_ana_[\w-]{43}$/) as string });
    expect(await answer(folderToken, "/v1/tokens")).toEqual({ at: "2026-11-21T18:00:00.000Z", tokens: [view] });
    expect(JSON.stringify([lookout.stored(), lookout.logged])).not.toContain(text.slice(-43));
    expect(await answer(text, "/v1/me")).toEqual({ provedBy: "token", token: view });
  });

  it("was used on the day of its last use", async () => {
    const text = await lookout.make({ name: "ana", role: "viewer" });
    const used = async () => {
      await lookout.ask(text, "/v1/workloads");
      const { tokens } = (await answer(folderToken, "/v1/tokens")) as { tokens: { lastUsedAt: string }[] };
      return tokens[0]!.lastUsedAt;
    };
    expect(await used()).toBe("2026-11-21T18:00:00.000Z");
    lookout.pass(hours(23));
    expect(await used()).toBe("2026-11-21T18:00:00.000Z");
    lookout.pass(hours(1));
    expect(await used()).toBe("2026-11-22T18:00:00.000Z");
  });

  it.each([
    {
      wrong: "an unknown role",
      body: { name: "ana", role: "admin" },
      code: "bad-request",
      detail: expect.stringContaining("role: ") as string,
    },
    { wrong: "no role", body: { name: "ana" }, code: "bad-request", detail: expect.stringContaining("role") as string },
    {
      wrong: "a name with capitals",
      body: { name: "Ana_", role: "viewer" },
      code: "bad-request",
      detail: expect.stringContaining("name: ") as string,
    },
    {
      wrong: "no cluster",
      body: { name: "ana", role: "viewer", clusters: [] },
      code: "bad-request",
      detail: "clusters: expected at least one cluster",
    },
    {
      wrong: "a pattern of every namespace",
      body: { name: "ana", role: "viewer", namespaces: ["*"] },
      code: "bad-request",
      detail: "namespaces.0: expected the name of a namespace; a * at the end stands for any text",
    },
    {
      wrong: "an unknown cluster",
      body: { name: "ana", role: "viewer", clusters: ["dve"] },
      code: "not-found",
      detail: "no cluster is called dve; did you mean dev?",
    },
    {
      wrong: "an owner of a part",
      body: { name: "ana", role: "owner", namespaces: ["shop"] },
      code: "bad-request",
      detail: "an owner owns the whole fleet: leave out the clusters and namespaces, or choose another role",
    },
    {
      wrong: "an end in the past",
      body: { name: "ana", role: "viewer", expiresAt: "2026-11-21T17:59:59Z" },
      code: "bad-request",
      detail: "the end of the token, 2026-11-21T17:59:59Z, is in the past",
    },
    {
      wrong: "a member that it does not have",
      body: { name: "ana", role: "viewer", namespace: "shop" },
      code: "bad-request",
      detail: expect.stringContaining("namespace") as string,
    },
  ])("is refused with $wrong", async ({ body, code, detail }) => {
    expect(await create(body)).toMatchObject({ code, detail });
    expect(await answer(folderToken, "/v1/tokens")).toMatchObject({ tokens: [] });
  });

  it("is refused for a name that has a token, until that token is revoked or has expired", async () => {
    const body = { name: "ana", role: "viewer", expiresAt: "2026-11-21T19:00:00Z" };
    const taken = {
      code: "token-exists",
      detail: "ana has a token already: choose another name, or first revoke it: lookout token revoke ana",
    };
    const [first, second] = await Promise.all([create(body), create(body)]);
    expect([first, second].filter(({ code }) => code === "token-exists")).toHaveLength(1);
    expect(await create(body)).toMatchObject(taken);
    await revoke("ana");
    const other = await create(body);
    expect(other).toMatchObject({ name: "ana", role: "viewer" });
    lookout.pass(hours(1));
    expect(await create({ name: "ana", role: "viewer" })).toMatchObject({ name: "ana" });
    expect(await answer(String(other["text"]), "/v1/me")).toMatchObject({
      status: 401,
      detail: "this personal token is wrong; ask an owner for a new one: lookout token create",
    });
  });
});

describe("a token that ended", () => {
  const path = "/v1/workloads";

  it("is refused after its revocation by name or id, with the reason", async () => {
    const [ana, ben] = [
      await lookout.make({ name: "ana", role: "viewer" }),
      await create({ name: "ben", role: "viewer" }),
    ];
    expect((await lookout.ask(ana, path)).status).toBe(200);
    expect(await revoke("ana")).toMatchObject({ name: "ana", revokedAt: "2026-11-21T18:00:00.000Z" });
    expect(await revoke(String(ben["id"]))).toMatchObject({ name: "ben", revokedAt: "2026-11-21T18:00:00.000Z" });
    lookout.pass(minutes(1));
    expect(await revoke("ana")).toMatchObject({ name: "ana", revokedAt: "2026-11-21T18:00:00.000Z" });

    expect(await answer(ana, path)).toMatchObject({
      status: 401,
      code: "no-token",
      detail:
        "the token of ana was revoked at 2026-11-21T18:00:00.000Z; ask an owner for a new one: lookout token create ana",
    });
    expect((await lookout.ask(String(ben["text"]), path)).status).toBe(401);
    expect(await revoke("bne")).toMatchObject({
      code: "not-found",
      detail: "no token has the name or id bne; did you mean ben?",
    });
  });

  it("is refused at its end, to the millisecond", async () => {
    const ana = await lookout.make({ name: "ana", role: "viewer", expiresAt: "2026-11-21T18:01:00Z" });
    lookout.pass(minutes(1));
    expect(await answer(ana, path)).toMatchObject({
      status: 401,
      detail:
        "the token of ana expired at 2026-11-21T18:01:00.000Z; ask an owner for a new one: lookout token create ana",
    });
  });

  it("ends its stream of events within ten seconds", async () => {
    vi.useFakeTimers();
    const ana = await lookout.make({ name: "ana", role: "viewer" });
    const stream = await lookout.ask(ana, "/v1/events");
    const ended = stream.text();
    await revoke("ana");
    await vi.advanceTimersByTimeAsync(10_001);
    vi.useRealTimers();
    expect(await ended).toContain("Lookout sends all new facts");
  });
});

describe("a wrong token", () => {
  it("learns nothing, whether its name has a token, had one, or never had one", async () => {
    await lookout.make({ name: "ana", role: "viewer" });
    await lookout.make({ name: "ben", role: "viewer" });
    await revoke("ben");
    const wrong = ["ana", "ben", "eva"].map((name) => `lookout_${name}_${"x".repeat(43)}`);
    const told = await Promise.all([...wrong, "lookout_", "lookout_ana_short"].map((token) => answer(token, "/v1/me")));

    expect(new Set(told.map((one) => JSON.stringify(one)))).toHaveLength(1);
    expect(told[0]).toMatchObject({
      status: 401,
      detail: "this personal token is wrong; ask an owner for a new one: lookout token create",
    });
    expect(JSON.stringify(lookout.logged)).not.toContain("xxxxx");
  });

  it("is refused if the stored token can't be read", async () => {
    const ana = await lookout.make({ name: "ana", role: "owner" });
    const { tokens } = lookout.shell.ports;
    const stored = await tokens!.read("ana");
    await tokens!.replace(stored, { ...stored!, role: "emperor" as never });
    expect((await lookout.ask(ana, "/v1/me")).status).toBe(401);
  });
});

describe("a holder of a token", () => {
  const freezing = (by: string): Sent => ({ method: "POST", body: { scope: "dev", why: "sale", by } });

  it("acts under the name of the token, and no other", async () => {
    const ana = await lookout.make({ name: "ana", role: "operator" });

    expect(await answer(ana, "/v1/freezes", freezing("ben"))).toMatchObject({
      status: 400,
      detail: "--by is what the token proves: ana. Leave out --by ben, or use the token of ben",
    });
    expect(await answer(ana, "/v1/freezes", freezing("ana"))).toMatchObject({
      freezes: expect.arrayContaining([expect.objectContaining({ scope: "dev", by: "ana" })]) as object[],
    });
    expect(await answer(folderToken, "/v1/freezes", freezing("anybody"))).toMatchObject({
      freezes: expect.arrayContaining([expect.objectContaining({ scope: "dev", by: "anybody" })]) as object[],
    });
  });

  it("can't prove another caller by a header", async () => {
    const ana = await lookout.make({ name: "ana", role: "operator" });
    const headers = { "x-lookout-caller": "arn:aws:iam::111122223333:user/ben" };
    expect((await lookout.ask(ana, "/v1/me", { headers })).status).toBe(400);
  });

  it("can't make a token without being an owner, and an owner can", async () => {
    const body = { name: "eva", role: "owner" };
    const ben = await lookout.make({ name: "ben", role: "operator" });
    const ana = await lookout.make({ name: "ana", role: "owner" });

    expect(await answer(ben, "/v1/tokens", { method: "POST", body })).toMatchObject({
      status: 403,
      code: "token-limited",
      detail: "the token of ben has the role operator, and this request needs the role owner",
      remedy: "An owner of this Lookout can make a token that covers it: lookout token create.",
    });
    expect(await answer(ana, "/v1/tokens", { method: "POST", body })).toMatchObject({ name: "eva", createdBy: "ana" });
  });
});

describe("the stream of events", () => {
  const fact = (cluster: string, namespace: string): Fact => ({
    ...{ id: `${cluster}/${namespace}`, name: "UpdateHeld", at: epochMs(0), reasons: [], changes: [], policies: [] },
    ...{ uid: "u", seq: 1, version: 2, workload: { cluster, namespace, kind: "Deployment", name: "api" } },
  });
  const outage: RegistryFact = {
    ...{ name: "RegistryUnreachable", id: "r/1", registry: "registry.demo", since: epochMs(0), at: epochMs(0) },
    detail: "no answer",
  };

  it.each([
    { of: "the fleet", scope: {}, ids: ["dev/shop", "dev/hidden", "secluded/shop", "r/1"] },
    { of: "a cluster", scope: { clusters: ["dev"] }, ids: ["dev/shop", "dev/hidden"] },
    { of: "a namespace", scope: { namespaces: ["sh*"] }, ids: ["dev/shop", "secluded/shop"] },
  ])("has only the facts that a token of $of covers", async ({ scope, ids }) => {
    const stream = await lookout.ask(await lookout.make({ name: "ana", role: "viewer", ...scope }), "/v1/events");
    await vi.waitFor(() => {
      for (const place of ["dev/shop", "dev/hidden", "secluded/shop"] as const) {
        const [cluster = "", namespace = ""] = place.split("/");
        lookout.facts.publish(fact(cluster, namespace));
      }
      lookout.facts.publish(outage);
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    lookout.facts.end();
    const got = [...(await stream.text()).matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
    expect(got).toEqual(ids);
  });
});
