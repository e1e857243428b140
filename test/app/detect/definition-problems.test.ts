import { describe, expect, it } from "vitest";
import { clusterView } from "#app/api/views";
import type { DefinitionTrouble } from "#domain/definitions/definition-problem";
import { epochMs, minutes } from "#domain/shared/time";
import type { StatusOutcome } from "#ports/cluster";
import { apply, conditions, declared, deploy, passMinutes } from "./image-policy-world.ts";

/** Returns a world in which an ImagePolicy applies to a workload, before its first sync. */
async function applied() {
  const lookout = declared();
  await lookout.push("shop/web", "1.0.0", { quietly: true });
  const key = deploy(lookout);
  apply(lookout);
  const { faults, asked } = lookout.cluster.definitionObjects;
  const problems = async () => (await lookout.ports.clusterStates.read("prod"))?.definitionProblems;
  return { lookout, key, faults, asked, problems, start: lookout.ports.clock.now() };
}

const denied: DefinitionTrouble = { kind: "ImagePolicy", reason: "list-denied", detail: "no right" };

const rights =
  "To define the kinds and give the rights: lookout cluster manifests --definitions | kubectl apply -f - · Or, if lookout cluster add created the account: lookout cluster add prod --context CONTEXT --definitions";

describe("a problem with definitions", () => {
  it.each<{ reason: DefinitionTrouble["reason"]; remedy: string }>([
    { reason: "list-denied", remedy: rights },
    {
      reason: "list-failed",
      remedy:
        "Until the list is read, the last read objects of the kind ImagePolicy count. If this stays, check the kind: kubectl get imagepolicies.operator.technomad.dev -A",
    },
    { reason: "status-denied", remedy: rights },
    { reason: "status-invalid", remedy: rights },
    {
      reason: "too-many",
      remedy:
        "Delete objects of the kind ImagePolicy, or leave out their namespaces by namespaces of the cluster prod in lookout.yaml.",
    },
    {
      reason: "status-failed",
      remedy:
        "Lookout tries again at each sync. If this stays, check the admission webhooks: kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
    },
  ])("is shown with the next step: $reason", ({ reason, remedy }) => {
    const since = epochMs(0);
    const problem = { kind: "ImagePolicy", reason, detail: "detail" } as const;

    expect(clusterView({ name: "prod", definitionProblems: [{ ...problem, since }] })).toEqual({
      name: "prod",
      definitionProblems: [{ ...problem, since: "1970-01-01T00:00:00.000Z", remedy }],
    });
  });

  it("is told of a kind that is not listed, since its first sync, and until the list is allowed", async () => {
    const { lookout, key, faults, problems, start } = await applied();
    await passMinutes(lookout, 2);
    faults.lists = [denied];
    await passMinutes(lookout, 3);

    expect(await problems()).toEqual([{ ...denied, since: start + minutes(2) }]);
    expect((await lookout.record(key)).tracked).toBe(true);

    faults.lists = [];
    await passMinutes(lookout, 1);
    expect(await problems()).toBeUndefined();
  });

  it("is told of a kind without an answer, whose objects stay, while those of other kinds are read", async () => {
    const { lookout, key, faults, problems, start } = await applied();
    await passMinutes(lookout, 2);
    const failed: DefinitionTrouble = { kind: "ImagePolicy", reason: "list-failed", detail: "500" };
    faults.lists = [failed];
    lookout.cluster.definitionObjects.apply("ImageRegistry", { namespace: "shop", name: "hub" }, { type: "harbor" });
    await passMinutes(lookout, 2);

    expect(await problems()).toEqual([{ ...failed, since: start + minutes(2) }]);
    expect((await lookout.record(key)).tracked).toBe(true);
    expect(conditions(lookout, "hub")).not.toEqual([]);
  });

  it.each<{ what: string; outcome: () => StatusOutcome; reason: string; detail: string; tries: number }>([
    {
      what: "denied status",
      outcome: () => ({ kind: "denied", detail: "no right" }),
      ...{ reason: "status-denied", detail: "no right", tries: 2 },
    },
    {
      what: "status that does not fit the kind",
      outcome: () => ({ kind: "invalid", detail: "status.conditions" }),
      ...{ reason: "status-invalid", detail: "status.conditions", tries: 20 },
    },
    {
      what: "status without an answer",
      outcome: () => ({ kind: "unreachable", detail: "503" }),
      ...{ reason: "status-failed", detail: "503", tries: 2 },
    },
    {
      what: "failure while a status is written",
      outcome: () => {
        throw new TypeError("token s3cret");
      },
      ...{ reason: "status-failed", detail: "Lookout failed while it wrote a status (TypeError)", tries: 2 },
    },
  ])("is told of a $what, and the sync goes on", async ({ outcome, reason, detail, tries }) => {
    const { lookout, key, faults, problems, start } = await applied();
    for (let index = 0; index < 20; index += 1) apply(lookout, { name: `more-${String(index)}`, target: "none" });
    let count = 0;
    faults.status = () => {
      count += 1;
      return outcome();
    };
    await passMinutes(lookout, 2);

    expect(await problems()).toEqual([{ kind: "ImagePolicy", reason, detail, since: start }]);
    expect((await lookout.record(key)).tracked).toBe(true);
    // Each sync tries the ones that are on their way at once, or all of them.
    expect(count).toBeGreaterThanOrEqual(2 * (tries - 1));
    expect(count).toBeLessThanOrEqual(2 * Math.max(8, tries + 1));

    faults.status = () => undefined;
    await passMinutes(lookout, 2);
    expect(await problems()).toBeUndefined();
    expect(conditions(lookout)[0]).toBe("Ready=True Applies");
  });

  it("of one kind does not keep the status of another from being written", async () => {
    const { lookout, faults, problems, start } = await applied();
    lookout.cluster.definitionObjects.apply("ImageRegistry", { namespace: "shop", name: "hub" }, { type: "harbor" });
    faults.status = ({ kind }) => (kind === "ImagePolicy" ? { kind: "denied", detail: "no right" } : undefined);
    await passMinutes(lookout, 2);

    expect(await problems()).toEqual([
      { kind: "ImagePolicy", reason: "status-denied", detail: "no right", since: start + minutes(1) },
    ]);
    expect(conditions(lookout, "hub")).not.toEqual([]);
  });

  it("is written only when it changes", async () => {
    const { lookout, faults } = await applied();
    faults.lists = [denied];
    await passMinutes(lookout, 2);
    const { clusterStates } = lookout.ports;
    const write = clusterStates.write.bind(clusterStates);
    let writes = 0;
    Object.assign(clusterStates, {
      write: (state: Parameters<typeof write>[0]) => {
        writes += 1;
        return write(state);
      },
    });
    await passMinutes(lookout, 3);

    expect(writes).toBe(3);
  });
});

it("a cluster with definitions off forgets their problems", async () => {
  const { lookout, faults, problems } = await applied();
  faults.lists = [denied];
  await passMinutes(lookout, 1);
  Object.assign(lookout.ports.rules, { definitions: false });
  await passMinutes(lookout, 1);

  expect(await problems()).toBeUndefined();
});
