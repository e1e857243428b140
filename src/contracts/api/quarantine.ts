import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { isDigest } from "#domain/image/reference";
import { answered, body } from "./operation.ts";
import { count, EndQuery, instant, list, part, person, request, view } from "./schema.ts";

export const QuarantineView = view("Quarantine", "The quarantined digests, sorted.", {
  quarantined: list(part({ digest: z.string(), by: z.string(), why: z.string(), at: instant })),
  effect: part({
    workloads: count.describe("The number of tracked workloads."),
    runs: count.describe("The number of them that run the digest. They stay as they are."),
    holds: count.describe("The number of waiting updates that the quarantine holds."),
  })
    .exactOptional()
    .describe("What a new quarantine covers, only in the answer to its request."),
});
/** The quarantined digests, sorted. */
export type QuarantineView = z.output<typeof QuarantineView>;

export const QuarantineRequest = request("QuarantineRequest", "Puts a digest in quarantine.", {
  digest: z.string().refine(isDigest, "expected sha256:<64 hexadecimal digits>"),
  why: z.string().min(1),
  by: person,
});
/** Puts a digest in quarantine. */
export type QuarantineRequest = z.output<typeof QuarantineRequest>;

export const quarantineOperations = {
  listQuarantine: createRoute({
    method: "get",
    path: "/v1/quarantine",
    summary: "lists quarantined digests",
    responses: answered(QuarantineView),
  }),
  putInQuarantine: createRoute({
    method: "post",
    path: "/v1/quarantine",
    summary: "puts a digest in quarantine",
    request: { body: body(QuarantineRequest) },
    responses: answered(QuarantineView, 400, 413),
  }),
  liftQuarantine: createRoute({
    method: "delete",
    path: "/v1/quarantine/{digest}",
    summary: "takes a digest out of quarantine",
    request: {
      query: EndQuery,
      params: z.object({ digest: z.string().describe("The whole digest, with sha256: in front.") }),
    },
    responses: answered(QuarantineView, 400, 404),
  }),
} as const;
