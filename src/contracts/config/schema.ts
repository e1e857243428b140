import * as z from "zod";
import { accountId, Eks, Network } from "./aws.ts";
import { Freezes } from "./freezes.ts";
import { Receiver } from "./receivers.ts";
import { Registries, registryPolicies } from "./registries.ts";
import {
  besideOtherFaults,
  duration,
  hostAndPort,
  kubernetesName,
  Namespaces,
  partsOf,
  someText,
  unique,
} from "./fields.ts";

/** A cluster is reached by a kubeconfig or as one of EKS. */
const oneWay = {
  dependentSchemas: { eks: { properties: { kubeconfig: false, context: false } }, network: { required: ["eks"] } },
};

const Cluster = z
  .strictObject(
    {
      name: kubernetesName.describe(
        "What the cluster is called in commands and messages: [cluster/]namespace/kind/name.",
      ),
      kubeconfig: someText("the path of a kubeconfig")
        .exactOptional()
        .describe("Path of the kubeconfig, relative to this file. Without it: KUBECONFIG, else ~/.kube/config."),
      context: someText("the name of a context")
        .exactOptional()
        .describe("The kubeconfig's context. Without it: its current context."),
      eks: Eks.exactOptional().describe("The cluster of EKS that it is; then there is no kubeconfig."),
      network: Network.exactOptional().describe(
        "Where the stack's functions run that reach this cluster. Without it: outside of any VPC.",
      ),
      namespaces: Namespaces.exactOptional().describe("Which namespaces Lookout looks at."),
    },
    "a cluster with a name",
  )
  .refine(
    ({ eks, kubeconfig, context }) => eks === undefined || (kubeconfig ?? context) === undefined,
    "needs eks, or kubeconfig and context, and not both",
  )
  .refine(({ eks, network }) => eks !== undefined || network === undefined, "has a network, which is for eks alone")
  .meta(oneWay)
  .readonly();

/** No two names are of one cluster of EKS: each would undo what the other writes. */
const Clusters = unique(Cluster, "name", "a list of clusters").superRefine((clusters, context) => {
  const first = new Map<string, number>();
  for (const [index, eks] of clusters.map((cluster) => partsOf(partsOf(cluster)["eks"])).entries()) {
    if (typeof eks["name"] !== "string") continue;
    const key = JSON.stringify([eks["name"], eks["region"], eks["roleArn"]]);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, index);
    else
      context.addIssue({
        code: "custom",
        path: [index, "eks"],
        message: `is the cluster of entry [${earlier}] of this list as well`,
      });
  }
}, besideOtherFaults);

const Limits = z
  .strictObject(
    {
      settle: duration.prefault("10s").describe("How long pods must stay healthy before an update counts as done."),
      windowSpread: duration
        .prefault("30s")
        .describe("Over how long the updates are spread that wait for one maintenance window to open."),
      maxConcurrentRollouts: z
        .int("a whole number")
        .min(1, "at least 1")
        .max(1000, "at most 1000")
        .prefault(25)
        .describe("How many updates of one cluster may be on their way at once; the others wait for their turn."),
    },
    "some of settle, windowSpread and maxConcurrentRollouts",
  )
  .readonly();

/** The content of `lookout.yaml`. Every part is optional. Unknown keys are errors. */
export const ConfigurationSchema = z
  .strictObject(
    {
      clusters: Clusters.prefault([]).describe("The clusters that are kept up to date."),
      receivers: unique(Receiver, "name", "a list of receivers")
        .prefault([])
        .describe("Where registries and builds tell of pushes."),
      registries: Registries.prefault([]).describe(
        "Registries with a credential, a private address, several hosts, or limits on who may use them. Others are asked without.",
      ),
      registryPolicy: z
        .enum(registryPolicies, "any or listed")
        .prefault("any")
        .describe("listed: only images that an entry of registries serves are updated. any: all images."),
      accounts: z
        .array(accountId, "a list of account ids")
        .readonly()
        .prefault([])
        .describe(
          "Other AWS accounts whose pushes to ECR count; those of the stack's own always do. Each forwards them to Lookout's bus, as other regions do.",
        ),
      freezes: Freezes.prefault([]).describe("Freezes that are planned, such as that of the end of the year."),
      limits: Limits.prefault({}).describe("Times that hold for all updates."),
      listen: hostAndPort
        .prefault("127.0.0.1:4040")
        .describe(
          "Where the API and the webhooks listen: host:port, with an IPv6 address in brackets. Port 0 is any free one.",
        ),
      dataDir: someText("the path of a folder")
        .prefault("./.lookout")
        .describe("The folder of Lookout's state, relative to this file."),
    },
    "the keys of lookout.yaml",
  )
  .readonly()
  .meta({
    title: "lookout.yaml",
    description: "Clusters, receivers, registries, freezes and limits of Lookout. Secrets are named, never written.",
  });
