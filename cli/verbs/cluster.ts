import { type AddVerb, withExamples } from "../context.ts";
import { addClusterManifests } from "./cluster-manifests.ts";
import {
  addClusterAdd,
  addClusterCheck,
  addClusterList,
  addClusterRemove,
  addClusterSync,
} from "./cluster-registrations.ts";

const verbs = [addClusterList, addClusterAdd, addClusterRemove, addClusterCheck, addClusterSync, addClusterManifests];

/** `lookout cluster list|add|remove|check|sync|manifests` */
export const addCluster: AddVerb = (program, context) => {
  const group = program.command("cluster").description("the clusters that Lookout works in");
  withExamples(group, [
    ["lookout cluster list", "where each is from, and how the last look at it went"],
    ["lookout cluster check prod", "whether it lets Lookout in, and which rights it lacks"],
    ["lookout cluster manifests", "the rights and the policy to apply to a cluster"],
  ]);
  for (const add of verbs) add(group, context);
};
