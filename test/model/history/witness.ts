import type { Vote } from "#domain/approval/votes";
import { isRegistryFact } from "#domain/registry/outage";
import type { DomainEvent, Fact } from "#domain/update/events";
import type { Freeze } from "#domain/gates/freezes";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { LedgerRow } from "#ports/ledger";
import type { Complain } from "#test/model/judge/complain";
import { type ObjectJudge, objectJudge } from "#test/model/judge/object-writes";
import { type DefinitionJudge, definitionJudge } from "#test/model/judge/definitions";
import { addFact, addRow } from "#test/model/judge/ledger";
import { type TierJudge, tierJudge } from "#test/model/judge/tiers";
import { type RequestJudge, requestJudge } from "#test/model/judge/requests";
import { brokenBy, checkOneActive } from "#test/model/judge/record-versions";

/** Records all writes of a history, and reports broken rules. */
export interface Witness {
  readonly broken: string[];
  /** The number of events so far. */
  tick: number;
  readonly complain: Complain;
  readonly quarantinedAt: Map<string, number>;
  /**
   * The active freezes by the text of their scope, with the tick and the simulated time of their
   * storage.
   */
  readonly frozen: Map<string, { readonly freeze: Freeze; readonly tick: number; readonly at: number }>;
  /** The simulated time of the first stored sighting of each image, by {@link imageKey}. */
  readonly seenAt: Map<string, number>;
  /** The stored votes in order, by the key of the workload. */
  readonly votes: Map<string, readonly Vote[]>;
  /** The number of sent copies of each extra command. */
  readonly hints: Map<string, number>;
  /** Judges the writes of images. */
  readonly objects: ObjectJudge;
  /** Judges what Lookout does for the requests of people. */
  readonly requests: RequestJudge;
  /** The image texts, without pins, that a person has ever replaced. */
  readonly leftByHand: Set<string>;
  /** The last image of each container that anyone but Lookout wrote, by workload and container. */
  readonly applied: Map<string, string>;
  readonly rows: Map<string, LedgerRow>;
  readonly facts: Map<string, Fact>;
  readonly versions: WorkloadRecord[];
  /** Judges the order of tiers. */
  readonly tiers: TierJudge;
  /** Judges what definitions in the cluster declare, and what their statuses say. */
  readonly definitions: DefinitionJudge;
  /** Records a stored version. */
  stored(before: WorkloadRecord | undefined, after: WorkloadRecord, how: StoredHow): void;
  appended(rows: readonly LedgerRow[]): void;
  published(events: readonly DomainEvent[]): void;
}

/** How a version was stored. */
interface StoredHow {
  /** True: the registry answered all calls of its run. */
  readonly sawRegistry: boolean;
  /** The simulated time. */
  readonly at: number;
}

/** Returns a witness without records. */
export function newWitness(): Witness {
  const factIds = new Set<string>();
  const broken: string[] = [];
  const complain: Complain = (rule, what) => void broken.push(`${rule}: ${what}`);
  const witness: Witness = {
    broken,
    tick: 0,
    complain,
    quarantinedAt: new Map(),
    frozen: new Map(),
    seenAt: new Map(),
    votes: new Map(),
    hints: new Map(),
    objects: objectJudge(complain),
    requests: requestJudge(complain),
    tiers: tierJudge(complain),
    definitions: definitionJudge(complain),
    leftByHand: new Set(),
    applied: new Map(),
    rows: new Map(),
    facts: new Map(),
    versions: [],
    stored(before, after, { sawRegistry, at }) {
      witness.versions.push(after);
      for (const what of brokenBy(before, after, factIds)) complain("S11", what);
      checkOneActive(before, after, complain);
      const key = workloadKey(after.workload);
      if (after.effects.vote !== undefined)
        witness.votes.set(key, [...(witness.votes.get(key) ?? []), after.effects.vote]);
      const kept = witness.requests.stored(before, after, (witness.tick += 1), sawRegistry);
      witness.tiers.stored(after, witness.tick, at);
      for (const { digest, as } of kept) witness.objects.requested(key, digest, as);
      if (before?.hold !== undefined && after.transitions.some(({ action }) => action?.what === "resume"))
        witness.objects.holdEnded(key);
      // A release past gates unblocks an update, and no digest.
      if (after.transitions.some(({ what, action }) => isUnblock(what) && action?.what !== "release"))
        witness.objects.unblocked(key);
      if (after.transitions.some(({ action }) => action?.what === "retry")) witness.objects.retried(key);
    },
    appended(rows) {
      for (const row of rows) addRow(witness, row);
    },
    published(events) {
      for (const event of events)
        if (event.name !== "ImagePushed" && event.name !== "PushDisputed" && !isRegistryFact(event))
          addFact(witness, event);
    },
  };
  return witness;
}

function isUnblock(what: WorkloadRecord["transitions"][number]["what"]): boolean {
  return what === "unblocked" || what === "digests-unblocked";
}
