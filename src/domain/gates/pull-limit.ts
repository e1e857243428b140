import { toIso } from "../shared/time.ts";
import { isSameDigest } from "../workload/repository-digest.ts";
import { type AskGate, closed, open } from "./gate.ts";

/**
 * Holds an update to a digest whose pulls a registry limited, or for whose pods a quota left no room.
 * That says nothing about the digest, so the update comes again. Updates to other digests go on.
 */
export const askPullLimit: AskGate = ({ record: { limited = [] }, changes, now }) => {
  const waiting = limited.filter((one) => one.until > now && changes.some(isSameDigest(one)));
  const last = waiting.toSorted((a, b) => b.until - a.until)[0];
  if (last === undefined) return open;
  const { reason, tag, until } = last;
  return closed({ reason, detail: `${tag} is tried again at ${toIso(until)}`, until });
};
