import { type AddVerb, withExamples } from "../context.ts";
import { addClusterManifests } from "./cluster-manifests.ts";

/** `lookout cluster manifests` */
export const addCluster: AddVerb = (program, context) => {
  const group = program.command("cluster").description("the clusters that Lookout works in");
  withExamples(group, [["lookout cluster manifests", "the rights and the policy to apply to a cluster"]]);
  for (const add of [addClusterManifests]) add(group, context);
};
