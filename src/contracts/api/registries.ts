import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { credentialSources } from "#domain/workload/registry-rules";
import { answered, bodyIfAny } from "./operation.ts";
import { count, instant, list, part, ReasonView, request, view } from "./schema.ts";

const BreakerView = part({
  state: z.enum(["closed", "open", "half-open", "off"]).describe("off: circuitBreaker.enabled is false."),
  failures: count.exactOptional().describe("How many requests in a row have failed; of a closed one."),
  since: instant.exactOptional().describe("When it opened."),
  until: instant.exactOptional().describe("Nobody asks the registry before. half-open: one request is tried."),
  lastFailure: part({ at: instant, detail: z.string() }).exactOptional(),
}).describe("Whether requests to the registry pause because it failed.");

const LimitView = part({
  requestsPerSecond: count.exactOptional().describe("Absent: Lookout does not limit its requests."),
  burst: count.exactOptional(),
  tokensLeft: count.exactOptional().describe("Requests that may be sent at once now, besides leased ones."),
  tokensLeased: count.exactOptional().describe("Requests that functions have taken lately, sent or not."),
  pausedUntil: instant.exactOptional().describe("The registry asked for a pause until then."),
}).describe("How fast the registry may be asked, by all functions together.");

export const RegistryView = part({
  name: z.string().describe("The name of the entry in lookout.yaml, else the host."),
  host: z.string(),
  isListed: z.boolean().describe("lookout.yaml has an entry of this registry."),
  aliases: list(z.string()),
  prefixes: list(z.string()).exactOptional().describe("The repositories that the entry serves. Absent: all."),
  namespaces: list(z.string()).exactOptional().describe("Whose workloads may use the entry. Absent: all."),
  repositories: count.describe("The number of its repositories with subscribed workloads."),
  credential: z.enum(credentialSources).describe("The source of its credential, never the credential itself."),
  limit: LimitView,
  breaker: BreakerView,
});
/** A registry, and the state of its limits. */
export type RegistryView = z.output<typeof RegistryView>;

export const RegistriesView = view(
  "Registries",
  "The entries of lookout.yaml in its order, then the other registries that workloads have images of.",
  { at: instant, registries: list(RegistryView) },
);
/** The registries, and the states of their limits. */
export type RegistriesView = z.output<typeof RegistriesView>;

/** The checks of a registry, in the order in which they build on each other. */
export const registryChecks = ["address", "certificate", "authentication", "tags", "limits", "clock"] as const;

const RowView = part({
  check: z.enum(registryChecks),
  result: z
    .enum(["ok", "failed", "not-checked"])
    .describe("not-checked: an earlier check failed, or it can't be seen."),
  detail: z.string(),
  reason: ReasonView.exactOptional().describe("The reason of a failed check."),
  change: z.string().exactOptional().describe("The keys of lookout.yaml that would change it."),
}).describe("The result of one check.");

export const RegistryCheckView = part({
  name: z.string().describe("The entry that was checked; the host where lookout.yaml has none."),
  host: z.string(),
  repository: z.string().describe("The repository that was asked for."),
  rows: list(RowView),
});
/** The checks of one registry. */
export type RegistryCheckView = z.output<typeof RegistryCheckView>;

export const RegistryChecksView = view("RegistryChecks", "What one request to a registry shows, for each entry.", {
  at: instant,
  registries: list(RegistryCheckView),
});
/** The result of one request to a registry, for each of its entries. */
export type RegistryChecksView = z.output<typeof RegistryChecksView>;

export const RegistryCheckRequest = request("RegistryCheckRequest", "Checks a registry.", {
  repository: z
    .string()
    .exactOptional()
    .describe("The path of a repository: `shop/api`. Absent: one that workloads have images of."),
});
/** Checks a registry. */
export type RegistryCheckRequest = z.output<typeof RegistryCheckRequest>;

export const registryOperations = {
  listRegistries: createRoute({
    method: "get",
    path: "/v1/registries",
    summary: "all registries: their limits, breakers and credential sources",
    responses: answered(RegistriesView),
  }),
  checkRegistry: createRoute({
    method: "post",
    path: "/v1/registries/{registry}/check",
    summary: "asks a registry for tags, and says what is wrong with it; only a registry that lookout.yaml allows",
    request: {
      params: z.object({ registry: z.string().describe("The name of an entry of lookout.yaml, or a host.") }),
      body: bodyIfAny(RegistryCheckRequest),
    },
    responses: answered(RegistryChecksView, 400, 404, 409, 413),
  }),
} as const;
