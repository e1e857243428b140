import { labelsOfTiers } from "#domain/tiers/membership";
import { withAliases } from "#app/detect/aliases";
import { environment as variables } from "#contracts/aws/environment";
import { aliasesOf } from "#contracts/config/registry-host";
import { withDefinitions } from "#app/shared/declared-clusters";
import type { Cluster, Clusters } from "#ports/cluster";
import { type EksDefinition, eksVisitor } from "../../eks-clusters.ts";
import { knownRegistrations, namesOf } from "./cluster-names.ts";
import { storedDefinitions } from "#stored/definitions";
import type { WiringPart } from "./part.ts";
import { stackStorage } from "./table.ts";

/** Wires the clusters of `lookout.yaml` and the registered clusters. Runs share connections. */
export const clusters: WiringPart<"clusters" | "registrations" | "registering"> = (surroundings) => {
  const { configuration, environment } = surroundings;
  const { recent, registrations } = knownRegistrations(surroundings);
  const visit = eksVisitor({ environment, accessRole: environment[variables.accessRole] });
  const open = new Map<string, Cluster>();
  const reach = (definition: EksDefinition): Cluster => {
    const key = JSON.stringify([definition.name, definition.eks, definition.namespaces]);
    const cluster = open.get(key) ?? visit(definition);
    open.set(key, cluster);
    return cluster;
  };
  // Only a local process can use a kubeconfig.
  const configured = configuration.clusters.flatMap(({ eks, ...rest }) =>
    eks === undefined ? [] : [{ ...rest, eks }],
  );
  const aliases = aliasesOf(configuration.registries);
  const definitions = configuration.definitions ? storedDefinitions(stackStorage(surroundings)) : undefined;
  const declaring = (all: Clusters): Clusters => (definitions === undefined ? all : withDefinitions(all, definitions));
  return async () => {
    const registered = await recent();
    const byName = new Map([...registered, ...configured].map((definition) => [definition.name, definition]));
    const names = namesOf(configured, registered);
    const cluster = (name: string): Cluster | undefined => {
      const definition = byName.get(name);
      return definition && reach(definition);
    };
    return {
      clusters: declaring(withAliases({ names: () => names, cluster }, aliases, labelsOfTiers(configuration))),
      registrations,
      registering: { configured: configured.map(({ name }) => name), reach },
    };
  };
};
