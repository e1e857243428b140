import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { credentialSources } from "#domain/workload/registry-rules";
import { answered, bodyIfAny } from "./operation.ts";
import { count, instant, list, part, ReasonView, request, view } from "./schema.ts";

const BreakerView = part({
  state: z
    .enum(["closed", "open", "half-open", "off"])
    .describe("The state of the breaker. The state is off if circuitBreaker.enabled is false."),
  failures: count.exactOptional().describe("The number of consecutive failed requests, while the breaker is closed."),
  since: instant.exactOptional().describe("The time at which the breaker opened."),
  until: instant.exactOptional().describe("The end of the pause. Absent while the breaker is half-open."),
  lastFailure: part({ at: instant, detail: z.string() }).exactOptional(),
}).describe("The circuit breaker, which pauses requests to a failing registry.");

const LimitView = part({
  requestsPerSecond: count.exactOptional().describe("Absent if Lookout does not limit its requests."),
  burst: count.exactOptional(),
  tokensLeft: count
    .exactOptional()
    .describe("The number of requests that may start now, besides the reserved requests."),
  tokensLeased: count.exactOptional().describe("The number of requests that functions have reserved, sent or not."),
  pausedUntil: instant.exactOptional().describe("The end of a pause of the whole registry."),
}).describe("The rate limit of requests to the registry, for all functions together.");

const PauseView = part({
  repository: z
    .string()
    .exactOptional()
    .describe("The path of the paused repository. Absent if the whole registry is paused."),
  since: instant,
  until: instant.describe("The time at which Lookout sends one request again."),
  detail: z.string().describe("The answer of the registry."),
  askedUntil: instant
    .exactOptional()
    .describe("The end of the pause that the registry asked for, if Lookout asks again before."),
}).describe("A time without requests, after the registry stated a limit.");
/** A pause of a registry or of one of its repositories. */
export type PauseView = z.output<typeof PauseView>;

export const RegistryView = part({
  name: z.string().describe("The name of the entry in lookout.yaml, else the host."),
  host: z.string(),
  isListed: z.boolean().describe("True if lookout.yaml has an entry for this registry."),
  aliases: list(z.string()),
  prefixes: list(z.string())
    .exactOptional()
    .describe(
      "The path prefixes of the repositories that the entry serves. Absent if the entry serves all repositories.",
    ),
  namespaces: list(z.string())
    .exactOptional()
    .describe("The namespaces whose workloads may use the entry. Absent if all namespaces may use the entry."),
  repositories: count.describe("The number of repositories that workloads subscribe to."),
  credential: z
    .enum(credentialSources)
    .describe("The source of the registry's credential, never the credential itself."),
  limit: LimitView,
  pauses: list(PauseView).describe("The running pauses of the registry and of its repositories, at most 101."),
  breaker: BreakerView,
});
/** A registry, and the state of its limits. */
export type RegistryView = z.output<typeof RegistryView>;

export const RegistriesView = view(
  "Registries",
  "The registries of lookout.yaml in the order of the file, then other registries of workloads' images.",
  { at: instant, registries: list(RegistryView) },
);
/** The registries, and the states of their limits. */
export type RegistriesView = z.output<typeof RegistriesView>;

/** The checks of a registry, in their order. A check may need the success of an earlier check. */
export const registryChecks = ["address", "certificate", "authentication", "tags", "limits", "clock"] as const;

const RowView = part({
  check: z.enum(registryChecks),
  result: z
    .enum(["ok", "failed", "not-checked"])
    .describe("The result. not-checked: an earlier check failed, or Lookout can't see the answer."),
  detail: z.string(),
  reason: ReasonView.exactOptional().describe("The reason of a failed check."),
  change: z.string().exactOptional().describe("The keys of lookout.yaml that would change the result."),
}).describe("The result of one check.");

export const RegistryCheckView = part({
  name: z.string().describe("The name of the checked entry, or the host without an entry in lookout.yaml."),
  host: z.string(),
  repository: z.string().describe("The repository whose tags were requested."),
  rows: list(RowView),
});
/** The checks of one entry of a registry. */
export type RegistryCheckView = z.output<typeof RegistryCheckView>;

export const RegistryChecksView = view(
  "RegistryChecks",
  "The checks of one registry, for each of its entries in lookout.yaml.",
  {
    at: instant,
    registries: list(RegistryCheckView),
  },
);
/** The checks of one registry, for each of its entries in `lookout.yaml`. */
export type RegistryChecksView = z.output<typeof RegistryChecksView>;

export const RegistryCheckRequest = request("RegistryCheckRequest", "Checks a registry.", {
  repository: z
    .string()
    .exactOptional()
    .describe("The path of a repository: `shop/api`. Default: a repository that workloads subscribe to."),
});
/** Checks a registry. */
export type RegistryCheckRequest = z.output<typeof RegistryCheckRequest>;

export const RegistryResumedView = view("RegistryResumed", "The pauses of a registry that the request ended.", {
  at: instant,
  host: z.string(),
  ended: list(PauseView).describe("The ended pauses. Empty if nothing was paused."),
  breaker: z
    .enum(["half-open", "unchanged"])
    .describe("half-open: the breaker was open, and the next request is a test."),
  repositories: count.describe("The number of repositories that Lookout checks now."),
});
/** The pauses of a registry that the request ended. */
export type RegistryResumedView = z.output<typeof RegistryResumedView>;

const RegistryPath = z.object({ registry: z.string().describe("The name of an entry in lookout.yaml, or a host.") });

export const registryOperations = {
  listRegistries: createRoute({
    method: "get",
    path: "/v1/registries",
    summary: "lists registries with their limits, pauses, breakers and credential sources",
    responses: answered(RegistriesView),
  }),
  checkRegistry: createRoute({
    method: "post",
    path: "/v1/registries/{registry}/check",
    summary: "requests tags from an allowed registry, and lists problems",
    request: {
      params: RegistryPath,
      body: bodyIfAny(RegistryCheckRequest),
    },
    responses: answered(RegistryChecksView, 400, 404, 409, 413),
  }),
  resumeRegistry: createRoute({
    method: "post",
    path: "/v1/registries/{registry}/resume",
    summary: "ends the pauses of a registry and of its repositories, and checks them now",
    request: { params: RegistryPath },
    responses: answered(RegistryResumedView, 400, 404),
  }),
} as const;
