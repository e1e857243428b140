import {
  type AccessOptions,
  accessEntrySubjects,
  type AccessSubject,
  clusterManifests,
} from "#contracts/kubernetes/cluster-manifests";
import { type AddVerb, withExamples, withOutput } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { manifestsText } from "../render/manifests.ts";

interface Flags {
  readonly user?: AccessSubject;
  readonly group?: AccessSubject;
  readonly serviceAccount?: AccessSubject;
  readonly deletePods?: true;
  readonly output: string;
}

/** `lookout cluster manifests` */
export const addClusterManifests: AddVerb = (group, { world }) => {
  const command = group
    .command("manifests")
    .description("what to apply to a cluster so that Lookout can work there, and can do nothing else")
    .option(
      "--user <name>",
      "who the cluster knows Lookout as (default: the user and the group lookout)",
      named("User"),
    )
    .option("--group <name>", "a group that the cluster knows Lookout by", named("Group"))
    .option("--service-account <namespace/name>", "an account of the cluster, for a kubeconfig; it is made", account)
    .option("--delete-pods", "let Lookout delete a broken pod that a StatefulSet waits for")
    .action(async () => {
      const flags = command.opts<Flags>();
      const manifests = clusterManifests(accessOf(flags));
      const list = { apiVersion: "v1", kind: "List", items: manifests.map(({ object }) => object) };
      world.stdout.write(
        flags.output === "json" ? `${JSON.stringify(list, undefined, 2)}\n` : await manifestsText(manifests),
      );
    });
  withExamples(withOutput(command, ["yaml", "json"]), [
    ["lookout cluster manifests | kubectl apply -f -", "EKS, with an access entry for the user lookout"],
    ["lookout cluster manifests --service-account lookout/lookout", "any cluster, with a kubeconfig"],
    ["lookout cluster manifests --delete-pods", "StatefulSets are rolled back without a person's help"],
  ]);
};

function accessOf({ user, group, serviceAccount, deletePods }: Flags): AccessOptions {
  const named = [user, group, serviceAccount].filter((subject) => subject !== undefined);
  return { subjects: named.length > 0 ? named : accessEntrySubjects, deletePods: deletePods === true };
}

/** The policy holds whoever is named to images: named after a part of Kubernetes, it would hold the cluster itself. */
function named(kind: "User" | "Group"): (name: string) => AccessSubject {
  return (name) => {
    if (name.trim() !== "" && !name.startsWith("system:")) return { kind, name };
    throw new Failure(
      exitCodes.wrongInput,
      `"${name}" can't be Lookout's: names with system: are those of Kubernetes.`,
      [
        "Everyone who is named is held to the images of workloads. Give Lookout an identity of its own:",
        "  lookout cluster manifests --service-account lookout/lookout",
      ],
    );
  };
}

function account(text: string): AccessSubject {
  const [, namespace, name] = /^([a-z0-9][a-z0-9-]{0,62})\/([a-z0-9][a-z0-9.-]{0,251})$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined)
    throw new Failure(exitCodes.wrongInput, `"${text}" is no service account: expected NAMESPACE/NAME.`);
  return { kind: "ServiceAccount", namespace, name };
}
