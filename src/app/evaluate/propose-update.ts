import type { ImageName } from "#domain/image/reference";
import { judgedChanges, type ProposalInputs, propose } from "#domain/update/decide/propose";
import type { EpochMs } from "#domain/shared/time";
import { endPassedSkips } from "#domain/update/decide/control";
import { afterDecision, type Decision, folded } from "#domain/update/state/changes";
import type { WorkloadSettings } from "#domain/settings/settings";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { allOf } from "../shared/bounded.ts";
import { type ReleaseFactsReader, releaseFactsReader } from "../shared/gate-facts.ts";
import { withOrigins } from "../shared/image-origins.ts";
import type { Ports } from "../shared/ports.ts";
import { type LikelyTag, startRegistryReads, type RegistryReads } from "../shared/registry-reads.ts";
import { desiredImages } from "../shared/selection.ts";
import { tierReads } from "../shared/tiers.ts";

/** The reads of registries and gate facts for one or more proposals. */
export interface ProposalReads {
  readonly registry: RegistryReads;
  readonly facts: ReleaseFactsReader;
}

/**
 * Returns the reads of proposals, for which the namespaces `payers` pay. `likely` is a probable tag,
 * whose digest and quarantine are read early.
 */
export function startProposalReads(
  ports: Ports,
  payers: readonly string[],
  signal: AbortSignal,
  likely?: LikelyTag,
): ProposalReads {
  const tiers = tierReads(ports);
  return {
    registry: startRegistryReads(ports, payers, signal, likely, tiers),
    facts: releaseFactsReader(ports, tiers, likely?.digest),
  };
}

/**
 * Selects images, asks the gates, and decides. Returns undefined if nothing changed.
 *
 * The function writes the sightings of tags that the selection asked for, and nothing else.
 *
 * @param origin - the time, source and push of the change.
 * @param only - only the containers of this repository are evaluated.
 */
export async function proposeUpdate(
  before: WorkloadRecord,
  settings: WorkloadSettings,
  reads: ProposalReads,
  origin: Pick<ProposalInputs, "detectedAt" | "source" | "correlationId">,
  now: EpochMs,
  only?: ImageName,
): Promise<Decision | undefined> {
  const ended = endPassedSkips(before, now);
  const record = afterDecision(before, ended);
  const [desired] = await allOf([desiredImages(record, settings, reads.registry, only), reads.facts.readAhead(record)]);
  const changes = judgedChanges(record, desired);
  const [{ facts, slots }, withTheirOrigins] = await allOf([
    reads.facts.read(record, settings, changes),
    withOrigins(record, desired, reads.registry),
  ]);
  const allContainers = only === undefined || settings.together;
  const inputs = { desiredImages: withTheirOrigins, settings, allContainers, ...origin };
  const proposed = slots.decide(record, (offer) => propose(record, { ...inputs, facts: { ...facts, ...offer } }, now));
  return folded([ended, proposed]);
}
