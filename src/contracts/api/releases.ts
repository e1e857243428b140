import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { answered, body } from "./operation.ts";
import { count, ImageView, instant, list, part, request, view, why } from "./schema.ts";

const workload = z.string().describe("cluster/namespace/kind/name");

export const ReleaseView = view("Release", "The updates that a release lets go on, sorted by workload.", {
  at: instant,
  scope: z.string(),
  past: z.literal("observe"),
  dryRun: z.boolean().describe("True if nothing was released."),
  released: list(part({ workload, seq: count, wants: list(ImageView) })).describe(
    "The updates that the gate observe no longer holds. Other gates may still hold them.",
  ),
  observed: list(workload).describe("The workloads of the scope that stay held, because Lookout still observes them."),
});
/** The updates that a release lets go on. */
export type ReleaseView = z.output<typeof ReleaseView>;

export const ReleaseRequest = request("ReleaseRequest", "Releases updates that Lookout found while it observed.", {
  scope: z.string().describe("`*` for everything, `CLUSTER`, `CLUSTER/NAMESPACE`, or `cluster/namespace/kind/name`."),
  past: z.literal("observe").describe("The gate that no longer holds the updates."),
  by: z.string().min(1).max(200).exactOptional().describe("The name of the requester. Default: api."),
  why,
  dryRun: z.boolean().exactOptional().describe("True: only list the updates. Default: false."),
});
/** Releases updates that Lookout found while it observed. */
export type ReleaseRequest = z.output<typeof ReleaseRequest>;

export const releaseOperations = {
  release: createRoute({
    method: "post",
    path: "/v1/releases",
    summary: "releases the updates that were found while Lookout observed",
    request: { body: body(ReleaseRequest) },
    responses: answered(ReleaseView, 400, 404, 409, 413),
  }),
} as const;
