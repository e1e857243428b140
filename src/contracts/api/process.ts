import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { factNames } from "#domain/update/events";
import { workloadKinds } from "#domain/workload/kinds";
import { accepted, answered, body, refused } from "./operation.ts";
import { attributes, correlationId, count, instant, list, part, reasonNames, request, view } from "./schema.ts";

export const SettingView = part({
  setting: z.string().describe("Its place in lookout.yaml: `clusters[0].name`."),
  value: z.string().describe("As it is written there. For a secret: whether it is set."),
  source: z.enum(["flag", "environment", "file", "default"]),
  place: z.string().exactOptional().describe("The flag, the variable, or file:line:column."),
}).describe("One setting and its source.");
/** One setting of the configuration in effect. */
export type SettingView = z.output<typeof SettingView>;

export const SettingsView = view("Settings", "The configuration in effect. Secrets show only their sources.", {
  file: z.string().exactOptional().describe("The lookout.yaml that was read; absent: there is none."),
  settings: list(SettingView),
});
/** The configuration in effect, and where each part of it is from. */
export type SettingsView = z.output<typeof SettingsView>;

const Change = part({
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
  attributes,
});

export const FactView = view(
  "Fact",
  "Something that became true of a workload's update: the `data` of an event of the stream.",
  {
    name: z.enum(factNames),
    id: z.string().describe("uid/seq/version/name: a repeated fact has the same id."),
    workload: part({ cluster: z.string(), namespace: z.string(), kind: z.enum(workloadKinds), name: z.string() }),
    uid: z.string(),
    seq: count,
    version: count,
    at: instant,
    detectedAt: instant.exactOptional().describe("When Lookout heard of the push behind it."),
    source: z.string().exactOptional(),
    correlationId,
    changes: list(Change),
    reasons: list(
      part({ reason: z.enum(reasonNames), until: instant.exactOptional(), detail: z.string().exactOptional() }),
    ),
    selected: z
      .literal(true)
      .exactOptional()
      .describe("With the first fact of an update: it was selected in this very version."),
    detail: z.string().exactOptional(),
  },
);
/** A fact as it crosses the border of the process. */
export type FactView = z.output<typeof FactView>;

export const DemoPushRequest = request("DemoPushRequest", "Pushes an image to the demo's registry.", {
  image: z.string().min(1).describe("shop/api:1.3.0"),
  broken: z.boolean().exactOptional().describe("An image that can't start."),
});
/** Pushes an image to the demo's registry. */
export type DemoPushRequest = z.output<typeof DemoPushRequest>;

export const DemoPushView = view("DemoPush", "The pushed image.", { image: z.string(), digest: z.string() });
/** What was pushed. */
export type DemoPushView = z.output<typeof DemoPushView>;

export const processOperations = {
  readConfiguration: createRoute({
    method: "get",
    path: "/v1/configuration",
    summary: "the settings in effect and their sources, without secrets",
    responses: answered(SettingsView, 501),
  }),
  followFacts: createRoute({
    method: "get",
    path: "/v1/events",
    summary: "a stream of facts, as server-sent events",
    responses: {
      200: {
        description: "A stream, the `data` of each event a Fact.",
        content: { "text/event-stream": { schema: { type: "string" } } },
      },
      ...refused(501),
    },
  }),
  readDocument: createRoute({
    method: "get",
    path: "/v1/openapi.json",
    summary: "this API, as an OpenAPI 3.1 document",
    responses: answered(z.looseObject({}).describe("An OpenAPI document.")),
  }),
  pushToDemo: createRoute({
    method: "post",
    path: "/v1/demo/push",
    summary: "pushes to the demo's registry",
    request: { body: body(DemoPushRequest) },
    responses: accepted(DemoPushView, 400, 404, 413),
  }),
} as const;
