import { checkGates, propose, type ProposalInputs } from "#domain/update/decide/propose";
import { type EpochMs } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { DesiredImage } from "#domain/update/decide/desired-image";
import {
  aChange,
  aContainer,
  annotated,
  anObserved,
  aRecord,
  at,
  digest,
  noon,
  openFacts,
  decided,
  settingsOf,
} from "../builders.ts";

export const change = (given = aChange()): DesiredImage => ({ kind: "change", change: given });
export const satisfied = (container = "app", baseline = digest("0")): DesiredImage => ({
  kind: "satisfied",
  container,
  baseline,
});
export const selectionFailure = (
  reason: "registry-unreachable" | "registry-denied" | "no-tag-fits" | "digest-blocked" | "tag-not-found",
  container = "app",
): DesiredImage => ({
  kind: "failure",
  selectionFailure: { container, reason },
});
export const inputs = (
  record: WorkloadRecord,
  desiredImages: readonly DesiredImage[],
  given: Partial<ProposalInputs> = {},
): ProposalInputs => ({
  desiredImages,
  settings: settingsOf(record),
  facts: openFacts,
  detectedAt: at("2026-03-02T11:59:00Z"),
  source: "webhook distribution",
  allContainers: true,
  ...given,
});
export const proposed = (
  record: WorkloadRecord,
  desiredImages: readonly DesiredImage[],
  given: Partial<ProposalInputs> = {},
  now: EpochMs = noon,
) => decided(record, propose(record, inputs(record, desiredImages, given), now), now);
export const gated = (record: WorkloadRecord, now: EpochMs = noon, given: Partial<ProposalInputs> = {}) =>
  decided(record, checkGates(record, inputs(record, [], given), now), now);

export const suspended = (given: Partial<WorkloadRecord> = {}) =>
  aRecord({ observed: anObserved({ annotations: annotated({ suspend: "true" }) }), ...given });
export const side = {
  list: "containers",
  name: "side",
  image: "registry.test/shop/side:4.0.0",
  digest: digest("4"),
  baseline: digest("4"),
} as const;
export const sideChange = aChange({
  name: "side",
  imageName: "registry.test/shop/side",
  tag: "4.1.0",
  digest: digest("5"),
  from: side.image,
  to: `registry.test/shop/side:4.1.0@${digest("5")}`,
  fromDigest: digest("4"),
});
export const both = (given: Partial<WorkloadRecord> = {}, settings: Record<string, string> = {}) =>
  aRecord({ observed: anObserved({ containers: [aContainer(), side], annotations: annotated(settings) }), ...given });
