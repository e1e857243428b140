import { type DurationMs, minutes } from "../shared/time.ts";

/** How fast one registry may be asked, by all functions together. */
export interface RateLimiting {
  readonly requestsPerSecond: number;
  /** Requests at once after a rest. */
  readonly burst: number;
}

/** When a failing registry is left alone. */
export interface CircuitBreaker {
  readonly enabled: boolean;
  /** Failures in a row that open it. */
  readonly failureThreshold: number;
  /** How long it stays open before one request tries the registry. */
  readonly timeout: DurationMs;
}

/** How often the repositories of a registry are swept. */
export interface Scan {
  /** No workload gets a shorter interval. */
  readonly minInterval: DurationMs;
  /** For repositories whose workloads name no interval. */
  readonly defaultInterval: DurationMs;
}

/** An entry of `registries` in `lookout.yaml`, as far as it limits requests. */
export interface LimitedEntry {
  readonly host: string;
  readonly name?: string | undefined;
  readonly aliases?: readonly string[];
  readonly rateLimiting?: Partial<RateLimiting>;
  readonly circuitBreaker?: Partial<CircuitBreaker>;
  readonly scan?: Partial<Scan>;
}

/** What holds for one registry, under all its hosts. */
export interface RequestRules {
  readonly host: string;
  readonly name?: string;
  readonly rateLimiting: RateLimiting;
  readonly circuitBreaker: CircuitBreaker;
  readonly scan: Scan;
}

/** Public registries that limit each caller: https://docs.docker.com/docker-hub/usage and the like. */
const publicRegistries = /^(?:docker\.io|ghcr\.io|quay\.io|public\.ecr\.aws|registry\.gitlab\.com|.*\.azurecr\.io)$/;

const careful: RateLimiting = { requestsPerSecond: 10, burst: 20 };
const usual: RateLimiting = { requestsPerSecond: 100, burst: 200 };

/** The breaker of a registry that says nothing else. */
export const defaultBreaker: CircuitBreaker = { enabled: true, failureThreshold: 5, timeout: minutes(1) };
/** The sweeps of a registry that says nothing else. */
export const defaultScan: Scan = { minInterval: minutes(1), defaultInterval: minutes(5) };

/** Returns what holds for the registry of a host or an alias, with the defaults of that host. */
export function rulesOf(host: string, entries: readonly LimitedEntry[]): RequestRules {
  const own = entries.filter((each) => each.host === host || each.aliases?.includes(host) === true);
  const [entry] = own;
  const registry = entry?.host ?? host;
  const rate = publicRegistries.test(registry) ? careful : usual;
  return {
    host: registry,
    ...(entry?.name === undefined ? {} : { name: entry.name }),
    rateLimiting: Object.assign({}, rate, ...own.map(({ rateLimiting }) => rateLimiting)) as RateLimiting,
    circuitBreaker: Object.assign(
      {},
      defaultBreaker,
      ...own.map(({ circuitBreaker }) => circuitBreaker),
    ) as CircuitBreaker,
    scan: Object.assign({}, defaultScan, ...own.map(({ scan }) => scan)) as Scan,
  };
}
