import type { SelectionView, ExplanationView, GateView } from "#contracts/api/workloads";
import { askGates, type GateAnswer } from "#domain/gates/index";
import { tierPlaceText } from "#domain/gates/tier";
import { reservedGroups } from "#domain/policy/attributes";
import { explainSelection } from "#domain/policy/policy";
import type { ContainerSettings, WorkloadSettings } from "#domain/settings/settings";
import { isBlockReason, retryOf } from "#domain/shared/reasons";
import { toIso } from "#domain/shared/time";
import type { TierFacts } from "#domain/tiers/facts";
import type { ContainerState } from "#domain/workload/observed";
import type { SelectionFailure, WorkloadRecord } from "#domain/update/state/workload";
import { keptOf, leftOf, policyKey } from "#domain/update/decide/kept-image";
import { gatedPartsOf } from "#domain/update/decide/propose";
import { currentImage, type DesiredImage } from "#domain/update/decide/desired-image";
import { manifestNotices } from "#domain/workload/manifest-notices";
import type { KeptImage, LeftTags } from "#domain/workload/control";
import { restartNotice } from "#domain/workload/restart-notice";
import { namespaceOf } from "#domain/workload/workload";
import { readReleaseFacts } from "../shared/gate-facts.ts";
import type { Ports } from "../shared/ports.ts";
import { settingsOf } from "../shared/records.ts";
import { matchAhead } from "../shared/matched-tags.ts";
import { type RegistryReads, startRegistryReads } from "../shared/registry-reads.ts";
import { type TracedSelection, tracedSelections } from "../shared/selection.ts";
import type { SkippedTag } from "../shared/tag-walk.ts";
import type { Sightings } from "#ports/sightings";
import { readBaseImages } from "../shared/base-images.ts";
import { approvalVotes } from "./approval-votes.ts";
import { channelNotices } from "./channel-notices.ts";
import { readChecks } from "./registry-checks.ts";
import { tellMembers } from "./tier-members.ts";
import { adviceView, observesView, type OwnRemedies, ownRemedies, reasonView, viewOf, waitView } from "./views.ts";

/**
 * Returns why a workload runs its present images. The function asks the policies and gates again,
 * with the present tags.
 *
 * The function uses the code that decides about updates, and writes nothing.
 *
 * @param tag - a tag that the policies judge too, also if no repository has it
 * @returns undefined for a workload that is not tracked.
 */
export async function explain(
  key: string,
  ports: Ports,
  signal: AbortSignal,
  tag?: string,
): Promise<ExplanationView | undefined> {
  const record = await ports.store.read(key);
  if (record?.tracked !== true) return undefined;
  const now = ports.clock.now();
  const settings = await settingsOf(record, ports);
  const open = record.active ?? record.pending;
  const changes = open?.changes ?? [];
  const facts = await readReleaseFacts(record, settings, changes, ports);
  const seq = open?.seq ?? record.seq + 1;
  const approval = approvalVotes(record, settings, facts, now);
  const own = ownRemedies(record, settings, ports);
  const readOnly = { ...ports, sightings: unwritten(ports.sightings) };
  const reads = startRegistryReads(readOnly, [namespaceOf(record.workload)], signal);
  const selections = await tracedSelections(record, settings, reads);
  const asked = tag === undefined ? [] : await judgements(tag, record, settings, reads);
  const state = await ports.clusterStates.read(record.workload.cluster);
  const view = viewOf(record, settings, state, await readChecks([record], ports), own);
  const parts = { now, record, settings, ...gatedPartsOf(open ?? { seq, changes }), facts };
  const gates = askGates(parts).map((answer) => gateView(answer, facts.tier, own));
  const told = [...view.reasons, ...gates.flatMap(({ why }) => why ?? [])];
  const tell = await tellMembers(told, changes, ports);
  return {
    at: toIso(now),
    workload: { ...view, ...observesView(record, ports), reasons: view.reasons.map(tell) },
    selections: record.observed.containers.flatMap((container) => {
      const selection = selections.find((one) => one.container === container.name);
      const judged = asked.find((one) => one.container === container.name);
      return selection === undefined
        ? []
        : selectionViews(selection, container, settings, record).map((view) => ({
            ...view,
            ...(judged === undefined ? {} : { asked: judged.asked }),
          }));
    }),
    gates: gates.map((gate) => (gate.why === undefined ? gate : { ...gate, why: tell(gate.why) })),
    ...(approval === undefined ? {} : { approval }),
    ...(await baseImagesPart(record, settings, reads)),
    notices: [
      ...record.observed.containers.flatMap((container) => [
        ...manifestNotices(container),
        ...pullNotices(container, settings.containers[container.name]),
        ...groupNotices(container.name, settings.containers[container.name]),
      ]),
      ...channelNotices(record, ports.channels),
    ],
    ...(record.hold === undefined
      ? {}
      : { hold: { seq: record.hold.seq, at: toIso(record.hold.at), detail: record.hold.detail } }),
  };
}

/** Returns the base images, with the digests that the registry and the record have. */
async function baseImagesPart(
  { workload, baseImages: seen = [] }: WorkloadRecord,
  { baseImages }: WorkloadSettings,
  reads: RegistryReads,
): Promise<Pick<ExplanationView, "baseImages">> {
  if (baseImages === undefined) return {};
  const read = await readBaseImages(baseImages, workload, reads);
  return {
    baseImages: read.map(({ image, digest, problem }) => {
      const known = seen.find((one) => one.image === image)?.digest;
      const present = digest ?? known;
      return { image, ...(present === undefined ? {} : { digest: present }), ...(problem && { problem }) };
    }),
  };
}

/** Returns sightings that an explanation does not change. */
function unwritten(sightings: Sightings): Sightings {
  return { ...sightings, remember: () => Promise.resolve(), forget: () => Promise.resolve() };
}

/** Returns the view of a selection; none for a container without a policy. */
function selectionViews(
  { desired, tag, tags, rejected, advice }: TracedSelection,
  container: ContainerState,
  settings: WorkloadSettings,
  record: Pick<WorkloadRecord, "selectionFailures" | "kept" | "left">,
): readonly SelectionView[] {
  const { policyText: policy } = settings.containers[container.name] ?? {};
  if (policy === undefined) return [];
  const kept = keptOf(container, record);
  return [
    {
      container: container.name,
      policy,
      ...outcomeOf(firstCause(desired, record), tag, currentImage(container).tag, policy),
      ...(desired.kind === "change" ? { digest: desired.change.digest } : {}),
      ...(tags === undefined ? {} : { tags }),
      rejected: rejected.map(rejectedView),
      ...(kept?.tag === tag && kept !== undefined
        ? { kept: keptView(kept, leftFor(kept, container, settings, record)) }
        : {}),
      ...(advice && adviceView(advice, container, settings)),
    },
  ];
}

/** Returns the tags that a container left for its kept image. Undefined if its policy changed since. */
function leftFor(
  { at }: KeptImage,
  container: ContainerState,
  { containers }: WorkloadSettings,
  record: Pick<WorkloadRecord, "left">,
): LeftTags | undefined {
  const left = leftOf(container, record);
  const own = containers[container.name];
  return left?.at === at && own !== undefined && left.policy === policyKey(own) ? left : undefined;
}

function keptView(
  { as, by, why, at, newest: { tag } }: KeptImage,
  left: LeftTags | undefined,
): NonNullable<SelectionView["kept"]> {
  const tags = left === undefined ? {} : { left: left.tags };
  return { as, by, why, at: toIso(at), ...(tag === undefined ? {} : { newest: tag }), ...tags };
}

interface Judgement {
  readonly container: string;
  readonly asked: NonNullable<SelectionView["asked"]>;
}

/** Returns the answer of each policy about a tag, as if the repository had only this tag. */
async function judgements(
  tag: string,
  { observed }: Pick<WorkloadRecord, "observed">,
  settings: WorkloadSettings,
  { spending }: Pick<RegistryReads, "spending">,
): Promise<readonly Judgement[]> {
  const judged = observed.containers.map(async (container): Promise<readonly Judgement[]> => {
    const own = settings.containers[container.name];
    const rule = own === undefined ? undefined : await matchAhead(own, [tag], spending);
    if (rule === undefined) return [];
    const [rejected] = explainSelection(rule, currentImage(container), [tag]).rejected;
    // The push time of a tag is unknown until its push.
    const reason = rejected?.reason === "push-time-unknown" ? undefined : rejected?.reason;
    return [{ container: container.name, asked: { tag, ...(reason === undefined ? {} : { reason }) } }];
  });
  return (await Promise.all(judged)).flat();
}

/**
 * Returns the outcome of a selection. A blocked tag is selected too, because the explanation lists
 * the blocked digests.
 */
function outcomeOf(
  desired: DesiredImage,
  tag: string | undefined,
  running: string | undefined,
  policy: string,
): Pick<SelectionView, "outcome" | "tag" | "why"> {
  if (desired.kind === "failure") {
    const { reason, detail } = desired.selectionFailure;
    const isBlocked = tag !== undefined && isBlockReason(reason);
    // The view has the policy already.
    if (!isBlocked) return { outcome: "none", why: reasonView(reason, detail === policy ? undefined : detail) };
  }
  const selected = tag ?? running;
  const isUnchanged = desired.kind === "satisfied" || selected === running;
  return { outcome: isUnchanged ? "unchanged" : "selected", ...(selected === undefined ? {} : { tag: selected }) };
}

/**
 * Returns a selection with the failure of the last evaluation, if the registry gives no answer
 * now either: `lookout status` shows this failure too, and a paused registry names no cause.
 */
function firstCause(
  desired: DesiredImage,
  { selectionFailures }: Pick<WorkloadRecord, "selectionFailures">,
): DesiredImage {
  if (desired.kind !== "failure" || !isUnanswered(desired.selectionFailure)) return desired;
  const { container } = desired.selectionFailure;
  const known = selectionFailures.find((one) => one.container === container && isUnanswered(one));
  return known === undefined ? desired : { ...desired, selectionFailure: known };
}

function isUnanswered({ reason }: SelectionFailure): boolean {
  return retryOf(reason) === "registry-outage";
}

function rejectedView({ until, ...rejected }: SkippedTag): SelectionView["rejected"][number] {
  return { ...rejected, ...(until === undefined ? {} : { until: toIso(until) }) };
}

/** Returns a notice if a restart of a container may change nothing. */
function pullNotices(container: ContainerState, own: ContainerSettings | undefined): readonly string[] {
  const notice = restartNotice(container, own);
  return notice === undefined ? [] : [`${notice.charAt(0).toUpperCase()}${notice.slice(1)}.`];
}

const reservedMeaning = { tag: "the whole tag", name: "the repository", digest: "the digest" } as const;

/**
 * Returns a notice for each named group with a reserved name. A group with a reserved name sets no
 * attribute.
 */
function groupNotices(name: string, own: ContainerSettings | undefined): readonly string[] {
  const groups = own === undefined ? [] : reservedGroups(own);
  return groups.map(
    (group) =>
      `The pattern of container ${name} names a group ${group}, which is reserved: this attribute is ${reservedMeaning[group]}. Rename the group.`,
  );
}

function gateView(answer: GateAnswer, tier: TierFacts, own: OwnRemedies): GateView {
  if (answer.kind === "open")
    return { gate: answer.gate, open: true, ...(answer.detail === undefined ? {} : { detail: answer.detail }) };
  const place = answer.gate === "tier" && tier.kind === "after" ? { detail: tierPlaceText(tier) } : {};
  return { gate: answer.gate, open: false, ...place, why: waitView(answer.wait, own) };
}
