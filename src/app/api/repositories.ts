import type {
  RepositoriesView,
  repositoryOperations,
  RepositoryView,
  SweepView,
  SweptView,
} from "#contracts/api/repositories";
import type { ReasonView } from "#contracts/api/schema";
import { parseImageReference, imageNameOf } from "#domain/image/reference";
import { checkOf, type SweepProblem } from "#domain/registry/checks";
import type { Outage } from "#domain/registry/outage";
import { nextSweepAt, scanRulesOf } from "#domain/registry/sweeps";
import { type EpochMs, toIso } from "#domain/shared/time";
import type { RepositoryName } from "#ports/registry";
import type { RepositoryState } from "#ports/repositories";
import { mapBounded } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";
import { readRegistryStates } from "../shared/registry-states.ts";
import { sweep } from "../detect/sweep-repository.ts";
import { type Handlers, notFound, type Served } from "./handler.ts";
import { subscriberPages } from "./scoped-ports.ts";
import { reasonView } from "./views.ts";

/** The number of repositories that one request counts or sweeps at the same time. */
const repositoriesAtOnce = 5;

/** Returns the handlers for the repositories. */
export function repositoryHandlers({ ports, allPorts, signal }: Served): Handlers<typeof repositoryOperations> {
  return {
    listRepositories: () => listRepositories(ports),
    sweepNow: async ({ body: { imageName } }) => {
      const name = imageName === undefined ? undefined : repositoryFrom(imageName);
      if (imageName !== undefined && name === undefined) {
        const detail = `"${imageName}" is not a repository: expected registry/path, without a tag`;
        return { kind: "bad-name", detail };
      }
      const view = await sweepNow(name, { seen: ports, all: allPorts }, signal);
      return view ?? notFound(`no tracked workload has an image of ${imageName ?? ""}`);
    },
  };
}

/**
 * Returns every repository that workloads subscribe to, sorted by name, with the results of sweeps.
 */
async function listRepositories(ports: Ports): Promise<RepositoriesView> {
  const { repositories, store, clusters, clock, rules } = ports;
  const now = clock.now();
  const nextOf = (state: RepositoryState): EpochMs | undefined =>
    nextSweepAt(state, scanRulesOf(state.registry, rules.registries.registries), now);
  const listed = await repositories.list();
  const states = await readRegistryStates(listed, ports);
  const views = await mapBounded(listed, repositoriesAtOnce, async (state) =>
    repositoryView(
      state,
      states.get(state.registry)?.outage,
      await countSubscribers(state, store, clusters.names()),
      nextOf(state),
    ),
  );
  return { at: toIso(now), repositories: views };
}

/**
 * Sweeps one repository, or all repositories that workloads subscribe to. The caller sees some, and the
 * sweep uses all: otherwise it would drop the state that other workloads of a repository need.
 *
 * @param signal - aborts at the end of the request's time. The response names the repositories that
 *   were not reached.
 * @returns undefined when no workload subscribes to the repository.
 */
export async function sweepNow(
  name: RepositoryName | undefined,
  ports: { readonly seen: Ports; readonly all: Ports },
  signal: AbortSignal,
): Promise<SweepView | undefined> {
  const { seen, all } = ports;
  const at = all.clock.now();
  const listed = await seen.repositories.list();
  const asked = name === undefined ? listed : listed.filter((state) => imageNameOf(state) === imageNameOf(name));
  if (name !== undefined && asked.length === 0) return undefined;
  const found = await mapBounded(asked, repositoriesAtOnce, async (state) => ({
    imageName: imageNameOf(state),
    outcome: await sweepInTime(state, `sweep:${at}:asked`, all, signal),
    ...(seen === all ? {} : { workloads: await countSubscribers(state, seen.store, seen.clusters.names()) }),
  }));
  return {
    at: toIso(at),
    repositories: found.flatMap(sweptView),
    notReached: found.flatMap(({ imageName, outcome }) => (outcome === "no-time" ? [imageName] : [])),
  };
}

/**
 * Parses the name of a repository: `nginx` is `docker.io/library/nginx`. Undefined for a name with
 * a tag or digest.
 */
function repositoryFrom(text: string): RepositoryName | undefined {
  const parsed = parseImageReference(text);
  if (!parsed.ok || parsed.value.tag !== undefined || parsed.value.digest !== undefined) return undefined;
  return { registry: parsed.value.registry, repository: parsed.value.repository };
}

type SweptInTime = Awaited<ReturnType<typeof sweep>> | "no-time";

async function sweepInTime(
  state: RepositoryState,
  id: string,
  ports: Ports,
  signal: AbortSignal,
): Promise<SweptInTime> {
  if (signal.aborted) return "no-time";
  return sweep(state, id, ports, signal).catch((error: unknown): "no-time" => {
    if (signal.aborted) return "no-time";
    throw error;
  });
}

/** Counts the subscribers in these clusters. */
async function countSubscribers(
  name: RepositoryName,
  store: Ports["store"],
  clusters: readonly string[],
): Promise<number> {
  let count = 0;
  for await (const page of subscriberPages(name, store))
    count += page.filter((key) => clusters.includes(key.split("/", 1)[0] ?? "")).length;
  return count;
}

function repositoryView(
  state: RepositoryState,
  outage: Outage | undefined,
  workloads: number,
  next: EpochMs | undefined,
): RepositoryView {
  const { missed, lastMissedAt, checkedAt } = state;
  const check = checkOf(state, outage, undefined);
  const problem = check.kind === "failed" ? check.problem : undefined;
  return {
    imageName: imageNameOf(state),
    workloads,
    eventsMissed: missed,
    ...(next === undefined ? {} : { nextSweepAt: toIso(next) }),
    ...(lastMissedAt === undefined ? {} : { lastMissedAt: toIso(lastMissedAt) }),
    ...(checkedAt === undefined ? {} : { checkedAt: toIso(checkedAt) }),
    ...(problem === undefined ? {} : { problem: { ...problemView(problem), since: toIso(problem.since) } }),
  };
}

/**
 * Returns the view of a sweep, or an empty list for a repository that was dropped or not reached.
 */
interface Found {
  readonly imageName: string;
  readonly outcome: SweptInTime;
  /** The number of workloads that the caller sees. Absent for a caller who sees all. */
  readonly workloads?: number;
}

function sweptView({ imageName, outcome, workloads: seen }: Found): readonly SweptView[] {
  if (outcome === "no-time" || outcome.kind === "dropped") return [];
  const { workloads: all, eventsMissed } = outcome;
  const workloads = seen ?? all;
  const problem = "problem" in outcome ? outcome.problem : undefined;
  const view = { imageName, workloads, missed: eventsMissed > 0 };
  return [problem === undefined ? view : { ...view, problem: problemView(problem) }];
}

function problemView({ reason, detail, until }: Omit<SweepProblem, "at" | "since">): ReasonView {
  return reasonView(reason, detail, until);
}
