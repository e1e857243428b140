import * as z from "zod";
import { factNames } from "#domain/events";
import { gates } from "#domain/gate";
import { isDigest } from "#domain/image-reference";
import { type Reason, reasons, type TagRejection, tagRejections } from "#domain/reasons";
import { endings } from "#domain/update";
import { workloadKinds } from "#domain/workload";

/*
 * The shapes of `/v1`, once: the types of api.ts are inferred from them, the OpenAPI document is written from them, requests are checked
 * by them, and tests hold every answer to them. Answers may gain members; a request with an unknown member is refused.
 */

const view = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).readonly();
const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

const instant = z.iso.datetime();
const count = z.int().min(0);
const workload = z.string().describe("cluster/namespace/kind/name");
const correlationId = z.string().exactOptional().describe("The id of the push behind it; absent where none is.");
const reasonNames = Object.keys(reasons) as [Reason, ...Reason[]];
const rejectionNames = Object.keys(tagRejections) as [TagRejection, ...TagRejection[]];

export const ReasonSchema = view({
  reason: z.enum(reasonNames),
  sentence: z.string(),
  remedy: z.string().describe("What a person can do about it."),
  detail: z.string().exactOptional(),
  until: instant.exactOptional(),
}).describe("Why something does not happen, for people.");

export const ImageSchema = view({
  container: z.string(),
  image: z.string().describe("The text in the manifest, or the one to write."),
  repository: z.string().describe("registry/path"),
  tag: z.string().exactOptional(),
  digest: z.string().exactOptional(),
  policy: z
    .string()
    .exactOptional()
    .describe("The policy that elects for it; absent for a container that does not take part."),
}).describe("An image that runs or is wanted.");

export const workloadStates = [
  "up-to-date",
  "held",
  "released",
  "rolling-out",
  "rolling-back",
  "taken-back",
  "problem",
] as const;

export const updateStatuses = ["held", "released", "rolling-out", "rolling-back", ...endings] as const;

export const UpdateSchema = view({
  workload,
  seq: count.describe("Counts the updates of the workload, from 1."),
  status: z.enum(updateStatuses),
  wants: list(ImageSchema),
  source: z.string().describe("Who told of it, or what found it."),
  correlationId,
  detectedAt: instant,
  electedAt: instant,
  patchedAt: instant.exactOptional(),
  runningSince: instant.exactOptional(),
  endedAt: instant.exactOptional(),
  reasons: list(ReasonSchema),
  detail: z.string().exactOptional().describe("How far it is, or what was found: `2 of 3 pods`, a cause of failure."),
}).describe("An update that is open, or the last that ended.");

const ProblemSchema = view({ key: z.string(), value: z.string(), message: z.string(), closes: z.boolean() });

export const WorkloadSchema = view({
  workload,
  uid: z.string(),
  version: count,
  state: z
    .enum(workloadStates)
    .describe(
      "held: something is wanted, and waits. taken-back: by Lookout because it failed, or by a person. problem: settings that can't be understood, or a registry that can't be asked.",
    ),
  runs: list(ImageSchema),
  wants: list(ImageSchema).describe("What is wanted and does not run yet; empty when nothing is."),
  reasons: list(ReasonSchema).describe("All that stands in the way now."),
  problems: list(ProblemSchema).describe("Annotations that can't be understood, or are not used."),
  active: UpdateSchema.exactOptional(),
  pending: UpdateSchema.exactOptional(),
  last: UpdateSchema.exactOptional(),
  changedAt: instant,
  lookedAt: instant.exactOptional().describe("When its cluster was looked at last; absent before the first look."),
}).describe("A workload, as Lookout last saw it.");

export const ClusterSchema = view({
  name: z.string(),
  lookedAt: instant.exactOptional(),
  problem: view({ reason: z.string(), detail: z.string(), since: instant }).exactOptional(),
  registered: view({ by: z.string(), at: instant }).exactOptional().describe("Absent: it is from lookout.yaml."),
}).describe("A cluster, as the last look left it.");

const next = z.string().exactOptional().describe("Hand it back as `after` for the next page; absent on the last.");

export const WorkloadsSchema = view({
  at: instant,
  workloads: list(WorkloadSchema),
  clusters: list(ClusterSchema),
  next,
}).describe("The workloads that take part, sorted by name, and the clusters.");

export const ClustersSchema = view({ at: instant, clusters: list(ClusterSchema) }).describe("All clusters, by name.");

const GateSchema = view({
  gate: z.enum(gates),
  open: z.boolean(),
  detail: z.string().exactOptional(),
  why: ReasonSchema.exactOptional(),
}).describe("What a gate says now.");

const ElectionSchema = view({
  container: z.string(),
  policy: z.string(),
  outcome: z.enum(["elected", "unchanged", "none"]),
  tag: z.string().exactOptional(),
  why: ReasonSchema.exactOptional(),
  tags: count.exactOptional().describe("How many tags the repository has; absent when it was not listed."),
  rejected: list(view({ tag: z.string(), reason: z.enum(rejectionNames) })),
}).describe("What a policy makes of a repository's tags now.");

export const ExplanationSchema = view({
  at: instant,
  workload: WorkloadSchema,
  elections: list(ElectionSchema),
  gates: list(GateSchema).describe("For what is wanted now, in their order, or for any update when nothing is."),
  notices: list(z.string()).describe("What is worth knowing before the next update, in sentences."),
  hold: view({ seq: count, at: instant, detail: z.string() }).exactOptional(),
  refusals: list(view({ tag: z.string(), digest: z.string(), seq: count, at: instant, why: ReasonSchema })),
}).describe("Why a workload runs what it runs, and what would have to be so for it to run something else.");

const DecisionSchema = view({
  at: instant,
  seq: count.describe("The update; 0: of the workload, before any update."),
  version: count,
  what: z.string(),
  fact: z.enum(factNames),
  images: list(ImageSchema),
  reasons: list(ReasonSchema),
  detail: z.string().exactOptional(),
  cause: z.string(),
  correlationId,
}).describe("One row of a workload's history.");

export const DecisionsSchema = view({ workload, decisions: list(DecisionSchema) }).describe(
  "The history of a workload, the newest first.",
);

export const UpdatesSchema = view({ at: instant, updates: list(UpdateSchema), next }).describe(
  "Every update that is open, and the last that ended of each workload, the newest first.",
);

export const UpdateHistorySchema = view({
  workload,
  seq: count,
  update: UpdateSchema.exactOptional().describe("As it stands; absent when a later one has ended since."),
  decisions: list(DecisionSchema).describe("What was decided about it, the newest first."),
}).describe("One update, as far as the workload's history goes back.");

export const LiftSchema = view({ workload, hold: z.boolean(), refusals: count }).describe("What lifting took away.");

export const QuarantineSchema = view({
  quarantined: list(view({ digest: z.string(), by: z.string(), why: z.string(), at: instant })),
}).describe("The digests in quarantine, sorted.");

const RepositorySchema = view({
  repository: z.string().describe("registry/path"),
  workloads: count.describe("How many are subscribed."),
  eventsMissed: count.describe("How many sweeps found something that nobody had told of."),
  sweptAt: instant.exactOptional().describe("When a sweep looked last; absent before the first."),
  lastMissedAt: instant.exactOptional().describe("When one last found something that nobody had told of."),
  problem: view({ ...ReasonSchema.unwrap().shape, since: instant })
    .exactOptional()
    .describe("Why its registry could not be asked by the last sweep, and since when it can't."),
});

export const RepositoriesSchema = view({ at: instant, repositories: list(RepositorySchema) }).describe(
  "Every repository that workloads are subscribed to, in the order of their names.",
);

export const SweepSchema = view({
  at: instant,
  repositories: list(
    view({
      repository: z.string(),
      workloads: count,
      missed: z.boolean().describe("There was something that nobody had told of, and policies are being asked."),
      problem: ReasonSchema.exactOptional().describe("Why its registry could not be asked about everything."),
    }),
  ),
  notReached: list(z.string()).describe("Repositories that there was no time for; the schedule looks at them."),
}).describe("What a sweep found, in the order of the repositories' names.");

const SettingSchema = view({
  setting: z.string().describe("Its place in lookout.yaml: `clusters[0].name`."),
  value: z.string().describe("As it is written there. Of a secret only whether it is set."),
  source: z.enum(["flag", "environment", "file", "default"]),
  place: z.string().exactOptional().describe("The flag, the variable, or file:line:column."),
}).describe("One setting, and where it is from.");

export const SettingsSchema = view({
  file: z.string().exactOptional().describe("The lookout.yaml that was read; absent: there is none."),
  settings: list(SettingSchema),
}).describe("The configuration in effect. Secrets are only said to be set, and from where.");

const ChangeSchema = view({
  list: z.enum(["containers", "initContainers"]),
  name: z.string().describe("The container."),
  repository: z.string(),
  tag: z.string(),
  digest: z.string(),
  apply: z.enum(["pin", "tag", "restart"]),
  from: z.string(),
  to: z.string(),
  fromDigest: z.string().exactOptional(),
  policy: z.string(),
});

export const FactSchema = view({
  name: z.enum(factNames),
  id: z.string().describe("uid/seq/version/name: the same fact told twice has the same id."),
  workload: view({ cluster: z.string(), namespace: z.string(), kind: z.enum(workloadKinds), name: z.string() }),
  uid: z.string(),
  seq: count,
  version: count,
  at: instant,
  detectedAt: instant.exactOptional().describe("When Lookout heard of the push behind it."),
  source: z.string().exactOptional(),
  correlationId,
  changes: list(ChangeSchema),
  reasons: list(
    view({ reason: z.enum(reasonNames), until: instant.exactOptional(), detail: z.string().exactOptional() }),
  ),
  elected: z
    .literal(true)
    .exactOptional()
    .describe("With the first fact of an update: it was elected in this very version."),
  detail: z.string().exactOptional(),
}).describe("Something that became true of a workload's update: the `data` of an event of the stream.");

export const QuarantineRequestSchema = z
  .strictObject({
    digest: z.string().refine(isDigest, "expected sha256:<64 hexadecimal digits>"),
    why: z.string().min(1),
    by: z.string().min(1),
  })
  .readonly()
  .describe("Puts a digest in quarantine.");

export const LiftRequestSchema = z
  .strictObject({ by: z.string().min(1).max(200).exactOptional().describe("Who wants it. Absent: api.") })
  .readonly()
  .describe("Lifts what holds a workload.");

export const SweepRequestSchema = z
  .strictObject({
    repository: z
      .string()
      .exactOptional()
      .describe("As in an image, without tag: `registry.example.com/shop/api`, `nginx`. Absent: all of them."),
  })
  .readonly()
  .describe("Sweeps now.");

export const DemoPushRequestSchema = z
  .strictObject({
    image: z.string().min(1).describe("shop/api:1.3.0"),
    broken: z.boolean().exactOptional().describe("An image that can't start."),
  })
  .readonly()
  .describe("Pushes an image to the demo's registry.");

export const DemoPushSchema = view({ image: z.string(), digest: z.string() }).describe("What was pushed.");

export const ErrorSchema = view({ error: view({ code: z.string(), message: z.string() }) }).describe(
  "Why a request was not done.",
);
