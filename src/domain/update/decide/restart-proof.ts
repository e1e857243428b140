import type { EpochMs } from "../../shared/time.ts";
import type { RunningImages } from "../../workload/health.ts";
import type { ImageChange } from "../../workload/patch.ts";
import { keepsImage, pullPolicyOf } from "../../workload/pull-policy.ts";
import type { LiveWorkload } from "../../workload/workload.ts";
import { end } from "./ending.ts";
import type { Decision } from "../state/changes.ts";
import { failed, type RollingOutUpdate, type WorkloadRecord } from "../state/workload.ts";

/** What the digests of the new pods say about a restart. */
export type RestartProof =
  /** Each restarted container reports a digest of its image, or no change of the update is a restart. */
  | { readonly kind: "proved" }
  /** No pod contradicts the update, but some container reports no digest that can be compared. */
  | { readonly kind: "unproved"; readonly detail: string }
  | Refuted;

/**
 * At least one pod runs another digest. Pods don't change their images while they run, so a later
 * check would find the same.
 */
interface Refuted {
  readonly kind: "refuted";
  /** The refuted changes, at least one. */
  readonly changes: readonly ImageChange[];
  /** The other digest of each refuted change, by container name. */
  readonly runs: Readonly<Record<string, string>>;
  readonly detail: string;
}

/** The reason of an update whose pods run another digest after a restart. */
export const podsRunAnotherDigest = "pods-run-another-digest";

/**
 * Compares the digests that the new pods report with the digests that a restart wants. A pod may
 * report the digest of an index or of one of its platforms.
 *
 * A pod without a readable digest proves nothing, and neither does another digest if the platforms
 * of the wanted index are unknown.
 */
export function judgeRestart(
  { changes }: Pick<RollingOutUpdate, "changes">,
  live: LiveWorkload,
  running: RunningImages = {},
): RestartProof {
  const restarts = changes.filter(({ apply }) => apply === "restart");
  const compared = restarts.map((change) => compare(change, running[change.name] ?? []));
  const refuted = compared.flatMap((one) => (one.kind === "refuted" ? [one] : []));
  if (refuted.length > 0) {
    return {
      kind: "refuted",
      changes: refuted.map(({ change }) => change),
      runs: Object.fromEntries(refuted.map(({ change, other }) => [change.name, other])),
      detail: listed(refuted.map((one) => refutedText(one, live))),
    };
  }
  const unproved = compared.flatMap((one) =>
    one.kind === "unproved" ? [`container ${one.change.name} ${one.why}`] : [],
  );
  return unproved.length === 0
    ? { kind: "proved" }
    : { kind: "unproved", detail: `not proved that they run the new digest: ${listed(unproved)}` };
}

/**
 * Ends a refuted update as failed, without a rollback. The record then has the digests that the pods
 * run, and their earlier baselines, so the new digest does not count as running.
 */
export function endRefuted(
  record: WorkloadRecord,
  active: RollingOutUpdate,
  live: LiveWorkload,
  { runs, detail, blocked }: Refuted & { readonly blocked: WorkloadRecord["blocked"] },
  now: EpochMs,
): Decision {
  const why = { reason: podsRunAnotherDigest, detail } as const;
  const ended = end(record, active, live, failed(active, "failed", why, now), now, { blocked });
  const observed = ended.changes.observed ?? record.observed;
  const containers = observed.containers.map((container) => {
    const digest = runs[container.name];
    if (digest === undefined) return container;
    const { baseline = digest } = record.observed.containers.find(({ name }) => name === container.name) ?? {};
    return { ...container, digest, baseline };
  });
  return { ...ended, changes: { ...ended.changes, observed: { ...observed, containers } } };
}

type Compared =
  | { readonly kind: "proved" }
  | { readonly kind: "unproved"; readonly change: ImageChange; readonly why: string }
  | RefutedChange;

interface RefutedChange {
  readonly kind: "refuted";
  readonly change: ImageChange;
  readonly other: string;
  /** True if other pods run the new digest. */
  readonly isMixed: boolean;
}

function compare(change: ImageChange, reported: readonly string[]): Compared {
  const { digest, platformDigests } = change;
  const others = reported.filter((one) => one !== digest && platformDigests?.includes(one) !== true);
  const [other] = others;
  if (reported.length === 0) return { kind: "unproved", change, why: "reports no digest" };
  if (other === undefined) return { kind: "proved" };
  if (platformDigests === undefined)
    return { kind: "unproved", change, why: `reports ${other}, and the platforms of ${digest} are unknown` };
  return { kind: "refuted", change, other, isMixed: others.length < reported.length };
}

function refutedText({ change, other, isMixed }: RefutedChange, live: LiveWorkload): string {
  const { name, digest } = change;
  const container = live.containers.find((one) => one.name === name);
  const policy = pullPolicyOf(container ?? { image: change.to });
  const why = policy === "Always" ? "the tag may have moved again, or a mirror has the old image" : keepsImage(policy);
  const pods = isMixed ? "some pods" : "the pods";
  return `${pods} run ${other} in container ${name} instead of ${digest}; ${why}`;
}

/** The largest number of containers that a detail names. */
const mostNamed = 3;

function listed(texts: readonly string[]): string {
  const more = texts.length - mostNamed;
  return [...texts.slice(0, mostNamed), ...(more > 0 ? [`and ${String(more)} more`] : [])].join("; ");
}
