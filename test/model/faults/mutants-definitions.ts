import type { Declared } from "#domain/definitions/definition";
import { isObject } from "#domain/shared/json";
import type { StatusPatch } from "#ports/cluster";
import type { Tamper } from "#test/model/world/installation";
import type { HistoryMutant } from "./mutant.ts";

/** Faulty reads and writes of definitions in the cluster. */
export const definitions: readonly HistoryMutant[] = [
  {
    what: "a store that forgets no definition",
    caughtBy: "S26",
    definitions: true,
    tamper: (ports) => ({ ...ports, definitions: { ...ports.definitions, remove: async () => undefined } }),
  },
  {
    what: "ServiceImages that name a tag of their own",
    caughtBy: "S27",
    firstSeed: 2,
    definitions: true,
    tamper: withDeclared((one) => ({
      ...one,
      ...(one.tiers && { tiers: one.tiers.map((tier) => ({ ...tier, tag: "1.1.0" })) }),
    })),
  },
  {
    what: "definitions whose faults nobody sees",
    caughtBy: "S28",
    firstSeed: 99,
    definitions: true,
    tamper: withDeclared(({ fault: _, ends: __, ...one }) => one),
  },
  {
    what: "statuses that say too early that a ServiceImage is complete",
    caughtBy: "S29",
    firstSeed: 9,
    definitions: true,
    tamper: (ports) => ({
      ...ports,
      clusters: {
        names: () => ports.clusters.names(),
        cluster: (name) => {
          const cluster = ports.clusters.cluster(name);
          return (
            cluster && { ...cluster, patchStatus: (patch, signal) => cluster.patchStatus(completed(patch), signal) }
          );
        },
      },
    }),
  },
  {
    what: "tiers of ServiceImages without members",
    caughtBy: "S30",
    firstSeed: 171,
    definitions: true,
    tamper: (ports) => ({ ...ports, tierMembers: { ...ports.tierMembers, list: async () => [] } }),
  },
];

function withDeclared(shown: (declared: Declared) => Declared): Tamper {
  return (ports) => ({
    ...ports,
    definitions: {
      ...ports.definitions,
      about: async (workload) => (await ports.definitions.about(workload)).map(shown),
    },
  });
}

function completed(patch: StatusPatch): StatusPatch {
  const { conditions, ...rest } = patch.status as { readonly conditions?: readonly unknown[] };
  const all = conditions?.map((one) =>
    isObject(one) && one["reason"] === "Updating" ? { ...one, status: "True" } : one,
  );
  return { ...patch, status: { ...rest, conditions: all } };
}
