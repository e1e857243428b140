import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { answered, body } from "./operation.ts";
import { count, EndQuery, instant, list, part, person, request, view } from "./schema.ts";

const Freeze = part({
  scope: z.string(),
  by: z.string(),
  why: z.string(),
  at: instant.exactOptional().describe("The start. Absent for a planned freeze."),
  until: instant.exactOptional(),
  planned: z.string().exactOptional().describe("The name of a planned freeze. Only a change of lookout.yaml ends it."),
});

const PlannedFreeze = part({
  name: z.string(),
  scope: z.string(),
  why: z.string(),
  from: instant.exactOptional().describe("The next start. Absent if the freeze never starts again."),
  until: instant.exactOptional(),
});

const FreezeEffect = part({
  workloads: count.describe("The number of tracked workloads in the scope."),
  inFlight: count.describe("The number of them whose update is being patched, rolled out or rolled back. It goes on."),
  holds: count.describe("The number of waiting updates that the freeze holds."),
});

export const FreezesView = view(
  "Freezes",
  "The active and planned freezes, sorted by scope. A scope is `*`, `CLUSTER` or `CLUSTER/NAMESPACE`.",
  {
    at: instant,
    freezes: list(Freeze),
    planned: list(PlannedFreeze).describe("Planned freezes of lookout.yaml that are not active now."),
    inFlight: list(z.string().describe("cluster/namespace/kind/name")).describe(
      "Frozen workloads whose patch began before the freeze. Such a patch lands within ten seconds, or not at all.",
    ),
    effect: FreezeEffect.exactOptional().describe("What a new freeze covers, only in the answer to its request."),
  },
);
/** The active and planned freezes, sorted by scope. */
export type FreezesView = z.output<typeof FreezesView>;

export const FreezeRequest = request("FreezeRequest", "Freezes a scope.", {
  scope: z.string().describe("`*` for the whole fleet, `CLUSTER`, or `CLUSTER/NAMESPACE`."),
  why: z.string().min(1),
  by: person,
  until: z.iso
    .datetime({ offset: true })
    .exactOptional()
    .describe("The end. Absent if the freeze lasts until a request ends it."),
  force: z.boolean().exactOptional().describe("True to freeze also an unknown cluster or namespace."),
});
/** Freezes a scope. */
export type FreezeRequest = z.output<typeof FreezeRequest>;

export const freezeOperations = {
  listFreezes: createRoute({
    method: "get",
    path: "/v1/freezes",
    summary: "lists freezes, and patches that may still land",
    responses: answered(FreezesView),
  }),
  freeze: createRoute({
    method: "post",
    path: "/v1/freezes",
    summary: "freezes the fleet, a cluster or a namespace",
    request: { body: body(FreezeRequest) },
    responses: answered(FreezesView, 400, 404, 413),
  }),
  liftFreeze: createRoute({
    method: "delete",
    path: "/v1/freezes/{scope}",
    summary: "ends the freeze of exactly this scope",
    request: {
      query: EndQuery,
      params: z.object({
        scope: z.string().describe("The scope: *, CLUSTER or CLUSTER/NAMESPACE. The slash may be percent-encoded."),
      }),
    },
    responses: answered(FreezesView, 400, 404, 409),
  }),
} as const;
