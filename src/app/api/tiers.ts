import type { tierOperations, TierGroupView, TierMemberView, TiersView, TierView } from "#contracts/api/tiers";
import { formatDuration } from "#domain/shared/duration";
import { didYouMean, nearest } from "#domain/shared/nearest";
import { printableText, shortened } from "#domain/shared/shown-text";
import { compareTexts } from "#domain/shared/text-order";
import { type EpochMs, toIso } from "#domain/shared/time";
import type { TierMember } from "#domain/tiers/member";
import {
  containerOf,
  type EarlierTier,
  hasRun,
  laterIsHigher,
  standingIn,
  type TierStanding,
  type WantedImage,
} from "#domain/tiers/proof";
import type { Tier } from "#domain/tiers/rules";
import { rulesFor } from "#domain/tiers/declared-tiers";
import { memberOf } from "#domain/update/effects/tier";
import { blockCause } from "#domain/workload/block-reason";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { doingOf } from "../shared/member-doing.ts";
import type { Ports } from "../shared/ports.ts";
import { allRecords } from "../shared/records.ts";
import { unprovedClusters } from "../shared/tiers.ts";
import { type ApiError, type Handlers, notFound, type Served } from "./handler.ts";

/** Returns the handlers for tiers. */
export function tierHandlers({ ports, allPorts }: Served): Handlers<typeof tierOperations> {
  return { listTiers: ({ query }) => listTiers(query, ports, allPorts) };
}

/** The most groups of one answer. */
const mostGroups = 500;

interface Asked {
  readonly group?: string;
  readonly tag?: string;
}

async function listTiers({ group: named, tag }: Asked, ports: Ports, allPorts: Ports): Promise<TiersView | ApiError> {
  const { tiers } = ports.rules.tiers;
  const now = ports.clock.now();
  const at = toIso(now);
  if (tag !== undefined && named === undefined) return { kind: "bad-request", detail: "name the group of the tag" };
  const records = (await allRecords(ports)).filter(({ tracked, member }) => tracked && member !== undefined);
  const byGroup = Map.groupBy(records, ({ member }) => member?.group ?? "");
  const names = [...byGroup.keys()].toSorted(compareTexts);
  const group = knownGroup(named, byGroup);
  if (named !== undefined && group === undefined) return unknownGroup(named, names);
  const shown = group === undefined ? names.slice(0, mostGroups) : [group];
  // A cluster that gives no answer holds the group, also for a caller who does not see the cluster.
  const unproved = await unprovedClusters(allPorts);
  const known = (records: readonly WorkloadRecord[]): readonly Omit<EarlierTier, "members">[] => {
    const { annotations = {} } = records[0]?.observed ?? {};
    const own = rulesFor(annotations, ports.rules.tiers).tiers;
    return own.map((tier) => ({ tier, ...unproved(tier) }));
  };
  const groups: TierGroupView[] = [];
  for (const name of shown) {
    const view = groupView(
      name,
      byGroup.get(name) ?? [],
      known(byGroup.get(name) ?? []),
      { tag, withMembers: group !== undefined },
      now,
    );
    if (view === undefined) return notFound(`no member of ${name} runs, ran or wants ${shownText(tag ?? "")}`);
    groups.push(view);
  }
  return {
    at,
    tiers: tiers.map(({ name }) => name),
    groups,
    more: names.length - (group === undefined ? shown.length : names.length),
  };
}

/** Returns the group that a person names. The group of a ServiceImage may be named without the kind. */
function knownGroup(named: string | undefined, groups: ReadonlyMap<string, unknown>): string | undefined {
  return named === undefined ? undefined : [named, `ServiceImage ${named}`].find((name) => groups.has(name));
}

function unknownGroup(group: string, names: readonly string[]): ApiError {
  const hint = didYouMean(nearest(group, names));
  return notFound(`no tracked workload is in group ${shownText(group)}${hint}. List all groups: lookout tiers`);
}

function shownText(text: string): string {
  return `"${printableText(shortened(text, 100))}"`;
}

/** An image of a group, and the instant at which Lookout found it, or 0. */
interface FoundImage extends WantedImage {
  readonly foundAt: number;
}

/** Returns how a group stands. Undefined if no member knows the tag. */
function groupView(
  group: string,
  records: readonly WorkloadRecord[],
  tiers: readonly Omit<EarlierTier, "members">[],
  { tag, withMembers }: { readonly tag: string | undefined; readonly withMembers: boolean },
  now: EpochMs,
): TierGroupView | undefined {
  const known = records.flatMap((record) => {
    const member = memberOf(record);
    return member === undefined ? [] : [{ record, member }];
  });
  const image = newestImage(known, tag);
  if (image === undefined && tag !== undefined) return undefined;
  const byKey = new Map(known.map(({ record }) => [workloadKey(record.workload), record]));
  let behind: string | undefined;
  const views = tiers.map((one): TierView => {
    const { name } = one.tier;
    const members = known.filter(({ member }) => member.tier === name).map(({ member }) => member);
    const view = tierView({ ...one, members }, image, byKey, behind, now);
    if (view.state !== "done" && view.state !== "empty") behind ??= name;
    return view;
  });
  const { name: container, tag: imageTag, digest } = image ?? {};
  return {
    group,
    ...(container === undefined || imageTag === undefined || digest === undefined
      ? {}
      : { image: { container, tag: imageTag, digest } }),
    tiers: views,
    ...(withMembers
      ? {
          members: memberViews(
            known,
            tiers.map(({ tier: { name } }) => name),
            image,
          ),
        }
      : {}),
  };
}

interface Known {
  readonly record: WorkloadRecord;
  readonly member: TierMember;
}

/** Returns the newest image that a member wants or ran, or of a tag. */
function newestImage(known: readonly Known[], tag: string | undefined): FoundImage | undefined {
  const images = known.flatMap(({ record, member }): readonly FoundImage[] => [
    ...[record.active, record.pending].flatMap((update) =>
      (update?.changes ?? []).map((change) => ({ ...partsOf(change), foundAt: update?.detectedAt ?? 0 })),
    ),
    ...member.ran.map((image) => ({ ...partsOf(image), foundAt: image.foundAt })),
    ...member.containers.flatMap((container) =>
      container.tag === undefined || container.digest === undefined
        ? []
        : [{ ...partsOf({ ...container, tag: container.tag, digest: container.digest }), foundAt: 0 }],
    ),
  ]);
  const asked = tag === undefined ? images : images.filter((image) => image.tag === tag);
  return asked.toSorted((one, other) => other.foundAt - one.foundAt)[0];
}

function partsOf({ list, name, imageName, tag, digest }: WantedImage): WantedImage {
  return { list, name, imageName, tag, digest };
}

function tierView(
  earlier: EarlierTier,
  image: WantedImage | undefined,
  records: ReadonlyMap<string, WorkloadRecord>,
  behind: string | undefined,
  now: EpochMs,
): TierView {
  const { tier, members } = earlier;
  const counted = {
    tier: tier.name,
    members: members.length,
    at: image === undefined ? 0 : members.filter((member) => hasRun(member, image)).length,
    suspended: members.filter(({ suspended }) => suspended === true).length,
  };
  if (members.length === 0 && earlier.unread.length === 0) return { ...counted, state: "empty" };
  if (image === undefined) return { ...counted, state: "done" };
  const standing = standingIn(earlier, image, laterIsHigher, now);
  if (behind !== undefined && standing.kind !== "proven")
    return { ...counted, state: "behind", waitsFor: { tier: behind, why: `tier ${behind}` } };
  return { ...counted, ...stateOf(standing, tier, records) };
}

/** Returns the state of a tier that no earlier tier holds back. */
function stateOf(
  standing: TierStanding,
  tier: Tier,
  records: ReadonlyMap<string, WorkloadRecord>,
): Pick<TierView, "state" | "waitsFor"> {
  switch (standing.kind) {
    case "empty":
      return { state: "empty" };
    case "proven":
      return { state: "done" };
    case "soaking":
      return {
        state: "soaking",
        waitsFor: { why: `the soak of ${formatDuration(tier.soak)}`, until: toIso(standing.from) },
      };
    case "pending": {
      const workload = workloadKey(standing.by.workload);
      const record = records.get(workload);
      const { does, since } = record === undefined ? { does: "has not run it", since: undefined } : doingOf(record);
      return {
        state: "waiting",
        waitsFor: { workload, why: does, ...(since === undefined ? {} : { since: toIso(since) }) },
      };
    }
    case "halted": {
      const { halted, by } = standing;
      const why = `${halted.tag} ${blockCause(halted)}`;
      return { state: "halted", waitsFor: { workload: workloadKey(by.workload), why, since: toIso(halted.at) } };
    }
    case "unproved":
      return { state: "unproved", waitsFor: { why: "no member counts: all are suspended or failed" } };
    case "unread":
      return { state: "unread", waitsFor: { why: `cluster ${standing.cluster.cluster} ${standing.cluster.detail}` } };
  }
}

function memberViews(
  known: readonly Known[],
  order: readonly string[],
  image: WantedImage | undefined,
): readonly TierMemberView[] {
  const sorted = known.toSorted(
    (one, other) =>
      order.indexOf(one.member.tier) - order.indexOf(other.member.tier) ||
      compareTexts(workloadKey(one.record.workload), workloadKey(other.record.workload)),
  );
  return sorted.map(({ record, member }) => {
    const runs = (image && containerOf(member, image)) ?? member.containers[0];
    const { does, since } = doingOf(record);
    return {
      workload: workloadKey(record.workload),
      tier: member.tier,
      ...(runs?.tag === undefined ? {} : { tag: runs.tag }),
      ...(runs?.digest === undefined ? {} : { digest: runs.digest }),
      ran: image !== undefined && hasRun(member, image),
      does,
      ...(since === undefined ? {} : { since: toIso(since) }),
    };
  });
}
