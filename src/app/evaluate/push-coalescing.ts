import type { ImagePushed } from "#domain/image/push";
import { repositoryKey } from "#domain/image/reference";
import { followsMoves } from "#domain/update/desired-image";
import { whyNotAllowed } from "#domain/workload/registry-rules";
import { TransientError } from "#ports/errors";
import type { SubscriberPage } from "#ports/store";
import type { Ports } from "../shared/ports.ts";
import { type RecordWithSettings, withSettings } from "../shared/records.ts";
import { readsOver, type RegistryReads } from "../shared/registry-reads.ts";
import { rememberPush } from "../shared/tag-history.ts";

/** The ports that push coalescing uses. */
export type CoalescingPorts = Pick<
  Ports,
  "store" | "patterns" | "registry" | "registryRules" | "tagHistory" | "repositories" | "pushCoalescing" | "clock"
>;

/**
 * Begins the evaluation of a push. False: another delivery evaluates its repository, and once more for this push.
 *
 * @throws TransientError when a move of the pushed tag has to be stored and can't be.
 */
export async function beginPush(
  push: ImagePushed,
  subscribers: SubscriberPage,
  ports: CoalescingPorts,
  signal: AbortSignal,
): Promise<boolean> {
  if ((await ports.pushCoalescing.begin(push, push.id, ports.clock.now())) === "first") return true;
  if (!(await needsMove(push, subscribers, ports))) return false;
  if (!(await rememberPush(push, readsOver(ports, signal), ports))) throw moveNotStored(push);
  // The other delivery may have read the moves and ended before this one was stored.
  return (await ports.pushCoalescing.begin(push, push.id, ports.clock.now())) === "first";
}

/** Stores the move of a pushed tag where a subscriber follows moves. False: it has to be stored and can't be now. */
export async function storeMove(
  push: ImagePushed,
  subscribers: readonly RecordWithSettings[],
  reads: RegistryReads,
  ports: CoalescingPorts,
): Promise<boolean> {
  return !someFollowMoves(push, subscribers, ports) || rememberPush(push, reads, ports);
}

/**
 * Returns the error that makes the queue deliver the push again. Only the push tells that its tag
 * moved.
 */
export function moveNotStored({ repository, tag = "" }: ImagePushed): TransientError {
  return new TransientError(`the digest of ${repository}:${tag} can't be read yet`);
}

async function needsMove(push: ImagePushed, { workloads, next }: SubscriberPage, ports: CoalescingPorts) {
  if (someFollowMoves(push, await withSettings(await ports.store.readMany(workloads), ports), ports)) return true;
  return next !== undefined && (await ports.repositories.read(push))?.followsMoves === true;
}

function someFollowMoves(
  push: ImagePushed,
  subscribers: readonly RecordWithSettings[],
  { registryRules }: Pick<Ports, "registryRules">,
): boolean {
  const repository = repositoryKey(push);
  return subscribers.some(
    ({ record, settings }) =>
      followsMoves(repository, record.observed, settings) &&
      whyNotAllowed(registryRules, push, record.workload) === undefined,
  );
}
