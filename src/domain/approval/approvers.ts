import type { ApprovalSettings } from "./approval-settings.ts";
import type { DurationMs } from "../shared/time.ts";
import { coversPlace, type Place } from "../workload/namespace-pattern.ts";
import type { Person } from "./people.ts";

/** An entry of `approvers` in `lookout.yaml`. */
export interface ApproverEntry {
  /** `NAMESPACE` or `CLUSTER/NAMESPACE`. A `*` at the end of either means any text. */
  readonly namespaces: readonly string[];
  /** The names of the people who may decide. */
  readonly people: readonly string[];
  /** The number of these people who must approve. */
  readonly needed: number;
  /** The time that an update waits for approval. Absent if there is no limit. */
  readonly deadline?: DurationMs;
  /** True if one more person must approve, because any person may be the author of the image. */
  readonly notTheAuthor: boolean;
  /**
   * True if every update needs this approval. False if only updates of workloads that ask for
   * approval need it.
   */
  readonly required: boolean;
  /** True if an approval annotation counts. */
  readonly byAnnotation: boolean;
}

/** The owner's rules about approvers. */
export interface ApprovalRules {
  readonly people: readonly Person[];
  readonly approvers: readonly ApproverEntry[];
  /** The ARNs of the roles whose callers can't choose the session's name. */
  readonly namesAreProved: readonly string[];
  /** The people who may import votes and first sightings. Absent if nobody may. */
  readonly owners?: readonly string[];
}

/** The rules of an installation without people and approvers. */
export const noRules: ApprovalRules = { people: [], approvers: [], namesAreProved: [] };

/** The number of people of a group who must approve. */
export interface Quorum {
  readonly needed: number;
  /** The names of the people whose approvals count. The default is all people who may decide. */
  readonly people?: readonly string[];
  readonly notTheAuthor: boolean;
}

/** The approval that an update needs. */
export interface Requirement {
  /**
   * At least one quorum. Each quorum must be reached. A vote counts for every quorum that names its
   * person.
   */
  readonly quorums: readonly Quorum[];
  /** The names of the people who may decide. */
  readonly deciders: readonly string[];
  /** The shortest deadline. Absent if there is no deadline. */
  readonly deadline?: DurationMs;
  /**
   * The people whose approval annotations count. All annotations of an update are one vote, which
   * counts only if it reaches every quorum alone.
   */
  readonly byAnnotation: "anyone" | "deciders" | "deciders-with-digest" | "nobody";
}

/** Returns the entries that cover a namespace, in their order. */
export function entriesFor(place: Place, { approvers }: Pick<ApprovalRules, "approvers">): readonly ApproverEntry[] {
  return approvers.filter(({ namespaces }) => namespaces.some((pattern) => coversPlace(pattern, place)));
}

/**
 * Returns the names of the people who may decide about the updates of a namespace.
 *
 * Without an entry for the namespace, all people of `lookout.yaml` may decide.
 */
export function decidersFor(place: Place, rules: ApprovalRules): readonly string[] {
  const entries = entriesFor(place, rules);
  const names = entries.length === 0 ? rules.people.map(({ name }) => name) : entries.flatMap(({ people }) => people);
  return [...new Set(names)];
}

/**
 * Returns the approval that the updates of a workload need, or undefined if these updates need no
 * approval.
 */
export function requirementFor(
  place: Place,
  settings: ApprovalSettings,
  rules: ApprovalRules,
): Requirement | undefined {
  const entries = entriesFor(place, rules);
  if (settings.required === 0 && !entries.some(({ required }) => required)) return undefined;
  const ofEntries = entries.map(({ needed, people, notTheAuthor }) => ({ needed, people, notTheAuthor }));
  const isCovered = entries.some(({ needed }) => needed >= settings.required);
  const ofWorkload = isCovered ? [] : [{ needed: settings.required, notTheAuthor: false }];
  const deadlines = [settings.deadline, ...entries.map(({ deadline }) => deadline)].filter((one) => one !== undefined);
  const [shortest] = deadlines.toSorted((one, other) => one - other);
  return {
    quorums: [...ofEntries, ...ofWorkload],
    deciders: decidersFor(place, rules),
    ...(shortest === undefined ? {} : { deadline: shortest }),
    byAnnotation: annotators(entries, rules),
  };
}

function annotators(entries: readonly ApproverEntry[], { people }: ApprovalRules): Requirement["byAnnotation"] {
  if (entries.length === 0) return people.length === 0 ? "anyone" : "deciders";
  return entries.every(({ byAnnotation }) => byAnnotation) ? "deciders-with-digest" : "nobody";
}
