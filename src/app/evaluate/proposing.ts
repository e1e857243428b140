import { digestsOf, type ProposalInputs, propose } from "#domain/update/proposal";
import type { Step } from "#domain/update/record";
import type { WorkloadSettings } from "#domain/settings/settings";
import type { WorkloadRecord } from "#domain/update/states";
import { allOf } from "../shared/bounded.ts";
import { selectionsOver, type Selections } from "../shared/selection.ts";
import { releaseFactsOver, type ReleaseFactsReader } from "../shared/gate-facts.ts";
import type { Ports } from "../shared/ports.ts";
import { type LikelyTag, readsOver, type RegistryReads } from "../shared/registry-reads.ts";

/** What a proposal needs of the world. */
export type ProposingPorts = Pick<
  Ports,
  | "store"
  | "patterns"
  | "registry"
  | "tagHistory"
  | "quarantine"
  | "freezes"
  | "plannedFreezes"
  | "clusters"
  | "clusterStates"
  | "limits"
>;

/**
 * Decides what a look at the registries changes in a record; undefined: nothing. `origin` is when Lookout heard of what made it look, and
 * from whom; with `only`, a `registry/path`, the containers of that repository alone are looked at.
 */
export async function proposalFor(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  { selections, facts }: Readings,
  origin: Pick<ProposalInputs, "detectedAt" | "source" | "correlationId">,
  step: Step,
  only?: string,
): Promise<WorkloadRecord | undefined> {
  const [desiredImages] = await allOf([selections.desiredImages(record, settings, only), facts.readAhead(record)]);
  const { facts: known, slots } = await facts.read(record, digestsOf(record, desiredImages));
  const offered = { ...known, ...slots.offerTo(record) };
  const complete = only === undefined;
  const next = propose(record, { desiredImages, settings, facts: offered, complete, ...origin }, step);
  slots.count(next);
  return next;
}

/** What one look at workloads reads of the world; nothing is read twice. */
export interface Readings {
  readonly registry: RegistryReads;
  readonly selections: Selections;
  readonly facts: ReleaseFactsReader;
}

/**
 * Starts a look.
 *
 * @param likely - a tag that will probably be selected: what is known of it is asked for early.
 */
export function readingsOver(ports: ProposingPorts, signal: AbortSignal, likely?: LikelyTag): Readings {
  const registry = readsOver(ports, signal, likely);
  return { registry, selections: selectionsOver(registry), facts: releaseFactsOver(ports, likely?.digest) };
}
