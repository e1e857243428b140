import { type AddVerb, withExamples } from "../context.ts";
import { addClusterRenew } from "./cluster-account.ts";
import { addClusterManifests } from "./cluster-manifests.ts";
import {
  addClusterAdd,
  addClusterCheck,
  addClusterList,
  addClusterRemove,
  addClusterSync,
} from "./cluster-registrations.ts";

const verbs = [
  addClusterList,
  addClusterAdd,
  addClusterRemove,
  addClusterRenew,
  addClusterCheck,
  addClusterSync,
  addClusterManifests,
];

/** `lookout cluster list|add|remove|renew|check|sync|manifests` */
export const addCluster: AddVerb = (program, context) => {
  const group = program.command("cluster").description("manage the clusters of Lookout");
  withExamples(group, [
    ["lookout cluster add prod --context prod-admin", "give Lookout its own account in your cluster"],
    ["lookout cluster list", "list sources and last syncs"],
    ["lookout cluster check prod", "check Lookout's access and rights"],
    ["lookout cluster manifests", "print the rights and the policy for a cluster"],
  ]);
  for (const add of verbs) add(group, context);
};
