import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { operations, type Operations } from "#contracts/api/operations";
import { type Role, roles } from "#domain/access/roles";
import { folderToken, type Holders, openHolders, type Sent } from "./token-holders.ts";

type Name = keyof Operations;

/** What a request is about. */
type Target = "own" | "other namespace" | "other cluster";

const targets = { own: "dev/shop", "other namespace": "dev/hidden", "other cluster": "secluded/shop" } as const;
const scoped = { clusters: ["dev"], namespaces: ["shop"] };
const digest = `sha256:${"a".repeat(64)}`;
const vote = { update: 1, bindingHash: "a".repeat(64) };
const header = { lookout: "export", schemaVersion: 6, installation: "abc123", version: "1", clusters: ["dev"] };
const at = "2026-11-21T18:00:00.000Z";

/** The bodies of operations. An operation with a body needs a row, else its scope is not asked about. */
const bodies: { readonly [One in Name]?: (place: string) => object } = {
  unblockWorkload: () => ({}),
  setVersion: () => ({ version: "1.0.0", why: "a test" }),
  rollBack: () => ({ why: "a test" }),
  skipTag: () => ({ tag: "1.0.0", why: "a test" }),
  suspendWorkload: () => ({ why: "a test" }),
  resumeWorkload: () => ({ why: "a test" }),
  retryWorkload: () => ({ why: "a test" }),
  addCluster: () => ({ name: "far", eks: { name: "far" }, by: "holder" }),
  sweepNow: (place) => ({ imageName: `registry.demo/of/${place.replace("/", "-")}` }),
  checkRegistry: () => ({}),
  testChannel: () => ({}),
  putInQuarantine: () => ({ digest, why: "CVE", by: "holder" }),
  freeze: (place) => ({ scope: place, why: "sale", by: "holder" }),
  release: (place) => ({ scope: place, past: ["observe"], by: "holder" }),
  approve: () => vote,
  reject: () => ({ ...vote, why: "bad" }),
  askForApproval: () => ({}),
  importState: () => ({ header: { ...header, at }, firstLine: 1, rows: [] }),
  createToken: () => ({ name: "another", role: "viewer" }),
  pushToDemo: () => ({ image: "shop/api:1.3.0" }),
};

function requestOf(name: Name, target: Target): { readonly path: string; readonly sent: Sent } {
  const { method, path } = operations[name];
  const [cluster = "", namespace = ""] = targets[target].split("/");
  const params: Readonly<Record<string, string>> = {
    ...{ cluster, namespace, kind: "deployment", name: `api-of-${cluster}-${namespace}`, scope: targets[target] },
    ...{ digest, registry: "registry.demo", probe: "p-1", token: "nobody", seq: "1" },
  };
  const body = bodies[name]?.(targets[target]);
  const query = name === "explainChannel" ? "?fact=RolledBack" : "";
  return {
    path: `${path.replaceAll(/\{(\w+)\}/g, (_, param: string) => params[param] ?? "x")}${query}`,
    sent: { method: method.toUpperCase(), body, headers: { "if-match": "u/1" } },
  };
}

const names = Object.keys(operations) as Name[];
let lookout: Holders;
const tokens = new Map<string, string>();
const tokenOf = (role: Role, isScoped: boolean): string => tokens.get(`${role} ${String(isScoped)}`) ?? "";

beforeEach(async () => {
  lookout = await openHolders();
  for (const role of roles) {
    tokens.set(`${role} false`, await lookout.make({ name: `${role}-of-all`, role }));
    if (role !== "owner") tokens.set(`${role} true`, await lookout.make({ name: `${role}-of-shop`, role, ...scoped }));
  }
  // The first use of a token of each day is stored.
  for (const token of tokens.values()) await lookout.ask(token, "/v1/me");
});
afterEach(async () => {
  lookout.facts.end();
  await lookout.shell.stop(1_000);
});

interface Answered {
  readonly isRefused: boolean;
  readonly status: number;
  readonly text: string;
}

async function answerTo(token: string, path: string, sent: Sent): Promise<Answered> {
  // The holder is the only person whom a request may name.
  const holder = /^lookout_([a-z-]+)_/.exec(token)?.[1];
  const body = sent.body !== undefined && "by" in sent.body ? { ...sent.body, by: holder } : sent.body;
  const response = await lookout.ask(token, path, { ...sent, body });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (isStream) await response.body?.cancel();
  const text = isStream ? "" : await response.text();
  return { isRefused: response.status === 403 && text.includes('"token-limited"'), status: response.status, text };
}

const asked = (name: Name, role: Role, target: Target, isScoped: boolean): Promise<Answered> => {
  const { path, sent } = requestOf(name, target);
  return answerTo(tokenOf(role, isScoped), path, sent);
};

/** Returns the operations by the weakest role that is not refused. */
async function byWeakestRole(isScoped: boolean, target: Target, candidates: readonly Role[]) {
  const found: Record<string, Name[]> = {};
  for (const name of names) {
    let weakest = "nobody";
    for (const role of candidates.toReversed()) {
      const before = lookout.stored();
      const { isRefused, status } = await asked(name, role, target, isScoped);
      if (!isRefused) weakest = role;
      else expect(lookout.stored(), `${name} was refused, and changed something`).toEqual(before);
      expect([401, 500], `${name} as ${role}`).not.toContain(status);
    }
    (found[weakest] ??= []).push(name);
  }
  return found;
}

const ofWorkload = ["readWorkload", "explainWorkload", "readDecisions", "readUpdate", "mayVote"] as const;
const lists = [
  "listWorkloads",
  "listUpdates",
  "listClusters",
  "listRepositories",
  "listTiers",
  "listQuarantine",
  "listFreezes",
  "listHistory",
  "listImages",
  "readDigest",
] as const;
const control = [
  ...["setVersion", "rollBack", "skipTag", "suspendWorkload", "resumeWorkload", "retryWorkload"],
  "unblockWorkload",
] as const;
const votes = ["approve", "reject", "askForApproval"] as const;
const ofOwners = [
  ...["addCluster", "removeCluster", "exportState", "importState", "listTokens", "createToken", "revokeToken"],
  ...["readConfiguration", "backUpState"],
] as const;
const everybody = ["readMe", "listApprovals", "readProbe", "followFacts", "readDocument"] as const;
const ofRegistries = [
  "checkRegistry",
  "testChannel",
  "resumeRegistry",
  "putInQuarantine",
  "liftQuarantine",
  "sendSyntheticPush",
] as const;

const sorted = (found: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(found).map(([role, list]) => [role, list.toSorted()]));

describe("a token for the whole fleet", () => {
  it.each(["own", "other namespace", "other cluster"] as const)("may what its role says: %s", async (target) => {
    expect(sorted(await byWeakestRole(false, target, roles))).toEqual(
      sorted({
        viewer: [
          ...[...lists, ...ofWorkload, ...everybody],
          ...[
            "readCluster",
            "listRegistries",
            "listChannels",
            "explainChannel",
            "examine",
            "examineCluster",
            "listStoredItems",
          ],
        ],
        approver: votes,
        operator: [
          ...[...ofRegistries, ...control, "repairRows", "checkCluster", "syncCluster", "sweepNow"],
          ...["freeze", "liftFreeze", "release", "pushToDemo"],
        ],
        owner: ofOwners,
      }),
    );
  });
});

describe("a token for one namespace of one cluster", () => {
  const scopedRoles = roles.filter((role) => role !== "owner");
  const needsTheFleet = [
    ...[
      ...ofOwners,
      ...ofRegistries,
      "listRegistries",
      "listChannels",
      "explainChannel",
      "examine",
      "listStoredItems",
      "pushToDemo",
    ],
    ...["checkCluster", "syncCluster", "repairRows"],
  ];
  const ofCluster = ["readCluster", "examineCluster"];

  it("may what its role says in its own namespace", async () => {
    expect(sorted(await byWeakestRole(true, "own", scopedRoles))).toEqual(
      sorted({
        viewer: [...lists, ...ofWorkload, ...everybody, ...ofCluster],
        approver: votes,
        operator: [...control, "freeze", "liftFreeze", "release", "sweepNow"],
        nobody: needsTheFleet,
      }),
    );
  });

  it.each([
    { target: "other namespace", more: ofCluster, less: [] },
    { target: "other cluster", more: [], less: ofCluster },
  ] as const)("may nothing in an $target", async ({ target, more, less }) => {
    expect(sorted(await byWeakestRole(true, target, scopedRoles))).toEqual(
      sorted({
        viewer: [...lists, ...everybody, ...more],
        // The repository is not found, as if nobody used it.
        operator: ["sweepNow"],
        nobody: [...needsTheFleet, ...ofWorkload, ...votes, ...control, "freeze", "liftFreeze", "release", ...less],
      }),
    );
  });

  it("gets no answer that names what it does not cover", async () => {
    // A token for all of it is told of both.
    for (const path of ["/v1/workloads", "/v1/clusters", "/v1/repositories", "/v1/freezes"]) {
      const { text } = await answerTo(tokenOf("viewer", false), path, {});
      expect(text, path).toMatch(/secluded/);
      if (path !== "/v1/clusters") expect(text, path).toMatch(/hidden/);
    }
    for (const name of names)
      for (const target of ["own", "other namespace", "other cluster"] as const)
        for (const role of scopedRoles) {
          const { status, text } = await asked(name, role, target, true);
          if (status < 300 && name !== "readDocument") expect(text, name).not.toMatch(/hidden|secluded/);
        }
  });

  it("sees its own workloads, clusters, freezes and repositories, and the freezes of the fleet", async () => {
    await lookout.ask(folderToken, "/v1/freezes", { method: "POST", body: { scope: "*", why: "x", by: "eva" } });
    const read = async (path: string) =>
      (await (await lookout.ask(tokenOf("viewer", true), path)).json()) as Readonly<Record<string, readonly object[]>>;
    const [workloads, repositories, freezes] = await Promise.all(
      ["/v1/workloads", "/v1/repositories", "/v1/freezes"].map(read),
    );

    expect(workloads).toMatchObject({
      workloads: [{ workload: "dev/shop/deployment/api-of-dev-shop" }],
      clusters: [{ name: "dev" }],
    });
    expect(repositories).toMatchObject({ repositories: [{ imageName: "registry.demo/of/dev-shop", workloads: 1 }] });
    expect(freezes!["freezes"]).toMatchObject([{ scope: "*" }, { scope: "dev/shop" }]);
    expect(freezes!["planned"]).toEqual([]);
  });

  it("gets no metrics, which are of the whole fleet", async () => {
    expect((await lookout.ask(tokenOf("viewer", false), "/metrics")).status).toBe(200);
    expect(await (await lookout.ask(tokenOf("operator", true), "/metrics")).json()).toMatchObject({
      code: "token-limited",
      detail:
        "the token of operator-of-shop covers the namespace shop of the cluster dev, and this request needs a token for all clusters and namespaces",
    });
  });

  it.each([
    { trick: "the case of a name", path: "/v1/workloads/dev/HIDDEN/deployment/api-of-dev-hidden" },
    { trick: "a slash within a name", path: "/v1/workloads/dev/shop%2F..%2Fhidden/deployment/api-of-dev-hidden" },
    { trick: "a slash within the kind", path: "/v1/workloads/dev/shop/x%2Fdeployment/api-of-dev-hidden" },
    { trick: "a filter of a list", path: "/v1/workloads?namespace=hidden" },
    { trick: "a place of a page", path: "/v1/workloads?limit=1&after=dev/a" },
    { trick: "a path with dots", path: "/v1/workloads/dev/shop/../hidden/deployment/api-of-dev-hidden" },
  ])("gets nothing by $trick", async ({ path }) => {
    const { status, text } = await answerTo(tokenOf("operator", true), path, {});
    expect(status === 200 ? text : "").not.toMatch(/hidden|secluded/);
    expect([200, 400, 403, 404]).toContain(status);
  });

  it.each(["*", "dev", "dev/hidden", "secluded/shop", "DEV/shop", "dev/shop/x", ""])(
    "freezes and releases only its namespace, and not %j",
    async (scope) => {
      const body = { scope, why: "x", by: "operator-of-shop" };
      expect((await lookout.ask(tokenOf("operator", true), "/v1/freezes", { method: "POST", body })).status).toBe(403);
      for (const one of [scope, "dev/pay/deployment/api"]) {
        const asked = { method: "POST", body: { scope: one, past: ["observe"], by: "operator-of-shop" } };
        expect((await lookout.ask(tokenOf("operator", true), "/v1/releases", asked)).status).toBe(403);
      }
    },
  );

  it("sweeps one of its repositories, and not all", async () => {
    const sweep = async (body: object) => {
      const response = await lookout.ask(tokenOf("operator", true), "/v1/sweep", { method: "POST", body });
      return [response.status, ((await response.json()) as { detail?: string }).detail];
    };
    expect(await sweep({ imageName: "registry.demo/of/dev-shop" })).toEqual([200, undefined]);
    expect(await sweep({ imageName: "registry.demo/of/dev-hidden" })).toEqual([
      404,
      "no tracked workload has an image of registry.demo/of/dev-hidden",
    ]);
    expect(await sweep({})).toEqual([
      403,
      "the token of operator-of-shop covers the namespace shop of the cluster dev, and this request needs a token for all clusters and namespaces",
    ]);
  });
});
