import { registryHost } from "./host.ts";
import { type DurationMs, minutes } from "../shared/time.ts";

/** How fast one registry may be asked, by all functions together. */
export interface RateLimiting {
  readonly requestsPerSecond: number;
  /** Requests at once after a rest. */
  readonly burst: number;
}

/** When a failing registry gets no requests. */
export interface CircuitBreaker {
  readonly enabled: boolean;
  /** Failures in a row that open it. */
  readonly failureThreshold: number;
  /** How long it stays open before one request tries the registry. */
  readonly timeout: DurationMs;
}

/** How often the repositories of one registry are swept. */
export interface ScanRules {
  /** The shortest interval that an annotation gets. */
  readonly minInterval: DurationMs;
  /** The interval of workloads without an annotation. */
  readonly defaultInterval: DurationMs;
}

/** An entry of `registries` in `lookout.yaml`, as far as it limits requests. */
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
  /** Absent: Lookout does not limit its requests. */
  readonly rateLimiting?: RateLimiting;
  readonly circuitBreaker: CircuitBreaker;
}

/** Public registries that limit each caller: https://docs.docker.com/docker-hub/usage and the like. */
const publicRegistries = /^(?:docker\.io|ghcr\.io|quay\.io|public\.ecr\.aws|registry\.gitlab\.com|.*\.azurecr\.io)$/;

const careful: RateLimiting = { requestsPerSecond: 10, burst: 20 };

/** The breaker of a registry that says nothing else. */
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
