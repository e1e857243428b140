import type {
  PauseView,
  RegistriesView,
  registryOperations,
  RegistryCheckView,
  RegistryChecksView,
  RegistryResumedView,
  RegistryView,
} from "#contracts/api/registries";
import { parseRegistryHost, parseRepository } from "#contracts/config/registry-host";
import { admit, afterBreakerResume } from "#domain/registry/breaker";
import { tokensIn } from "#domain/registry/lease";
import { afterResume, type Pause, type RepositoryPause, runningPauses } from "#domain/registry/pauses";
import { entriesUnder, type RequestRules, rulesOf } from "#domain/registry/rules";
import { type EpochMs, seconds, toIso } from "#domain/shared/time";
import { entriesOf, registryHost } from "#domain/registry/host";
import { credentialSourceOf, type RegistryEntry, servingEntry } from "#domain/workload/registry-rules";
import { TransientError } from "#ports/errors";
import type { RepositoryName } from "#ports/registry";
import type { RegistryState } from "#ports/registry-limits";
import { answeringRegistry } from "../shared/answering-registry.ts";
import { mapBounded } from "../shared/bounded.ts";
import { untilStored } from "../shared/limited-registry.ts";
import type { Ports } from "../shared/ports.ts";
import { type Handlers, notFound, type ApiError, type Served } from "./handler.ts";
import { registryRows } from "./registry-rows.ts";

/** The number of registries that are read or asked at the same time. */
const atOnce = 10;

/** Returns the handlers for the registries. */
export function registryHandlers({ ports, signal }: Served): Handlers<typeof registryOperations> {
  return {
    listRegistries: () => listRegistries(ports),
    checkRegistry: ({ params: { registry }, body: { repository } }) =>
      checkRegistry(registry, repository, ports, signal),
    resumeRegistry: ({ params: { registry } }) => resumeRegistry(registry, ports),
  };
}

/** Returns the entries of lookout.yaml, then the other registries of the workloads' images. */
export async function listRegistries(ports: Ports): Promise<RegistriesView> {
  const { registries: entries } = ports.rules.registries;
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
  ports: Ports,
  signal: AbortSignal,
): Promise<RegistryChecksView | ApiError> {
  const samples = await samplesOf(named, path, ports);
  if ("kind" in samples) return samples;
  const checks = await mapBounded(samples, atOnce, ({ entry, name }) => check(name, entry, ports, signal));
  return { at: toIso(ports.clock.now()), registries: checks };
}

/** Processes that rest read the stored state again within this time, so the checks begin afterwards. */
const resumedAfter = seconds(2);

/**
 * Ends the pauses of a registry and of its repositories, lets the next request through its circuit
 * breaker, and queues checks of the repositories that rested.
 *
 * @param named - the name of an entry, or a host.
 */
export async function resumeRegistry(named: string, ports: Ports): Promise<RegistryResumedView | ApiError> {
  const { registries } = ports.rules.registries;
  const wanted = hostNamed(named, registries);
  if (wanted === undefined) return badHost(named);
  const rules = rulesOf(wanted, registries);
  const listed = await ports.repositories.list();
  const before = await ports.registryLimits.read(rules.host);
  const known = [
    ...new Set(
      [...registries, ...listed.map(({ registry: host }) => ({ host }))].map(
        ({ host }) => rulesOf(host, registries).host,
      ),
    ),
  ];
  if (!known.includes(rules.host) && before.pauses === undefined && before.breaker === undefined)
    return notFound(`Lookout knows no registry ${named}. ${knownText(known)}`);
  const now = ports.clock.now();
  const ended = await endPauses(rules.host, ports, now);
  const isTested = await testBreaker(rules, ports, now);
  const isWhole = isTested || ended.some((pause) => !("repository" in pause));
  const rested = new Set(ended.map((pause) => ("repository" in pause ? pause.repository : undefined)));
  const swept = listed.filter(
    ({ registry, repository }) =>
      rulesOf(registry, registries).host === rules.host && (isWhole || rested.has(repository)),
  );
  await ports.queues.send(
    swept.map(({ registry, repository }) => ({
      command: { name: "SweepRepository", id: `resume:${now}`, registry, repository, at: now },
      delay: resumedAfter,
    })),
  );
  return {
    at: toIso(now),
    host: rules.host,
    ended: ended.map(pauseView),
    breaker: isTested ? "half-open" : "unchanged",
    repositories: swept.length,
  };
}

/** Ends the stored pauses of a registry. Returns those that were running. */
async function endPauses(
  host: string,
  { registryLimits }: Ports,
  now: EpochMs,
): Promise<readonly (Pause | RepositoryPause)[]> {
  const ended = await untilStored(async () => {
    const { pauses } = await registryLimits.read(host);
    const next = afterResume(pauses);
    if (next !== undefined && !(await registryLimits.writePauses(host, next, now))) return "lost";
    return runningPauses(pauses, now);
  });
  return ended === "lost" ? throwChanged(host) : ended;
}

/** Lets the next request through an open breaker. Returns whether the breaker was open. */
async function testBreaker(
  { host, circuitBreaker }: RequestRules,
  { registryLimits }: Ports,
  now: EpochMs,
): Promise<boolean> {
  const isTested = await untilStored(async () => {
    const next = afterBreakerResume((await registryLimits.read(host)).breaker, circuitBreaker, now);
    if (next === undefined) return false;
    return (await registryLimits.writeBreaker(host, next, now)) ? true : "lost";
  });
  return isTested === "lost" ? throwChanged(host) : isTested;
}

function throwChanged(host: string): never {
  throw new TransientError(`the state of ${host} keeps changing: try again`);
}

/** The most registries that a refusal names. */
const mostNamed = 20;

function knownText(hosts: readonly string[]): string {
  if (hosts.length === 0) return "It knows no registry.";
  const more = hosts.length - mostNamed;
  return `It knows ${hosts.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

async function check(
  name: RepositoryName,
  entry: RegistryEntry | undefined,
  { registry, spending, clock }: Ports,
  signal: AbortSignal,
): Promise<RegistryCheckView> {
  const inspection = await answeringRegistry(registry).inspect(name, signal, { spending });
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
  {
    repositories,
    rules: {
      registries: { registries, registryPolicy },
    },
  }: Ports,
): Promise<readonly [Sample, ...Sample[]] | ApiError> {
  const byName = registries.filter(({ name }) => name === named);
  const host = hostNamed(named, registries);
  if (host === undefined) return badHost(named);
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

function badHost(named: string): ApiError {
  return {
    kind: "bad-name",
    detail: `"${named}" is no entry of registries, and not a host: expected host or host:port`,
  };
}

/**
 * Returns the host of an entry with this name, or the registry's own host, also for an alias.
 * Returns undefined for a text that is neither.
 */
function hostNamed(text: string, entries: readonly RegistryEntry[]): string | undefined {
  const named = entries.find(({ name }) => name === text);
  if (named !== undefined) return named.host;
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
    pauses: runningPauses(state.pauses, now).map(pauseView),
    breaker: breakerView(rules, state, now),
  };
}

function pauseView({ since, until, detail, askedUntil, ...of }: Pause | RepositoryPause): PauseView {
  const asked = askedUntil === undefined ? {} : { askedUntil: toIso(askedUntil) };
  return { ...of, since: toIso(since), until: toIso(until), detail, ...asked };
}

function limitView(
  { rateLimiting }: RequestRules,
  { limit, pauses }: RegistryState,
  now: EpochMs,
): RegistryView["limit"] {
  const whole = runningPauses(pauses, now).find((pause) => !("repository" in pause));
  const paused = whole === undefined ? {} : { pausedUntil: toIso(whole.until) };
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
