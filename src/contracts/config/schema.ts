import * as z from "zod";
import { suffixRules } from "#domain/version/suffix";
import { Alarms } from "./alarms.ts";
import { accountId, Eks, eksKey, Network } from "./aws.ts";
import { approvalProblems, Approvers, NamesAreProved, Owners, People } from "./approvers.ts";
import { Backup } from "./backup.ts";
import { Budgets, namespaceProblems, observeProblems } from "./budgets.ts";
import { channelClusterProblems } from "./channel-problems.ts";
import { Channels } from "./channels.ts";
import { Checks } from "./checks.ts";
import { Freezes } from "./freezes.ts";
import { Listen, usualAddress } from "./listen.ts";
import { Receiver } from "./receivers.ts";
import { Registries, registryPolicies } from "./registries.ts";
import { labelKey, tierName, tierProblems, Tiers } from "./tiers.ts";
import {
  Appliers,
  besideOtherFaults,
  duration,
  filePath,
  kubernetesName,
  namespacePattern,
  Namespaces,
  partsOf,
  pullGrace,
  reapply,
  someText,
  unique,
} from "./fields.ts";

const aMode = "observe; to let Lookout update, leave mode out";

/** The schema of `mode`. */
const mode = z.literal("observe", aMode);

/** The schema of `nodePlatforms`: the comparison of images with a cluster's nodes. */
const nodePlatforms = z.enum(["ignore", "prefer", "require"], "ignore, prefer or require");

/** The JSON Schema of a cluster's access: a kubeconfig, EKS, or the account of Lookout's pod. */
const oneWay = {
  dependentSchemas: {
    eks: { properties: { kubeconfig: false, context: false, inCluster: false } },
    inCluster: { properties: { kubeconfig: false, context: false } },
    network: { required: ["eks"] },
  },
};

const Cluster = z
  .strictObject(
    {
      name: kubernetesName.describe("The name of the cluster in commands and messages: [cluster/]namespace/kind/name."),
      kubeconfig: filePath("the path of a kubeconfig")
        .exactOptional()
        .describe("The path of the kubeconfig, relative to lookout.yaml. Default: KUBECONFIG, else ~/.kube/config."),
      context: someText("the name of a context")
        .exactOptional()
        .describe("The context in the kubeconfig. Default: the current context."),
      inCluster: z
        .literal(true, "true")
        .exactOptional()
        .describe("true: the cluster that runs this Lookout, with the service account of its pod."),
      eks: Eks.exactOptional().describe("The EKS cluster, instead of a kubeconfig."),
      network: Network.exactOptional().describe(
        "The network of the functions that reach this cluster. Default: outside any VPC.",
      ),
      namespaces: Namespaces.exactOptional().describe("The namespaces that Lookout tracks."),
      nodePlatforms: nodePlatforms
        .exactOptional()
        .describe("nodePlatforms for this cluster alone. Default: the value in defaults."),
      mode: mode
        .exactOptional()
        .describe("observe: Lookout decides about the updates of this cluster, and writes nothing to it."),
      tier: tierName
        .exactOptional()
        .describe(
          "The tier of the cluster's workloads, unless a workload or its namespace names another. Default: the last tier.",
        ),
    },
    "a cluster with a name",
  )
  .refine(
    ({ eks, inCluster, kubeconfig, context }) =>
      [eks, inCluster, kubeconfig ?? context].filter((way) => way !== undefined).length <= 1,
    "needs one of eks, inCluster, or kubeconfig and context",
  )
  .refine(
    ({ eks, network }) => eks !== undefined || network === undefined,
    "has a network, but only a cluster with eks can have one",
  )
  .meta(oneWay)
  .readonly();

/**
 * The schema of `clusters`. Two names for one EKS cluster are an error, because Lookout would treat
 * each workload as two workloads.
 */
const Clusters = unique(Cluster, "name", "a list of clusters").superRefine((clusters, context) => {
  const first = new Map<string, number>();
  for (const [index, eks] of clusters.map((cluster) => partsOf(partsOf(cluster)["eks"])).entries()) {
    if (typeof eks["name"] !== "string") continue;
    const key = eksKey(eks);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, index);
    else
      context.addIssue({
        code: "custom",
        path: [index, "eks"],
        message: `is also the cluster of entry [${earlier}] of this list`,
      });
  }
}, besideOtherFaults);

const Limits = z
  .strictObject(
    {
      settle: duration.prefault("10s").describe("The time that pods must stay healthy before an update succeeds."),
      windowSpread: duration
        .prefault("30s")
        .describe("The time over which Lookout spreads the updates that wait for the same maintenance window."),
      maxConcurrentRollouts: z
        .int("a whole number")
        .min(1, "at least 1")
        .max(1000, "at most 1000")
        .prefault(25)
        .describe("The maximum number of concurrent rollouts in one cluster. Other updates wait."),
    },
    "some of settle, windowSpread and maxConcurrentRollouts",
  )
  .readonly();

const Defaults = z
  .strictObject(
    {
      semver: z
        .enum(["any", "major", "minor"], "any, major or minor")
        .prefault("any")
        .describe(
          "The selection without a policy and a range. any: the highest version. major: the highest version with the running major number. minor: the highest version with the running major and minor numbers.",
        ),
      suffixes: z
        .enum(suffixRules, "flavour, exact, revision or semver")
        .exactOptional()
        .describe(
          "The way to read the suffixes of versions. flavour: counters and pre-releases are compared, and everything else must stay. exact: nothing counts. revision: as flavour, and a version without a counter is the lowest revision. semver: every suffix is a pre-release.",
        ),
      reapply: reapply
        .exactOptional()
        .describe(
          "What happens after a manifest with the image from before is applied again. after 1h: the update comes again an hour later. ask: it waits for lookout unblock. Default: ask for Helm, Argo CD and Flux, otherwise after 1h.",
        ),
      pullGrace: pullGrace
        .exactOptional()
        .describe(
          "The longest time of a fault of pulling or creating without progress, from 1s to 1h. Then the update fails. Default: 60s.",
        ),
      appliers: Appliers.exactOptional().describe(
        "The field managers of your own deploy tools, which apply whole manifests with Update. A * at the end stands for any ending. If such a tool writes the image from before again, reapply decides. Lookout knows kubectl, Helm and Terraform.",
      ),
      nodePlatforms: nodePlatforms
        .prefault("ignore")
        .describe(
          "The platforms that an image must have. require: the platforms of all nodes on which its pods may land. prefer: as require, or the running image's platforms if Lookout can't list nodes. ignore: Lookout reads no nodes.",
        ),
    },
    "some of semver, suffixes, reapply, pullGrace, appliers and nodePlatforms",
  )
  .readonly();

/** Options of a check that runs even if some parts of the file are invalid. */
const evenInvalid = { when: ({ value }: { readonly value: unknown }) => typeof value === "object" && value !== null };

/** The schema of `lookout.yaml`. Every part is optional, and unknown keys are errors. */
export const ConfigurationSchema = z
  .strictObject(
    {
      clusters: Clusters.prefault([]).describe("The clusters that Lookout updates."),
      receivers: unique(Receiver, "name", "a list of receivers")
        .prefault([])
        .describe("The receivers of notifications from registries and builds."),
      registries: Registries.prefault([]).describe(
        "The registries with a credential, a private address, several hosts, or limits. Other registries need no entry.",
      ),
      registryPolicy: z
        .enum(registryPolicies, "any or listed")
        .prefault("any")
        .describe(
          "listed: Lookout updates only images from the entries of registries. any: Lookout updates images from any registry.",
        ),
      channels: Channels.prefault([]).describe("The channels that tell people and programs of updates."),
      checks: Checks.prefault([]).describe(
        "Programs of your own that are asked before updates, or after their pods run.",
      ),
      accounts: z
        .array(accountId, "a list of account ids")
        .readonly()
        .prefault([])
        .describe(
          "The other AWS accounts whose pushes to ECR count. Each account forwards the pushes of each region to Lookout's bus.",
        ),
      mode: mode.exactOptional().describe("observe: Lookout decides about all updates, and writes to no cluster."),
      observe: z
        .array(namespacePattern, "a list of namespaces")
        .readonly()
        .prefault([])
        .describe("The namespaces that Lookout only observes: NAMESPACE or CLUSTER/NAMESPACE, such as shop-*."),
      definitions: z
        .boolean("true or false")
        .prefault(false)
        .describe(
          "true: objects in the clusters, such as ImagePolicy, declare the settings of workloads of their namespace. Whoever may write them decides about these workloads.",
        ),
      tiers: Tiers.prefault([]).describe(
        "The tiers in the order of their updates: a later tier gets an image when all members of the earlier ones ran it.",
      ),
      tierLabel: labelKey
        .exactOptional()
        .describe("The label whose value is the tier of a workload. The annotation lookout.dev/tier goes first."),
      tierGroupLabel: labelKey
        .exactOptional()
        .describe(
          "The label whose value is the group of a workload, within which tiers wait for each other. The annotation lookout.dev/tier-group goes first. Default: the workloads of one namespace and name in all clusters.",
        ),
      freezes: Freezes.prefault([]).describe("The planned freezes, for example at the end of the year."),
      people: People.prefault([]).describe("The people who may decide about updates."),
      approvers: Approvers.prefault([]).describe(
        "The people who decide about updates, by namespace. In a namespace without an entry, all people may decide.",
      ),
      owners: Owners.prefault([]).describe(
        "The names of the people who may import votes and first sightings, which open gates: lookout import --with-evidence.",
      ),
      namesAreProved: NamesAreProved.prefault([]).describe(
        "The roles whose trust policy fixes the session's name. So ROLE/SESSION proves a person. Roles of IAM Identity Center need no entry.",
      ),
      defaults: Defaults.prefault({}).describe("The defaults for workloads without an own setting."),
      limits: Limits.prefault({}).describe("The limits of all updates."),
      budgets: Budgets.prefault([]).describe(
        "The most that a namespace may take of Lookout. Without an entry, a namespace may take anything that others don't need.",
      ),
      listen: Listen.prefault(usualAddress).describe(
        "The address of the API and the webhooks: host:port, with an IPv6 address in brackets. Port 0 means any free port. For HTTPS, a mapping with address, certFile and keyFile.",
      ),
      dataDir: filePath("the path of a folder")
        .prefault("./.lookout")
        .describe("The folder of Lookout's state, relative to lookout.yaml."),
      alarms: Alarms.exactOptional().describe(
        "The receivers and the thresholds of a stack's alarms. A local process ignores this key.",
      ),
      backup: Backup.exactOptional().describe(
        "The copies that a local Lookout makes of its state. Default: no copies. A stack ignores this key.",
      ),
    },
    "the keys of lookout.yaml",
  )
  .superRefine((file, context) => {
    const problems = [
      approvalProblems,
      namespaceProblems("budgets"),
      observeProblems,
      tierProblems,
      channelClusterProblems,
      namespaceProblems("checks"),
    ];
    for (const { path, message } of problems.flatMap((of) => of(file)))
      context.addIssue({ code: "custom", path: [...path], message });
  }, evenInvalid)
  .readonly()
  .meta({
    title: "lookout.yaml",
    description:
      "Lookout's clusters, receivers, registries, freezes and limits. The file names the places of secrets, and contains no secret.",
  });
