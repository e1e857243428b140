import * as z from "zod/mini";
import { awsPatterns } from "#contracts/config/aws-patterns";
import { deepEqual } from "#domain/shared/deep-equal";
import { epochMs } from "#domain/shared/time";
import type { EksCluster, Registration, Registrations } from "#ports/registrations";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { anyText, instant, maybe, type Members, name, texts } from "./shape.ts";
import { putIf, remove } from "./writes.ts";

const matching = (pattern: RegExp) => z.string().check(z.regex(pattern));

/** A registration has no address, because a forged address would receive Lookout's token. */
const eks = z.strictObject(
  {
    name: matching(awsPatterns.eksCluster),
    region: maybe(matching(awsPatterns.region)),
    roleArn: maybe(matching(awsPatterns.role)),
  } satisfies Members<EksCluster>,
  { error: () => "only name, region and roleArn; Lookout reads the address from EKS" },
);

/** The kind of registered clusters. */
export const registrationKind: Kind<Registration> = {
  name: "registration of a cluster",
  form: 1,
  shape: z.object({
    name,
    eks,
    namespaces: maybe(z.object({ allow: maybe(texts), deny: maybe(texts) })),
    by: anyText,
    at: instant,
  } satisfies Members<Registration>),
  isAt: ({ name }, { sk }) => name === sk,
  // Without its name, the cluster would count as removed, and its workloads would be untracked.
  closed: ({ sk }) => ({ name: sk, eks: { name: "unreadable-registration" }, by: "lookout", at: epochMs(0) }),
};

/** All registrations share a partition, so that one strongly consistent query reads all. */
const pk = "CLUSTERS";

/** Returns the store of registered clusters. */
export function storedRegistrations(storage: Storage): Registrations {
  const { items } = storage;
  return {
    list: async () => valuesOf(registrationKind, await items.query({ pk }, "listing the registered clusters"), storage),
    async put(registration) {
      const { name } = registration;
      const doing = `registering the cluster ${name}`;
      const item = itemOf(registrationKind, { pk, sk: name }, registration);
      if (await putIf(items, item, { kind: "absent" }, doing)) return true;
      // The client may have repeated a write after a lost answer.
      return deepEqual((await items.get(item, doing))?.value, registration);
    },
    remove: (name) => remove(items, { pk, sk: name }, `removing the cluster ${name}`),
  };
}
