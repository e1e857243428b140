import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { answered, bodyIfAny } from "./operation.ts";
import { count, instant, list, part, ReasonView, request, view } from "./schema.ts";

export const RepositoryView = part({
  imageName: z.string().describe("The registry and the repository: `docker.io/library/nginx`."),
  workloads: count.describe("The number of workloads that subscribe to the repository."),
  eventsMissed: count.describe("The number of sweeps that found a missed push."),
  nextSweepAt: instant.exactOptional().describe("The minute of the next sweep. Absent before the first sweep."),
  lastMissedAt: instant.exactOptional().describe("The time of the last sweep that found a missed push."),
  checkedAt: instant.exactOptional().describe("The time of the last sweep that read all it needed."),
  problem: part({ ...ReasonView.unwrap().shape, since: instant })
    .exactOptional()
    .describe("The reason why the repository could not be read, and the time of the first failure."),
});
/** A repository with subscribed workloads, and the findings of sweeps. */
export type RepositoryView = z.output<typeof RepositoryView>;

export const RepositoriesView = view("Repositories", "All repositories that workloads subscribe to, sorted by name.", {
  at: instant,
  repositories: list(RepositoryView),
});
/** All repositories that workloads subscribe to, sorted by name. */
export type RepositoriesView = z.output<typeof RepositoriesView>;

export const SweepView = view("Sweep", "The findings of a sweep, sorted by repository.", {
  at: instant,
  repositories: list(
    part({
      imageName: z.string(),
      workloads: count,
      missed: z.boolean().describe("True if the sweep found a missed push. Lookout evaluates the push now."),
      problem: ReasonView.exactOptional().describe("The reason why the registry did not answer all requests."),
    }),
  ),
  notReached: list(z.string()).describe(
    "The repositories that this request did not reach in time. The schedule sweeps them later.",
  ),
});
/** The findings of a sweep, sorted by repository. */
export type SweepView = z.output<typeof SweepView>;

export const SweepRequest = request("SweepRequest", "Looks for missed pushes in registries now.", {
  imageName: z
    .string()
    .exactOptional()
    .describe(
      "The name of an image without a tag: `registry.example.com/shop/api`, `nginx`. Default: all repositories.",
    ),
});
/** Looks for missed pushes in registries now. */
export type SweepRequest = z.output<typeof SweepRequest>;
/** The findings of a sweep in one repository. */
export type SweptView = SweepView["repositories"][number];

export const repositoryOperations = {
  listRepositories: createRoute({
    method: "get",
    path: "/v1/repositories",
    summary: "lists repositories of workloads, and findings of sweeps",
    responses: answered(RepositoriesView),
  }),
  sweepNow: createRoute({
    method: "post",
    path: "/v1/sweep",
    summary: "looks for missed pushes in one repository or all",
    request: { body: bodyIfAny(SweepRequest) },
    responses: answered(SweepView, 400, 404, 413),
  }),
} as const;
