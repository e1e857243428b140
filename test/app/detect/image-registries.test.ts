import { expect, it } from "vitest";
import type { Condition } from "#domain/definitions/conditions";
import { epochMs } from "#domain/shared/time";
import type { RegistryEntry } from "#domain/workload/registry-rules";
import { type World, world } from "../world.ts";

const entry: RegistryEntry = {
  name: "production",
  host: "123456789012.dkr.ecr.eu-west-1.amazonaws.com",
  requestsPerSecond: 10,
  burst: 20,
} as never;

function withRegistries(entries: readonly RegistryEntry[] = [entry]): World {
  const rules = { registryPolicy: "any", registries: entries } as const;
  return world({}, undefined, [], rules, undefined, undefined, undefined, undefined, undefined, { definitions: true });
}

const ecr = { type: "ecr", ecr: { region: "eu-west-1", accountId: "123456789012" } };
const place = { namespace: "lookout-system", name: "ecr-production" };

function conditionsOf(lookout: World): Readonly<Record<string, string>> {
  const status = (lookout.cluster.definitionObjects.all()[0]?.status ?? {}) as { conditions?: readonly Condition[] };
  return Object.fromEntries((status.conditions ?? []).map((one) => [one.type, `${one.status} ${one.reason}`]));
}

it("an ImageRegistry whose host lookout.yaml has is ready, and tells that its Secret is not read", async () => {
  const lookout = withRegistries();
  lookout.cluster.definitionObjects.apply("ImageRegistry", place, { ...ecr, auth: { secretRef: { name: "login" } } });
  await lookout.sync();

  expect(conditionsOf(lookout)).toEqual({
    Ready: "True InLookoutYaml",
    AuthValid: "False SecretsAreNotRead",
    AuthExpiringSoon: "Unknown NotKnown",
    RateLimited: "False NoLimit",
    CircuitOpen: "False CircuitClosed",
  });
});

it.each([
  { spec: { type: "generic", generic: { url: "https://evil.example" } }, reason: "NotInLookoutYaml" },
  { spec: { type: "gcr", gcr: { project: "x" } }, reason: "NotInLookoutYaml" },
  { spec: { type: 7 }, reason: "NotInLookoutYaml" },
  { spec: null, reason: "NotInLookoutYaml" },
  { name: "production", spec: { type: "quay" }, reason: "OtherHost" },
  { name: "production", spec: { type: "gcr", gcr: { project: "x" } }, reason: undefined },
])("with $spec, the reason is $reason", async ({ name = "any", spec, reason }) => {
  const lookout = withRegistries();
  lookout.cluster.definitionObjects.apply("ImageRegistry", { ...place, name }, spec);
  await lookout.sync();

  expect(conditionsOf(lookout)["Ready"]).toBe(reason === undefined ? "True InLookoutYaml" : `False ${reason}`);
});

it("a registry that gives no answer, limits its requests and opened the circuit shows all of it", async () => {
  const lookout = withRegistries();
  const { registryLimits, clock } = lookout.ports;
  const now = clock.now();
  const lastFailure = { detail: "it answers 500", at: now };
  await registryLimits.writeBreaker(
    entry.host,
    { version: 1, lastFailure, state: "open", since: now, until: epochMs(now + 60_000) },
    now,
  );
  await registryLimits.writeOutage(entry.host, { version: 1, since: now, detail: "no answer", storedAt: now }, now);
  lookout.cluster.definitionObjects.apply("ImageRegistry", place, ecr);
  await lookout.sync();
  expect(conditionsOf(lookout)).toMatchObject({
    Ready: "False RegistryUnreachable",
    CircuitOpen: "True RegistryFails",
  });

  await lookout.sync();
  expect(lookout.cluster.definitionObjects.asked.statuses).toBe(1);
});
