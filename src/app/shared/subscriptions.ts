import { repositoryKey } from "#domain/image/reference";
import { deepEqual } from "#domain/shared/deep-equal";
import type { WorkloadRecord } from "#domain/update/states";
import { repositoryOf } from "#domain/update/desired-image";
import { type WorkloadName, workloadKey } from "#domain/workload/workload";
import type { RepositoryName } from "#ports/registry";
import type { Ports } from "./ports.ts";
import { changedByOthers, maximumTries, settingsOf } from "./records.ts";

/**
 * Ends the subscriptions of an untracked workload. A repeat is harmless.
 *
 * A workload that is tracked again meanwhile keeps the subscriptions of its record.
 *
 * @throws TransientError when its record kept changing.
 */
export async function unsubscribe(
  workload: WorkloadName,
  ports: Pick<Ports, "store" | "patterns" | "defaults">,
): Promise<void> {
  let needs: readonly RepositoryName[] = [];
  for (let tries = 0; tries < maximumTries; tries += 1) {
    await ports.store.subscribe(workload, needs);
    const now = await ports.store.read(workloadKey(workload));
    const calledFor = now?.tracked === true ? await repositoriesOf(now, ports) : [];
    if (deepEqual(calledFor, needs)) return;
    needs = calledFor;
  }
  throw changedByOthers(workloadKey(workload), "unsubscribed");
}

/**
 * Writes the subscriptions of a record, before the record. One too many is harmless, one too few
 * misses pushes.
 */
export async function subscribe(
  before: WorkloadRecord | undefined,
  current: WorkloadRecord,
  ports: Pick<Ports, "store" | "patterns" | "defaults">,
): Promise<void> {
  const had = before?.tracked === true ? await repositoriesOf(before, ports) : undefined;
  const needs = await repositoriesOf(current, ports);
  if (!deepEqual(had, needs)) await ports.store.subscribe(current.workload, needs);
}

/** Returns the repositories of a record's tracked containers, each once. */
export async function repositoriesOf(
  record: WorkloadRecord,
  ports: Pick<Ports, "patterns" | "defaults">,
): Promise<readonly RepositoryName[]> {
  const settings = await settingsOf(record, ports);
  const names = record.observed.containers
    .filter(({ name }) => settings.containers[name] !== undefined)
    .flatMap((container) => repositoryOf(container) ?? [])
    .map(({ registry, repository }) => [repositoryKey({ registry, repository }), { registry, repository }] as const);
  return [...new Map(names).values()];
}
