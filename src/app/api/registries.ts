import type {
  RegistriesView,
  registryOperations,
  RegistryCheckView,
  RegistryChecksView,
  RegistryView,
} from "#contracts/api/registries";
import { parseRegistryHost, parseRepository } from "#contracts/config/registry-host";
import { admit } from "#domain/registry/breaker";
import { pauseOf, tokensIn } from "#domain/registry/lease";
import { entriesUnder, type RequestRules, rulesOf } from "#domain/registry/rules";
import { type EpochMs, toIso } from "#domain/shared/time";
import { entriesOf, registryHost } from "#domain/registry/host";
import { credentialSourceOf, type RegistryEntry, servingEntry } from "#domain/workload/registry-rules";
import type { RepositoryName } from "#ports/registry";
import type { RegistryState } from "#ports/registry-limits";
import { answeringRegistry } from "../shared/answering-registry.ts";
import { mapBounded } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";
import { type Handlers, notFound, type ApiError, type Served } from "./handler.ts";
import { registryRows } from "./registry-rows.ts";

/** The ports for listing and checking registries. */
export type RegistryApiPorts = Pick<Ports, "registry" | "registryRules" | "registryLimits" | "repositories" | "clock">;

/** The number of registries that are read or asked at the same time. */
const atOnce = 10;

/** Returns the handlers for the registries. */
export function registryHandlers({ ports, signal }: Served): Handlers<typeof registryOperations> {
  return {
    listRegistries: () => listRegistries(ports),
    checkRegistry: ({ params: { registry }, body: { repository } }) =>
      checkRegistry(registry, repository, ports, signal),
  };
}

/** Returns the entries of lookout.yaml, then the other registries of the workloads' images. */
export async function listRegistries(ports: RegistryApiPorts): Promise<RegistriesView> {
  const { registries: entries } = ports.registryRules;
  const repositories = await ports.repositories.list();
  const others = [...new Set(repositories.map(({ registry }) => registryHost(registry)))]
    .filter((host) => entriesOf(entries, host).length === 0)
    .map((host) => ({ host }));
  const now = ports.clock.now();
  const views = await mapBounded([...entries, ...others], atOnce, async (one) => {
    const entry = "name" in one ? one : undefined;
    const rules = rulesOf(one.host, entries);
    const used = repositories.filter((name) => isOf(one.host, entry, name, entries)).length;
    return registryView(one.host, entry, used, rules, await ports.registryLimits.read(rules.host), now);
  });
  return { at: toIso(now), registries: views };
}

/**
 * Asks a registry for tags, and returns the findings.
 *
 * The rules of lookout.yaml, the limits and the circuit breaker apply, as for a workload.
 *
 * @param named - the name of an entry, or a host.
 * @param path - the path of a repository. If undefined, Lookout takes a repository that a workload
 *   uses.
 */
export async function checkRegistry(
  named: string,
  path: string | undefined,
  ports: RegistryApiPorts,
  signal: AbortSignal,
): Promise<RegistryChecksView | ApiError> {
  const samples = await samplesOf(named, path, ports);
  if ("kind" in samples) return samples;
  const checks = await mapBounded(samples, atOnce, ({ entry, name }) => check(name, entry, ports, signal));
  return { at: toIso(ports.clock.now()), registries: checks };
}

async function check(
  name: RepositoryName,
  entry: RegistryEntry | undefined,
  { registry, clock }: RegistryApiPorts,
  signal: AbortSignal,
): Promise<RegistryCheckView> {
  const inspection = await answeringRegistry(registry).inspect(name, signal);
  const { registry: host, repository } = name;
  const rows = registryRows({ host, repository, entry, inspection }, clock.now());
  return { name: entry?.name ?? host, host, repository, rows };
}

/** A repository to check, and the entry that serves it. */
interface Sample {
  readonly name: RepositoryName;
  readonly entry?: RegistryEntry | undefined;
}

async function samplesOf(
  named: string,
  path: string | undefined,
  { registryRules: { registries, registryPolicy }, repositories }: RegistryApiPorts,
): Promise<readonly [Sample, ...Sample[]] | ApiError> {
  const byName = registries.filter(({ name }) => name === named);
  const host = byName[0]?.host ?? hostOf(named, registries);
  if (host === undefined)
    return {
      kind: "bad-name",
      detail: `"${named}" is no entry of registries, and not a host: expected host or host:port`,
    };
  const given = path === undefined ? undefined : parseRepository(host, path);
  if (path !== undefined && given === undefined)
    return { kind: "bad-name", detail: `"${path}" is not the path of a repository, such as shop/api` };
  const listed = given === undefined ? await repositories.list() : [given];
  const found = listed
    .filter((name) => registryHost(name.registry) === registryHost(host))
    .map(({ registry, repository }) => ({ name: { registry, repository } }))
    .map(({ name }) => ({ name, entry: servingEntry(registries, name) }))
    .filter(({ entry }) => byName.length === 0 || byName.some((one) => one === entry));
  const [first, ...others] = new Map(found.toReversed().map((sample) => [sample.entry, sample])).values();
  if (
    registryPolicy === "listed" &&
    (first === undefined ? entriesOf(registries, host).length === 0 : first.entry === undefined)
  )
    return { kind: "registry-not-allowed", detail: notListed(host, given) };
  if (first === undefined)
    return notFound(`no tracked workload has an image of ${named}: name a repository, with --repository PATH`);
  return [first, ...others];
}

function notListed(host: string, given: RepositoryName | undefined): string {
  const entry = given === undefined ? `{host: ${host}}` : `{host: ${host}, repositories: [${given.repository}]}`;
  return `registryPolicy is listed, and no entry serves ${given?.repository ?? "a repository"} of ${host}. The owner of lookout.yaml can allow the registry:  registries: [${entry}]`;
}

/**
 * Returns the registry's own host, also for an alias. Returns undefined for a text that is not a
 * host.
 */
function hostOf(text: string, entries: readonly RegistryEntry[]): string | undefined {
  const host = parseRegistryHost(text);
  return host === undefined ? undefined : (entriesUnder(host, entries)[0]?.host ?? host);
}

/** Returns whether a repository is in a registry and served by an entry. */
function isOf(
  host: string,
  entry: RegistryEntry | undefined,
  name: RepositoryName,
  entries: readonly RegistryEntry[],
): boolean {
  return registryHost(name.registry) === registryHost(host) && servingEntry(entries, name) === entry;
}

function registryView(
  host: string,
  entry: RegistryEntry | undefined,
  repositories: number,
  rules: RequestRules,
  state: RegistryState,
  now: EpochMs,
): RegistryView {
  return {
    name: entry?.name ?? host,
    host,
    isListed: entry !== undefined,
    aliases: entry?.aliases ?? [],
    ...(entry?.repositories === undefined ? {} : { prefixes: entry.repositories }),
    ...(entry?.namespaces === undefined ? {} : { namespaces: entry.namespaces }),
    repositories,
    credential: credentialSourceOf(entry),
    limit: limitView(rules, state, now),
    breaker: breakerView(rules, state, now),
  };
}

function limitView({ rateLimiting }: RequestRules, { limit }: RegistryState, now: EpochMs): RegistryView["limit"] {
  const pausedUntil = pauseOf(limit, now);
  const paused = pausedUntil === undefined ? {} : { pausedUntil: toIso(pausedUntil) };
  if (rateLimiting === undefined) return paused;
  const tokensLeft = tokensIn(limit, rateLimiting, now);
  return { ...rateLimiting, tokensLeft, tokensLeased: rateLimiting.burst - tokensLeft, ...paused };
}

function breakerView(
  { circuitBreaker }: RequestRules,
  { breaker }: RegistryState,
  now: EpochMs,
): RegistryView["breaker"] {
  if (!circuitBreaker.enabled) return { state: "off" };
  if (breaker === undefined) return { state: "closed", failures: 0 };
  const lastFailure = { at: toIso(breaker.lastFailure.at), detail: breaker.lastFailure.detail };
  if (breaker.state === "closed") return { state: "closed", failures: breaker.failures, lastFailure };
  const since = toIso(breaker.since);
  const admission = admit(breaker, circuitBreaker, now);
  if (admission.kind !== "rest") return { state: "half-open", since, lastFailure };
  return { state: breaker.state, since, until: toIso(admission.until), lastFailure };
}
