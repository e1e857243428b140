import {
  type AccessOptions,
  accessEntrySubjects,
  type AccessSubject,
  clusterManifests,
} from "../manifests/cluster-manifests.ts";
import { type AddVerb, withExamples, withOutput } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { manifestsText } from "../render/manifests.ts";
import type { ConfiguredKinds } from "#runtime/local/configured-kinds";

interface Flags {
  readonly user?: AccessSubject;
  readonly group?: AccessSubject;
  readonly serviceAccount?: AccessSubject;
  readonly deletePods?: true;
  readonly readNodes?: true;
  readonly renewToken?: true;
  readonly config?: string;
  readonly definitions?: true;
  readonly output: string;
}

/** `lookout cluster manifests` */
export const addClusterManifests: AddVerb = (group, { world }) => {
  const command = group
    .command("manifests")
    .description("print the manifests that give Lookout its rights in a cluster, and limit Lookout to image updates")
    .option(
      "--user <name>",
      "Lookout's user in the cluster (default: the account of lookout cluster add, else the user and the group lookout)",
      subject("User"),
    )
    .option("--group <name>", "Lookout's group in the cluster", subject("Group"))
    .option("--service-account <namespace/name>", "a service account to create, for a kubeconfig", serviceAccount)
    .option("--delete-pods", "let Lookout delete a broken pod that blocks a StatefulSet")
    .option("--read-nodes", "let Lookout list nodes, to compare images with their platforms")
    .option("--renew-token", "let the service account create tokens for itself, as lookout cluster add does")
    .option(
      "--config <file>",
      "the lookout.yaml with the account, definitions and kinds of other operators (default: ./lookout.yaml, if any)",
    )
    .option("--definitions", "define ImagePolicy, ServiceImage and ImageRegistry, and let Lookout write their status")
    .action(async () => {
      const flags = command.optsWithGlobals<Flags>();
      const { configuredKinds } = await import("#runtime/local/configured-kinds");
      const manifests = clusterManifests(accessOf(flags, await configuredKinds(world, flags.config)));
      const list = { apiVersion: "v1", kind: "List", items: manifests.map(({ object }) => object) };
      world.stdout.write(
        flags.output === "json" ? `${JSON.stringify(list, undefined, 2)}\n` : await manifestsText(manifests),
      );
    });
  withExamples(withOutput(command, ["yaml", "json"]), [
    ["lookout cluster manifests | kubectl apply -f -", "give Lookout its rights on EKS, with an access entry"],
    ["lookout cluster manifests --service-account lookout/lookout", "print the rights for a kubeconfig"],
    ["lookout cluster manifests --delete-pods", "add the right to delete pods of StatefulSets"],
    ["lookout cluster manifests --read-nodes", "add the right to list nodes, for nodePlatforms"],
    ["lookout cluster manifests --definitions", "add the kinds that declare updates in the cluster"],
  ]);
};

function accessOf({ user, group, serviceAccount, ...flags }: Flags, configured: ConfiguredKinds): AccessOptions {
  const { kinds, account } = configured;
  const named = [user, group, serviceAccount].filter((subject) => subject !== undefined);
  const own = named.length === 0 && account !== undefined;
  return {
    subjects: own ? [{ kind: "ServiceAccount", ...account }] : named.length > 0 ? named : accessEntrySubjects,
    accountsExist: own,
    deletePods: flags.deletePods === true,
    readNodes: flags.readNodes === true,
    renewTokens: own || flags.renewToken === true,
    kinds,
    definitions: configured.definitions || flags.definitions === true,
    kindsExist: flags.definitions !== true,
  };
}

/**
 * Returns a parser of a user or group. The parser refuses a `system:` name, because a policy that
 * limits Kubernetes' own users would stop Kubernetes.
 */
function subject(kind: "User" | "Group"): (name: string) => AccessSubject {
  return (name) => {
    if (name.trim() !== "" && !name.startsWith("system:")) return { kind, name };
    throw new Failure(
      exitCodes.wrongInput,
      `"${name}" can't be Lookout's identity: names with system: belong to Kubernetes.`,
      [
        "The manifests limit this user or group to image updates. Give Lookout its own identity:",
        "  lookout cluster manifests --service-account lookout/lookout",
      ],
    );
  };
}

function serviceAccount(text: string): AccessSubject {
  const [, namespace, name] = /^([a-z0-9][a-z0-9-]{0,62})\/([a-z0-9][a-z0-9.-]{0,251})$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined)
    throw new Failure(exitCodes.wrongInput, `"${text}" is not a service account: expected NAMESPACE/NAME.`);
  return { kind: "ServiceAccount", namespace, name };
}
