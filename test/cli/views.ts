import type { FreezesView } from "#contracts/api/freezes";
import type { ImageView, ReasonView } from "#contracts/api/schema";
import type { BlockedView, UpdateView, WorkloadsView, WorkloadView } from "#contracts/api/workloads";
import { type Reason, reasons } from "#domain/shared/reasons";

/** Digests that differ in their first digits. */
export const digests = {
  old: `sha256:9b2c41d0e7aa${"0".repeat(52)}`,
  new: `sha256:4d5e6f708192${"0".repeat(52)}`,
  other: `sha256:77aa0c12f3b9${"0".repeat(52)}`,
} as const;

export function image(container: string, tag: string | undefined, digest?: string): ImageView {
  const imageName = `registry.example.com/shop/${container}`;
  return {
    container,
    image: `${imageName}${tag === undefined ? "" : `:${tag}`}`,
    imageName,
    policy: "semver >=1 <4",
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

export function reason(name: Reason, more: Partial<Pick<ReasonView, "detail" | "until">> = {}): ReasonView {
  const { sentence, remedy } = reasons[name];
  return { reason: name, sentence, remedy, ...more };
}

export function workload(name: string, more: Partial<WorkloadView> = {}): WorkloadView {
  return {
    workload: name,
    uid: "u-1",
    version: 7,
    state: "up-to-date",
    runs: [],
    wants: [],
    blocked: [],
    reasons: [],
    problems: [],
    changedAt: "2026-11-21T08:12:00.000Z",
    lastSyncAt: "2026-11-21T18:45:13.000Z",
    checkedAt: "2026-11-21T18:45:13.000Z",
    ...more,
  };
}

export function update(name: string, more: Partial<UpdateView> = {}): UpdateView {
  return {
    workload: name,
    seq: 17,
    status: "held",
    wants: [image("api", "1.5.0", digests.new)],
    source: "webhook distribution",
    detectedAt: "2026-11-21T08:12:00.000Z",
    selectedAt: "2026-11-21T08:12:01.000Z",
    reasons: [],
    ...more,
  };
}

/** A version that failed on a workload a day ago, in its update 16. */
export function blockedView(
  container: string,
  tag: string,
  digest: string,
  more: Partial<BlockedView> = {},
): BlockedView {
  return {
    containers: [container],
    imageName: `registry.example.com/shop/${container}`,
    tag,
    digest,
    seq: 16,
    at: "2026-11-20T16:45:53.000Z",
    cause: "failed here (rollout failed)",
    why: reason("digest-blocked", { detail: `${tag} @ ${digest}: update 16, failed here (rollout failed)` }),
    ...more,
  };
}

export const windowClosed = reason("window-closed", {
  detail: "Sat 22:00–02:00 Europe/Berlin",
  until: "2026-11-21T21:00:07.000Z",
});

const api = "prod/shop/deployment/api";
const ledger = "prod/pay/deployment/ledger";
const report = "stage/shop/cronjob/report";

/** The members of a page without rows. */
export const noRows = { rows: [], total: 0, counts: {} } as const;

/** One workload of each kind of state. */
export const fleet: WorkloadsView = {
  at: "2026-11-21T18:45:53.000Z",
  rows: [],
  total: 5,
  counts: { problem: 1, blocked: 1, held: 1, "up-to-date": 1, "rolling-out": 1 },
  workloads: [
    workload("dev/lab/deployment/tool", {
      state: "problem",
      runs: [image("tool", "latest")],
      problems: [
        { key: "lookout.dev/semver-range", value: ">>1", message: "not a range (character 2)", closes: true },
        { key: "lookout.dev/interval", value: "5m", message: "is not used by this version of Lookout", closes: false },
      ],
    }),
    workload(ledger, {
      state: "blocked",
      runs: [image("ledger", "3.1.0", digests.other)],
      blocked: [blockedView("ledger", "3.2.0", digests.new, { seq: 17, at: "2026-11-21T18:33:50.000Z" })],
      last: update(ledger, {
        status: "rolled-back",
        wants: [image("ledger", "3.2.0", digests.new)],
        endedAt: "2026-11-21T18:33:50.000Z",
        detail: "CrashLoopBackOff in ledger-7d9f",
      }),
    }),
    workload(api, {
      state: "held",
      runs: [image("api", "1.4.2", digests.old)],
      wants: [image("api", "1.5.0", digests.new)],
      reasons: [windowClosed, reason("declared-source-owns-the-image", { detail: "argocd" })],
      pending: update(api),
    }),
    workload("prod/shop/deployment/web", { runs: [image("web", "2.0.1", digests.other)] }),
    workload(report, {
      state: "rolling-out",
      runs: [image("report", "1.0.9", digests.old)],
      wants: [image("report", "1.1.0", digests.new)],
      active: update(report, {
        status: "rolling-out",
        patchedAt: "2026-11-21T18:45:45.000Z",
        detail: "2 of 3 pods run",
      }),
    }),
  ],
  clusters: [
    { name: "dev", lastSyncAt: "2026-11-21T18:45:13.000Z" },
    {
      name: "stage",
      lastSyncAt: "2026-11-21T18:33:00.000Z",
      problem: { reason: "cluster-unreachable", detail: "connect ETIMEDOUT", since: "2026-11-21T18:34:00.000Z" },
    },
  ],
};

/** A namespace that is frozen until that is lifted, and the whole fleet until the next morning. */
export const frozen = {
  shop: { scope: "prod/shop", by: "ana", why: "flash sale", at: "2026-11-21T18:45:53.000Z" },
  fleet: {
    scope: "*",
    by: "bo",
    why: "audit",
    at: "2026-11-21T16:45:53.000Z",
    until: "2026-11-22T07:00:00.000Z",
  },
} as const;

export function frozenView(freezes: FreezesView["freezes"], ...inFlight: readonly string[]): FreezesView {
  return { at: "2026-11-21T18:45:53.000Z", freezes, planned: [], inFlight };
}

/** A container whose repository was last read at 18:40. */
export function unchecked(
  name: Reason,
  more: Partial<Pick<ReasonView, "detail" | "until">> = {},
): NonNullable<WorkloadView["unchecked"]>[number] {
  return {
    container: "app",
    imageName: "dead.test/shop/app",
    registry: "dead.test",
    checkedAt: "2026-11-21T18:40:00.000Z",
    since: "2026-11-21T18:41:12.000Z",
    why: reason(name, more),
  };
}
