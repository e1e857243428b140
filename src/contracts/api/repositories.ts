import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { answered, bodyIfAny } from "./operation.ts";
import { count, instant, list, part, ReasonView, request, view } from "./schema.ts";

export const RepositoryView = part({
  repository: z.string().describe("registry/path"),
  workloads: count.describe("How many are subscribed."),
  eventsMissed: count.describe("The number of sweeps that found a missed push."),
  nextSweepAt: instant.exactOptional().describe("The minute of its next sweep; absent before the first."),
  lastMissedAt: instant.exactOptional().describe("When a sweep last found a missed push."),
  problem: part({ ...ReasonView.unwrap().shape, since: instant })
    .exactOptional()
    .describe("Why its registry could not be asked by the last sweep, and since when it can't."),
});
/** A repository with subscribed workloads, and the findings of sweeps. */
export type RepositoryView = z.output<typeof RepositoryView>;

export const RepositoriesView = view(
  "Repositories",
  "Every repository that workloads are subscribed to, in the order of their names.",
  { at: instant, repositories: list(RepositoryView) },
);
/** Every repository that workloads are subscribed to, in the order of their names. */
export type RepositoriesView = z.output<typeof RepositoriesView>;

export const SweepView = view("Sweep", "The findings of a sweep, in the order of the repositories' names.", {
  at: instant,
  repositories: list(
    part({
      repository: z.string(),
      workloads: count,
      missed: z.boolean().describe("There was a missed push, and Lookout evaluates it now."),
      problem: ReasonView.exactOptional().describe("Why its registry could not be asked about everything."),
    }),
  ),
  notReached: list(z.string()).describe("Repositories that the request had no time for; the schedule sweeps them."),
});
/** The findings of a sweep, sorted by repository. */
export type SweepView = z.output<typeof SweepView>;

export const SweepRequest = request("SweepRequest", "Sweeps now.", {
  repository: z
    .string()
    .exactOptional()
    .describe("As in an image, without tag: `registry.example.com/shop/api`, `nginx`. Absent: all of them."),
});
/** Sweeps now. */
export type SweepRequest = z.output<typeof SweepRequest>;
/** The findings of a sweep in one repository. */
export type SweptView = SweepView["repositories"][number];

export const repositoryOperations = {
  listRepositories: createRoute({
    method: "get",
    path: "/v1/repositories",
    summary: "the repositories of all workloads, and the findings of sweeps",
    responses: answered(RepositoriesView),
  }),
  sweepNow: createRoute({
    method: "post",
    path: "/v1/sweep",
    summary: "sweeps one repository or all now",
    request: { body: bodyIfAny(SweepRequest) },
    responses: answered(SweepView, 400, 404, 413),
  }),
} as const;
