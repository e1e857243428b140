import { imageNameOf } from "#domain/image/reference";
import { deepEqual } from "#domain/shared/deep-equal";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { scanRulesOf, shortestOf } from "#domain/registry/sweeps";
import type { DurationMs } from "#domain/shared/time";
import { whyNotAllowed } from "#domain/workload/registry-rules";
import { repositoryOf } from "#domain/update/decide/desired-image";
import { type WorkloadName, workloadKey } from "#domain/workload/workload";
import type { RepositoryName } from "#ports/registry";
import type { Ports } from "./ports.ts";
import { changedByOthersError, maximumTries, settingsOf } from "./records.ts";

/**
 * Ends the subscriptions of an untracked workload. A repeat is harmless.
 *
 * A workload that is tracked again meanwhile keeps the subscriptions of its record.
 *
 * @throws TransientError when the record changes during every try.
 */
export async function unsubscribe(
  workload: WorkloadName,
  ports: Pick<Ports, "store" | "patterns" | "spending" | "defaults">,
): Promise<void> {
  let needs: readonly RepositoryName[] = [];
  for (let tries = 0; tries < maximumTries; tries += 1) {
    await ports.store.subscribe(workload, needs);
    const now = await ports.store.read(workloadKey(workload));
    const calledFor = now?.tracked === true ? await repositoriesOf(now, ports) : [];
    if (deepEqual(calledFor, needs)) return;
    needs = calledFor;
  }
  throw changedByOthersError(workloadKey(workload), "unsubscribed");
}

/**
 * Writes the subscriptions of a record before the record is stored. An extra subscription is
 * harmless, but a missing subscription misses pushes.
 */
export async function subscribe(
  before: WorkloadRecord | undefined,
  current: WorkloadRecord,
  ports: Pick<Ports, "store" | "patterns" | "spending" | "defaults" | "repositories" | "registryRules">,
): Promise<void> {
  const had = before?.tracked === true ? await wantsOf(before, ports) : undefined;
  const needs = await wantsOf(current, ports);
  if (!deepEqual(had?.names, needs.names)) await ports.store.subscribe(current.workload, needs.names);
  if (!deepEqual(had, needs)) await sweepAsOften(current.workload, needs, ports);
}

/** The repositories of a workload, and the sweep interval that the workload asks for. */
interface Wants {
  readonly names: readonly RepositoryName[];
  readonly interval: DurationMs | undefined;
}

async function wantsOf(
  record: WorkloadRecord,
  ports: Pick<Ports, "patterns" | "spending" | "defaults">,
): Promise<Wants> {
  const { interval } = await settingsOf(record, ports);
  return { names: await repositoriesOf(record, ports), interval };
}

/**
 * Shortens the sweep intervals of repositories immediately. Only a sweep lengthens the intervals,
 * because only a sweep knows all subscribers.
 */
async function sweepAsOften(
  workload: WorkloadName,
  { names, interval }: Wants,
  { repositories, registryRules }: Pick<Ports, "repositories" | "registryRules">,
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

/** Returns the repositories of a record's tracked containers, each once. */
export async function repositoriesOf(
  record: WorkloadRecord,
  ports: Pick<Ports, "patterns" | "spending" | "defaults">,
): Promise<readonly RepositoryName[]> {
  const settings = await settingsOf(record, ports);
  const names = record.observed.containers
    .filter(({ name }) => settings.containers[name] !== undefined)
    .flatMap((container) => repositoryOf(container) ?? [])
    .map(({ registry, repository }) => [imageNameOf({ registry, repository }), { registry, repository }] as const);
  return [...new Map(names).values()];
}
