import * as fc from "fast-check";
import { expect, it } from "vitest";
import { readKinds } from "#adapters/kubernetes/kinds/index";
import { liveWorkload } from "#adapters/kubernetes/live-workload";
import type { WorkloadObject } from "#adapters/kubernetes/objects";
import { readyKinds } from "#domain/workload/custom/ready-rows";
import { standingOf } from "#domain/workload/custom/standing";

/*
 * Another operator may define any form, and its users may write anything of that form.
 */

const kinds = readKinds(Object.values(readyKinds));
const custom = [...kinds.values()].filter(({ resource }) => resource !== undefined);
const anything = fc.jsonValue({ maxDepth: 3 });
const maybe = (value: fc.Arbitrary<unknown>) => fc.oneof({ weight: 4, arbitrary: value }, anything);
const container = maybe(fc.record({ name: maybe(fc.string()), image: maybe(fc.string()) }, { requiredKeys: [] }));
const podSpec = fc.record(
  {
    containers: maybe(fc.array(container)),
    initContainers: maybe(fc.array(container)),
    volumes: maybe(fc.array(container)),
    nodeSelector: anything,
    affinity: maybe(fc.record({ nodeAffinity: anything }, { requiredKeys: [] })),
    tolerations: maybe(fc.array(anything)),
  },
  { requiredKeys: [] },
);
const template = fc.record({ metadata: anything, spec: maybe(podSpec) }, { requiredKeys: [] });
const object = fc.record(
  {
    metadata: fc.record({ name: fc.constant("api"), namespace: fc.constant("shop"), uid: fc.constant("u") }),
    spec: fc.record({ template: maybe(template), selector: anything, replicas: anything }, { requiredKeys: [] }),
    status: maybe(fc.record({ conditions: maybe(fc.array(anything)), observedGeneration: anything })),
  },
  { requiredKeys: ["metadata", "spec"] },
);

it("no object of another operator stops the read of a list", () => {
  fc.assert(
    fc.property(fc.constantFrom(...custom), object, (kind, written) => {
      const found = written as unknown as WorkloadObject;
      const workload = { cluster: "prod", namespace: "shop", kind: kind.kind, name: "api" };
      const live = liveWorkload(kind, workload, found);

      expect(live.containers.every(({ image, name }) => typeof image === "string" && typeof name === "string")).toBe(
        true,
      );
      expect(typeof kind.isUnderway?.(found)).toBe("boolean");
      for (const spec of Object.values(readyKinds)) expect(standingOf(spec, found).kind).toMatch(/^[a-z]+$/);
    }),
  );
});
