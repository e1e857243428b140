import { imageNameOf } from "#domain/image/reference";
import { deepEqual } from "#domain/shared/deep-equal";
import type { WorkloadSettings } from "#domain/settings/settings";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { scanRulesOf, shortestOf } from "#domain/registry/sweeps";
import type { DurationMs } from "#domain/shared/time";
import { whyNotAllowed } from "#domain/workload/registry-rules";
import { repositoryOf } from "#domain/update/decide/desired-image";
import { type WorkloadName, workloadKey } from "#domain/workload/workload";
import { TransientError } from "#ports/errors";
import type { RepositoryName } from "#ports/registry";
import type { Ports } from "./ports.ts";
import { type RecordWithSettings, settingsOf } from "./records.ts";

/**
 * Ends the subscriptions of an untracked workload. A repeat is harmless.
 *
 * A workload that is tracked again meanwhile keeps the subscriptions of its record.
 *
 * @throws TransientError when the record changes during every try.
 */
export async function unsubscribe(workload: WorkloadName, ports: Ports): Promise<void> {
  let needs: readonly RepositoryName[] = [];
  for (let tries = 0; tries < mostTries; tries += 1) {
    await ports.store.subscribe(workload, needs);
    const now = await ports.store.read(workloadKey(workload));
    const calledFor = now?.tracked === true ? repositoriesOf(now, await settingsOf(now, ports)) : [];
    if (deepEqual(calledFor, needs)) return;
    needs = calledFor;
  }
  throw new TransientError(`other functions changed ${workloadKey(workload)} while it was unsubscribed`);
}

/** The tries to end subscriptions while the workload is tracked again and again. */
const mostTries = 5;

/**
 * Writes the subscriptions of a record before the record is stored. An extra subscription is
 * harmless, but a missing subscription misses pushes.
 *
 * @param before - the record whose subscriptions are stored. Undefined if none may be stored.
 */
export async function subscribe(
  before: RecordWithSettings | undefined,
  current: RecordWithSettings,
  ports: Ports,
): Promise<void> {
  const had = before && wantsOf(before);
  const needs = wantsOf(current);
  if (!deepEqual(had?.names, needs.names)) await ports.store.subscribe(current.record.workload, needs.names);
  if (!deepEqual(had, needs)) await sweepAsOften(current.record.workload, needs, ports);
}

/** The repositories of a workload, and the sweep interval that the workload asks for. */
interface Wants {
  readonly names: readonly RepositoryName[];
  readonly interval: DurationMs | undefined;
}

function wantsOf({ record, settings }: RecordWithSettings): Wants {
  return { names: repositoriesOf(record, settings), interval: settings.interval };
}

/**
 * Shortens the sweep intervals of repositories immediately. Only a sweep lengthens the intervals,
 * because only a sweep knows all subscribers.
 */
async function sweepAsOften(
  workload: WorkloadName,
  { names, interval }: Wants,
  { repositories, rules: { registries: registryRules } }: Ports,
): Promise<void> {
  for (const name of names) {
    const rules = scanRulesOf(name.registry, registryRules.registries);
    const state = await repositories.read(name);
    if (state?.firstSweptAt === undefined || whyNotAllowed(registryRules, name, workload) !== undefined) continue;
    const { interval: before, ...rest } = state;
    const shortest = shortestOf([before, interval], rules);
    if (shortest !== before)
      await repositories.write({ ...rest, ...(shortest === undefined ? {} : { interval: shortest }) });
  }
}

/** Returns the repositories of a record's tracked containers and of its base images, each once. */
export function repositoriesOf(
  { observed }: WorkloadRecord,
  { containers, baseImages = [] }: Pick<WorkloadSettings, "containers" | "baseImages">,
): readonly RepositoryName[] {
  const own = observed.containers
    .filter(({ name }) => containers[name] !== undefined)
    .flatMap((container) => repositoryOf(container) ?? []);
  const names = [...own, ...baseImages].map(
    ({ registry, repository }) => [imageNameOf({ registry, repository }), { registry, repository }] as const,
  );
  return [...new Map(names).values()];
}
