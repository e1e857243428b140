import { repositoryKey } from "#domain/image/reference";
import { deepEqual } from "#domain/shared/deep-equal";
import type { WorkloadRecord } from "#domain/update/states";
import { repositoryOf } from "#domain/update/desired-image";
import { type WorkloadName, workloadKey } from "#domain/workload/workload";
import type { RepositoryName } from "#ports/registry";
import type { Ports } from "./ports.ts";
import { changedByOthers, commit, maximumTries, settingsOf } from "./records.ts";

/**
 * Stores a version of a record that takes no part any more, and ends its subscriptions.
 *
 * Unsubscribed after the record is stored: one subscription too many is harmless, one too few misses pushes.
 *
 * @param left - undefined where it takes no part already: whoever stored that may have ended no subscriptions.
 * @returns false when another version is stored: nothing was ended.
 */
export async function forget(
  workload: WorkloadName,
  left: WorkloadRecord | undefined,
  ports: Pick<Ports, "store" | "patterns" | "queues" | "clock" | "limits">,
): Promise<boolean> {
  if (left !== undefined && !(await commit(left, ports))) return false;
  await unsubscribe(workload, ports);
  return true;
}

/**
 * Ends the subscriptions of a workload that takes no part any more; doing it twice is harmless. One that another look took back in between
 * gets those that its record calls for.
 *
 * @throws TransientError when its record kept changing.
 */
export async function unsubscribe(workload: WorkloadName, ports: Pick<Ports, "store" | "patterns">): Promise<void> {
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

/** Subscriptions are written before the record that needs them: one too many is harmless, one too few misses pushes. */
export async function subscribe(
  before: WorkloadRecord | undefined,
  current: WorkloadRecord,
  ports: Pick<Ports, "store" | "patterns">,
): Promise<void> {
  const had = before?.tracked === true ? await repositoriesOf(before, ports) : undefined;
  const needs = await repositoriesOf(current, ports);
  if (!deepEqual(had, needs)) await ports.store.subscribe(current.workload, needs);
}

/** Answers the repositories that a record's settings have it look at, each once. */
export async function repositoriesOf(
  record: WorkloadRecord,
  ports: Pick<Ports, "patterns">,
): Promise<readonly RepositoryName[]> {
  const settings = await settingsOf(record, ports);
  const names = record.observed.containers
    .filter(({ name }) => settings.containers[name] !== undefined)
    .flatMap((container) => repositoryOf(container) ?? [])
    .map(({ registry, repository }) => [repositoryKey({ registry, repository }), { registry, repository }] as const);
  return [...new Map(names).values()];
}
