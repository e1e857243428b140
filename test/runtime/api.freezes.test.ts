import { beforeEach, describe, expect, it } from "vitest";
import { problemOf } from "#contracts/problem";
import type { RefusalCode } from "#contracts/refusals";
import { plus, minutes, seconds, toIso } from "#domain/shared/time";
import { serveApi } from "#runtime/api";
import { begins, host, trackApi, type World, worldWithApi } from "#test/app/world";

let lookout: World;
let key: string;

beforeEach(async () => {
  lookout = await worldWithApi();
  key = await trackApi(lookout);
});

async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const request = new Request(`http://localhost${path}`, init);
  const response = await serveApi(request, lookout.ports, new AbortController().signal);
  return { status: response.status, body: await response.json() };
}

const path = "/v1/freezes";
/** Two seconds after the world begins, {@link trackApi} is through. */
const now = plus(begins, seconds(2));
const christmas = { scope: "prod/shop", why: "Christmas", by: "ana" };
const none = { at: toIso(now), freezes: [], planned: [], inFlight: [] };
const listed = (...freezes: readonly object[]) => ({
  status: 200,
  body: { ...none, freezes: freezes.map((freeze) => ({ ...freeze, at: toIso(now) })) },
});
/** What a POST answers: the list, and what the new freeze does. */
const put = (effect: object, ...freezes: readonly object[]) => {
  const { status, body } = listed(...freezes);
  return { status, body: { ...body, effect: { workloads: 1, holds: 0, inFlight: 0, ...effect } } };
};
const refused = (status: number, code: RefusalCode, detail: string) => ({ status, body: problemOf(code, detail) });

describe("/v1/freezes", () => {
  it("is empty at first", async () => {
    expect(await ask("GET", path)).toEqual(listed());
  });

  it("lists the freezes by scope, for every caller", async () => {
    const audit = { scope: "*", why: "audit", by: "bo", until: "2026-11-21T12:00:00.000Z" };

    expect(await ask("POST", path, christmas)).toEqual(put({}, christmas));
    expect(await ask("POST", path, { ...audit, until: "2026-11-21T13:00:00+01:00" })).toEqual(
      put({}, audit, christmas),
    );
    expect(await ask("GET", path)).toEqual(listed(audit, christmas));
  });

  it("replaces the freeze of the same scope", async () => {
    await ask("POST", path, christmas);

    expect(await ask("POST", path, { ...christmas, why: "New Year", by: "bo" })).toEqual(
      put({}, { ...christmas, why: "New Year", by: "bo" }),
    );
  });

  it("replaces half of a character in a reason, so that the stored freeze can be read and ends", async () => {
    const until = toIso(plus(now, minutes(1)));
    const half = { ...christmas, why: "sale \ud83d", until };

    expect(await ask("POST", path, half)).toEqual(put({}, { ...half, why: "sale \ufffd" }));
    expect(await ask("GET", path)).toEqual(listed({ ...half, why: "sale \ufffd" }));
  });

  it("does not list an ended freeze", async () => {
    await ask("POST", path, { ...christmas, until: toIso(plus(now, minutes(1))) });
    await lookout.pass(minutes(1));

    expect(await ask("GET", path)).toEqual({ status: 200, body: { ...none, at: toIso(plus(now, minutes(1))) } });
  });

  it.each(["", "prod/", "Prod", "*/shop", "prod/shop/deployment/api"])(
    "rejects %j, which is no scope",
    async (scope) => {
      const why = `"${scope}" is not a scope: expected CLUSTER, CLUSTER/NAMESPACE, or *`;

      expect(await ask("POST", path, { ...christmas, scope })).toEqual(refused(400, "bad-scope", why));
      expect(await ask("GET", path)).toEqual(listed());
    },
  );

  it.each([
    { until: toIso(now), when: "now" },
    { until: "2026-11-21T09:00:00Z", when: "before" },
  ])("rejects a past end: $when", async ({ until }) => {
    expect(await ask("POST", path, { ...christmas, until })).toEqual(
      refused(400, "bad-end", `until ${until} is in the past`),
    );
    expect(await ask("GET", path)).toEqual(listed());
  });

  it("rejects an end more than a year ahead", async () => {
    const until = "2300-01-01T00:00:00Z";

    expect(await ask("POST", path, { ...christmas, until })).toEqual(
      refused(
        400,
        "bad-end",
        `until ${until} is more than a year ahead. Without an end, the freeze lasts until a user lifts it`,
      ),
    );
    expect(await ask("GET", path)).toEqual(listed());
  });

  it.each([
    { because: "why is missing", body: { scope: "*", by: "ana" }, says: "why: is missing; expected a text" },
    { because: "why is empty", body: { ...christmas, why: "" }, says: "why: is empty" },
    {
      because: "why and by are missing",
      body: { scope: "*" },
      says: "why: is missing; expected a text; by: expected 1 to 200 printable characters, and not only spaces",
    },
    { because: "why is no text", body: { ...christmas, why: 1 }, says: "why: expected a text" },
    {
      because: "the end has no zone",
      body: { ...christmas, until: "2026-11-22T12:00:00" },
      says: "until: expected an instant with its zone, such as 2026-11-22T12:00:00Z",
    },
    {
      because: "a member is unknown",
      body: { ...christmas, untill: "2026-11-22T12:00:00Z" },
      says: "untill: is not known here; did you mean until?",
    },
    { because: "it is no object", body: "prod", says: "expected an object" },
  ])("rejects a request when $because, with the reason", async ({ body, says }) => {
    expect(await ask("POST", path, body)).toEqual(refused(400, "bad-request", says));
    expect(await ask("GET", path)).toEqual(listed());
  });

  it("ends exactly the named scope, and answers the remaining freezes", async () => {
    for (const scope of ["*", "prod", "prod/shop"]) await ask("POST", path, { ...christmas, scope });

    expect(await ask("DELETE", `${path}/prod%2Fshop`)).toEqual(
      listed({ ...christmas, scope: "*" }, { ...christmas, scope: "prod" }),
    );
    expect(await ask("DELETE", `${path}/*`)).toEqual(listed({ ...christmas, scope: "prod" }));
  });

  it.each([
    { part: "stage", answer: refused(404, "not-found", "no freeze has the scope stage") },
    { part: "prod%2Fshop", answer: refused(404, "not-found", "no freeze has the scope prod/shop") },
    {
      part: "Prod",
      answer: refused(400, "bad-scope", '"Prod" is not a scope: expected CLUSTER, CLUSTER/NAMESPACE, or *'),
    },
  ])("ends no freeze for $part", async ({ part, answer }) => {
    await ask("POST", path, { ...christmas, scope: "prod" });

    expect(await ask("DELETE", `${path}/${part}`)).toEqual(answer);
    expect(await ask("GET", path)).toEqual(listed({ ...christmas, scope: "prod" }));
  });

  it("holds pushed images, explains them, and releases them at its end", async () => {
    await ask("POST", path, christmas);
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    const { body } = await ask("GET", `/v1/workloads/${key}/explanation`);
    expect((body as { gates: readonly object[] }).gates).toContainEqual({
      gate: "freeze",
      open: false,
      why: {
        reason: "frozen",
        sentence: "A freeze covers this workload.",
        remedy: "End the freeze: lookout unfreeze SCOPE.",
        detail: "prod/shop: Christmas, by ana",
      },
    });
    expect(await ask("DELETE", `${path}/prod%2Fshop`)).toEqual(listed());
    await lookout.pass(seconds(1));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });

  it("names the workloads whose patch began earlier and may still land", async () => {
    const patch = lookout.cluster.patch.bind(lookout.cluster);
    let meanwhile: unknown;
    lookout.cluster.patch = async (given, signal) => {
      meanwhile = (await ask("POST", path, christmas)).body;
      return patch(given, signal);
    };
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    expect(meanwhile).toEqual({ ...put({ holds: 1 }, christmas).body, inFlight: [key] });
    expect(await ask("GET", path)).toEqual(listed(christmas));
  });

  it("does not end a planned freeze, and names lookout.yaml", async () => {
    const windows = [{ kind: "times", effect: "deny", days: [], start: 0, end: 0, timeZone: "UTC" } as const];
    const closing = { name: "closing", scope: { cluster: "prod" }, why: "Monthly closing", windows };
    lookout = await worldWithApi(undefined, [closing]);
    const why = "prod is frozen by closing of lookout.yaml: change freezes in lookout.yaml (on AWS, deploy again)";

    expect(await ask("GET", path)).toMatchObject({
      body: { freezes: [{ scope: "prod", by: "closing of lookout.yaml", planned: "closing", why: "Monthly closing" }] },
    });
    expect(await ask("DELETE", `${path}/prod`)).toEqual(refused(409, "from-configuration", why));
  });
});
