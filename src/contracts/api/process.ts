import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { outcomes, severities } from "#domain/notify/words";
import { registryFactNames } from "#domain/registry/outage";
import { factNames } from "#domain/update/events";
import { workloadKinds } from "#domain/workload/kinds";
import { accepted, answered, body, refused } from "./operation.ts";
import {
  attributes,
  correlationId,
  count,
  instant,
  list,
  part,
  reasonNames,
  request,
  view,
  whatChanged,
} from "./schema.ts";

export const SettingView = part({
  setting: z.string().describe("The path of the setting in lookout.yaml: `clusters[0].name`."),
  value: z.string().describe("The value as written in its source. For a secret: whether the secret is set."),
  source: z.enum(["flag", "environment", "file", "default"]),
  place: z.string().exactOptional().describe("The place of the value: the flag, the variable, or file:line:column."),
}).describe("One setting and its source.");
/** One setting of the configuration in effect. */
export type SettingView = z.output<typeof SettingView>;

export const ReloadView = part({
  part: z.enum(["configuration", "certificate"]),
  file: z.string(),
  loadedAt: instant.describe("The time at which Lookout read the content in force."),
  failure: part({ at: instant.describe("The time of the first failed read."), detail: z.string() })
    .exactOptional()
    .describe("Why the changed file is not in force. Absent if it is in force."),
  needsRestart: list(z.string()).exactOptional().describe("The changed keys that need a restart. Absent if none does."),
  doubt: z.string().exactOptional().describe("A problem of the content in force, for example an expired certificate."),
  expiresAt: instant.exactOptional().describe("The end of the certificate in force."),
}).describe("A file that Lookout reads again when it changes.");
/** A file that Lookout reads again when it changes. */
export type ReloadView = z.output<typeof ReloadView>;

export const SettingsView = view("Settings", "The configuration in effect. Secrets show only their sources.", {
  file: z.string().exactOptional().describe("The path of the lookout.yaml in effect. Absent if there is no file."),
  settings: list(SettingView),
  reloads: list(ReloadView)
    .exactOptional()
    .describe("The files that the process reads again when they change. Absent if there are none."),
});
/** The configuration in effect, with the source of each setting. */
export type SettingsView = z.output<typeof SettingsView>;

const Change = part({
  list: z.enum(["containers", "initContainers", "volumes"]),
  name: z.string().describe("The name of the container."),
  imageName: z.string(),
  tag: z.string(),
  digest: z.string(),
  apply: z.enum(["pin", "tag", "restart"]),
  from: z.string(),
  to: z.string(),
  fromDigest: z.string().exactOptional(),
  policy: z.string(),
  attributes,
  whatChanged: whatChanged.exactOptional().describe("Absent if the new image states no origin."),
});

const words = {
  severity: z.enum(severities).describe("How much the fact matters, the least first."),
  outcome: z.enum(outcomes).describe("How the update stands. `none`: the fact is about no update."),
  text: z.string().describe("The fact as one sentence of at most 250 characters."),
};

export const FactView = view(
  "Fact",
  "A fact about a workload's update. Each event of the stream has one fact as its `data`.",
  {
    name: z.enum(factNames),
    id: z.string().describe("uid/seq/version/name. A repeated fact has the same id."),
    workload: part({ cluster: z.string(), namespace: z.string(), kind: z.enum(workloadKinds), name: z.string() }),
    uid: z.string(),
    seq: count,
    version: count,
    at: instant,
    detectedAt: instant.exactOptional().describe("The time at which Lookout received the push, or found the change."),
    source: z.string().exactOptional(),
    correlationId,
    changes: list(Change),
    baseImages: list(part({ image: z.string(), from: z.string(), digest: z.string() }))
      .exactOptional()
      .describe("The base images whose digests moved. Absent for other facts."),
    reasons: list(
      part({ reason: z.enum(reasonNames), until: instant.exactOptional(), detail: z.string().exactOptional() }),
    ),
    selected: z
      .literal(true)
      .exactOptional()
      .describe("Only in the first fact of an update: this version of the record selected the update."),
    detail: z.string().exactOptional(),
    again: z.literal(true).exactOptional().describe("Only if the update waits for the same reasons as before."),
    channels: list(z.string()).exactOptional().describe("The channels that the workload's annotations name."),
    ...words,
  },
);
/** A fact in the form of the API. */
export type FactView = z.output<typeof FactView>;

export const RegistryFactView = view(
  "RegistryFact",
  "The fact that a registry gives no answer, or answers again. The facts come once for each outage.",
  {
    name: z.enum(registryFactNames),
    id: z.string().describe("registry/since/name. A repeated fact has the same id."),
    registry: z.string().describe("The host of the registry."),
    since: instant.describe("The time of the first request without an answer."),
    at: instant,
    detail: z.string().describe("The cause of the outage."),
    ...words,
  },
);
/** A fact about a registry in the form of the API. */
export type RegistryFactView = z.output<typeof RegistryFactView>;

export const DemoPushRequest = request("DemoPushRequest", "Pushes an image to the demo's registry.", {
  image: z.string().min(1).describe("The image: shop/api:1.3.0"),
  broken: z.boolean().exactOptional().describe("True if the pushed image can't start."),
});
/** Pushes an image to the demo's registry. */
export type DemoPushRequest = z.output<typeof DemoPushRequest>;

export const DemoPushView = view("DemoPush", "The pushed image.", { image: z.string(), digest: z.string() });
/** The pushed image. */
export type DemoPushView = z.output<typeof DemoPushView>;

/** The media type of a state file. Source: https://www.iana.org/assignments/media-types/application/vnd.sqlite3 */
export const stateFileType = "application/vnd.sqlite3";

export const processOperations = {
  readConfiguration: createRoute({
    method: "get",
    path: "/v1/configuration",
    summary: "lists settings in effect and their sources, without secrets",
    responses: answered(SettingsView, 501),
  }),
  followFacts: createRoute({
    method: "get",
    path: "/v1/events",
    summary: "streams facts as server-sent events",
    responses: {
      200: {
        description: "A stream of events. The `data` of each event is a Fact or a RegistryFact.",
        content: { "text/event-stream": { schema: { type: "string" } } },
      },
      ...refused(501),
    },
  }),
  backUpState: createRoute({
    method: "get",
    path: "/v1/state/file",
    summary: "returns a copy of the state file, as `lookout backup` does",
    responses: {
      200: {
        description: "A SQLite database, which a local Lookout can start with.",
        content: { [stateFileType]: { schema: { type: "string", format: "binary" } } },
      },
      ...refused(501),
    },
  }),
  readDocument: createRoute({
    method: "get",
    path: "/v1/openapi.json",
    summary: "returns the OpenAPI 3.1 document of this API",
    responses: answered(z.looseObject({}).describe("An OpenAPI document.")),
  }),
  pushToDemo: createRoute({
    method: "post",
    path: "/v1/demo/push",
    summary: "pushes an image to the demo's registry",
    request: { body: body(DemoPushRequest) },
    responses: accepted(DemoPushView, 400, 404, 413),
  }),
} as const;
