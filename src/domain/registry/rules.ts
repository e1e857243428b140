import { registryHost } from "./host.ts";
import { type DurationMs, minutes } from "../shared/time.ts";

/** The limit of requests to one registry, shared by all functions. */
export interface RateLimiting {
  readonly requestsPerSecond: number;
  /** The maximum number of simultaneous requests after a time without requests. */
  readonly burst: number;
}

/** The rule that stops requests to a failing registry. */
export interface CircuitBreaker {
  readonly enabled: boolean;
  /** The number of failures in a row that open the breaker. */
  readonly failureThreshold: number;
  /** The time that the breaker stays open before one request tries the registry. */
  readonly timeout: DurationMs;
}

/** The rules for sweeps of the repositories of one registry. */
export interface ScanRules {
  /**
   * The shortest interval between sweeps. Lookout raises a shorter interval of an annotation to
   * this minimum.
   */
  readonly minInterval: DurationMs;
  /** The interval between sweeps for workloads without an annotation. */
  readonly defaultInterval: DurationMs;
}

/** The members of an entry of `registries` in `lookout.yaml` that limit requests. */
export interface LimitedEntry {
  readonly host: string;
  readonly aliases?: readonly string[];
  readonly rateLimiting?: Partial<RateLimiting>;
  readonly circuitBreaker?: Partial<CircuitBreaker>;
  readonly scan?: Partial<ScanRules>;
}

/** The rules of one registry, for all its hosts. */
export interface RequestRules {
  readonly host: string;
  /** The limit of Lookout's requests. Absent if Lookout does not limit its requests. */
  readonly rateLimiting?: RateLimiting;
  readonly circuitBreaker: CircuitBreaker;
}

/**
 * Public registries that limit each caller, such as Docker Hub:
 * https://docs.docker.com/docker-hub/usage
 */
const publicRegistries = /^(?:docker\.io|ghcr\.io|quay\.io|public\.ecr\.aws|registry\.gitlab\.com|.*\.azurecr\.io)$/;

const careful: RateLimiting = { requestsPerSecond: 10, burst: 20 };

/** The circuit breaker of a registry without a rule of its own. */
export const defaultBreaker: CircuitBreaker = { enabled: true, failureThreshold: 5, timeout: minutes(1) };

/** Returns the rules for the registry of a host or an alias, with the defaults of that host. */
export function rulesOf(host: string, entries: readonly LimitedEntry[]): RequestRules {
  const own = entriesUnder(host, entries);
  const registry = registryHost(own[0]?.host ?? host);
  const rates = own.flatMap(({ rateLimiting }) => rateLimiting ?? []);
  const isLimited = rates.length > 0 || publicRegistries.test(registry);
  return {
    host: registry,
    ...(isLimited ? { rateLimiting: Object.assign({}, careful, ...rates) as RateLimiting } : {}),
    circuitBreaker: Object.assign(
      {},
      defaultBreaker,
      ...own.map(({ circuitBreaker }) => circuitBreaker),
    ) as CircuitBreaker,
  };
}

/** Returns the entries of a host or an alias. */
export function entriesUnder(host: string, entries: readonly LimitedEntry[]): readonly LimitedEntry[] {
  const name = registryHost(host);
  return entries.filter((entry) => [entry.host, ...(entry.aliases ?? [])].map(registryHost).includes(name));
}
