import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupOf, identityOf, tenantOf, type Command } from "#domain/update/commands";
import { builtInKinds } from "#domain/workload/kinds";
import {
  updateLabelKey,
  updateLabelOf,
  fieldManager,
  namespacePrefix,
  parseWorkloadKey,
  restartedAtKey,
  workloadKey,
} from "#domain/workload/workload";
import { api, noon } from "../builders.ts";

describe("a workload's key", () => {
  it("is one readable text", () => {
    expect(workloadKey(api)).toBe("prod/shop/deployment/api");
    expect(workloadKey({ ...api, kind: "CronJob" })).toBe("prod/shop/cronjob/api");
  });

  it("parses to itself", () => {
    const part = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,20}$/);
    fc.assert(
      fc.property(
        part,
        part,
        fc.constantFrom(...builtInKinds, "rollout.argoproj.io" as const),
        part,
        (cluster, namespace, kind, name) => {
          const workload = { cluster, namespace, kind, name };

          expect(parseWorkloadKey(workloadKey(workload))).toEqual({ ok: true, value: workload });
        },
      ),
    );
  });

  it.each([
    "",
    "prod",
    "prod/shop/deployment",
    "prod/shop/deployment/",
    "/shop/deployment/api",
    "prod//deployment/api",
    "prod/shop/pod/api",
    "prod/shop/Deployment/api",
    "prod/shop/deployment/api/x",
  ])('rejects "%s"', (key) => {
    expect(parseWorkloadKey(key)).toEqual({
      ok: false,
      problem: `"${key}" is not a workload: expected cluster/namespace/kind/name`,
    });
  });
});

describe("the names that clusters store", () => {
  it("are the same in every version", () => {
    expect([fieldManager, updateLabelKey, restartedAtKey]).toEqual([
      "lookout",
      "lookout.dev/update",
      "kubectl.kubernetes.io/restartedAt",
    ]);
  });
});

describe("the update label", () => {
  it("differs by installation, update and direction", () => {
    const labels = ["abc123", "def456"].flatMap((installation) =>
      [1, 11].flatMap((seq) => [updateLabelOf(installation, seq, "forward"), updateLabelOf(installation, seq, "back")]),
    );

    expect(labels.slice(0, 2)).toEqual(["abc123-1", "abc123-1-back"]);
    expect(new Set(labels).size).toBe(8);
  });
});

describe("a command", () => {
  const reference = { workload: api, uid: "uid-1", seq: 3, version: 7 };
  const sweep = { registry: "registry.test", repository: "shop/app", at: noon };
  const outage = { name: "RegistryUnreachable", id: "r/1", registry: "r", since: noon, at: noon, detail: "x" } as const;

  it.each<{ command: Command; identity: string; group: string }>([
    { command: { name: "SyncCluster", id: "5", cluster: "prod" }, identity: "SyncCluster:5", group: "prod" },
    {
      command: { name: "SweepRepository", id: "7", ...sweep },
      identity: "SweepRepository:7",
      group: "registry.test",
    },
    {
      command: { name: "EvaluateWorkload", id: "6", workload: api, source: "sync" },
      identity: "EvaluateWorkload:6",
      group: "prod",
    },
    { command: { name: "Wake", ...reference }, identity: "Wake:3:7", group: "prod" },
    { command: { name: "Wake", ...reference, requestedBy: "slot:2" }, identity: "Wake:3:7:slot:2", group: "prod" },
    { command: { name: "RollOut", ...reference }, identity: "RollOut:3:7", group: "prod" },
    { command: { name: "ShowAvailable", ...reference }, identity: "ShowAvailable:3:7", group: "prod" },
    { command: { name: "CheckRollout", ...reference }, identity: "CheckRollout:3:7", group: "prod" },
    {
      command: { name: "CheckRollout", ...reference, requestedBy: "watch:1" },
      identity: "CheckRollout:3:7:watch:1",
      group: "prod",
    },
    {
      command: { name: "Deliver", channel: "audit", fact: outage },
      identity: "Deliver:audit:r/1:0",
      group: "audit",
    },
    {
      command: { name: "Deliver", channel: "audit", fact: outage, attempt: 2 },
      identity: "Deliver:audit:r/1:2",
      group: "audit",
    },
  ])("has the identity $identity, and the group $group", ({ command, identity, group }) => {
    expect([identityOf(command), groupOf(command)]).toEqual([identity, group]);
  });
  it("has the namespace of its workload as tenant, if it has a workload", () => {
    const sync = { name: "SyncCluster", id: "1", cluster: "prod" } as const;

    expect([tenantOf({ name: "RollOut", ...reference }), tenantOf(sync)]).toEqual(["shop", ""]);
  });
});

it("the keys of a namespace begin with its prefix", () => {
  const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" } as const;

  expect(namespacePrefix(workloadKey(workload))).toBe("prod/shop/");
});
