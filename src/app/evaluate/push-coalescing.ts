import type { ImagePushed, PushedTag } from "#domain/image/push";
import { imageNameOf } from "#domain/image/reference";
import { followsMoves } from "#domain/update/decide/desired-image";
import { whyNotAllowed } from "#domain/workload/registry-rules";
import { namespacesOf } from "#domain/workload/workload";
import { TransientError } from "#ports/errors";
import type { SubscriberPage } from "#ports/store";
import type { Ports } from "../shared/ports.ts";
import { type RecordWithSettings, withSettings } from "../shared/records.ts";
import { startRegistryReads, type RegistryReads } from "../shared/registry-reads.ts";
import { rememberPush } from "../shared/tag-history.ts";

/**
 * A push that joined the evaluation of another delivery. That delivery evaluates the repository
 * again.
 */
export interface JoinedPush {
  readonly kind: "joined";
  /** The subscribers on the first page. */
  readonly subscribers: readonly RecordWithSettings[];
  readonly reads: RegistryReads;
}

/** The outcome of {@link beginPush}. `first`: this delivery evaluates the repository. */
export type PushBegin = { readonly kind: "first" } | JoinedPush;

/** Returns the cause of the versions that a push writes. */
export function causeOfPush({ id }: Pick<ImagePushed, "id">): string {
  return `ImagePushed:${id}`;
}

/**
 * Begins the evaluation of a push, or joins the evaluation of another delivery. A push that joins
 * stores the move of its tag first.
 *
 * @throws TransientError when the move of the pushed tag can't be stored yet.
 */
export async function beginPush(
  push: ImagePushed,
  { workloads, next }: SubscriberPage,
  ports: Ports,
  signal: AbortSignal,
): Promise<PushBegin> {
  const begin = () => ports.pushCoalescing.begin(push, push.id, ports.clock.now());
  if ((await begin()) === "first") return { kind: "first" };
  const subscribers = await withSettings(await ports.store.readMany(workloads), ports);
  const reads = startRegistryReads(ports, namespacesOf(workloads), signal);
  const joined: JoinedPush = { kind: "joined", subscribers, reads };
  if (!(await needsMove(push, subscribers, next, ports))) return joined;
  if (!(await rememberPush(push, joined.reads, ports))) throw moveNotStoredError(push);
  // The other delivery may have read the moves and ended before this move was stored.
  return (await begin()) === "first" ? { kind: "first" } : joined;
}

/**
 * Stores the move of a pushed tag if a subscriber follows moves. Returns false if a subscriber
 * follows moves and Lookout can't store the move yet.
 */
export async function storeMove(
  push: PushedTag,
  subscribers: readonly RecordWithSettings[],
  reads: RegistryReads,
  ports: Ports,
): Promise<boolean> {
  return !someFollowMoves(push, subscribers, ports) || rememberPush(push, reads, ports);
}

/**
 * Returns the error that makes the queue deliver the push again. Only the push shows that its tag
 * moved.
 */
export function moveNotStoredError({ repository, tag = "" }: PushedTag): TransientError {
  return new TransientError(`the digest of ${repository}:${tag} can't be read yet`);
}

async function needsMove(
  push: ImagePushed,
  subscribers: readonly RecordWithSettings[],
  next: string | undefined,
  ports: Ports,
): Promise<boolean> {
  if (someFollowMoves(push, subscribers, ports)) return true;
  return next !== undefined && (await ports.repositories.read(push))?.followsMoves === true;
}

function someFollowMoves(
  push: PushedTag,
  subscribers: readonly RecordWithSettings[],
  { rules: { registries: registryRules } }: Ports,
): boolean {
  const imageName = imageNameOf(push);
  return subscribers.some(
    ({ record, settings }) =>
      followsMoves(imageName, record.observed, settings) &&
      whyNotAllowed(registryRules, push, record.workload) === undefined,
  );
}
