import type { SelectionView, ExplanationView, GateView } from "#contracts/api/workloads";
import { askGates, type GateAnswer } from "#domain/gates/index";
import { reservedGroups } from "#domain/policy/attributes";
import type { ContainerSettings, WorkloadSettings } from "#domain/settings/settings";
import { explainSelection, nameOf } from "#domain/policy/policy";
import { adviseOn } from "#domain/policy/suggestion";
import { type Reason, retryOf } from "#domain/shared/reasons";
import { toIso } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { ContainerState } from "#domain/workload/observed";
import { currentImage, repositoryOf } from "#domain/update/decide/desired-image";
import { manifestNotices } from "#domain/workload/manifest-notices";
import { whyNotAllowed, whyOtherRegistry } from "#domain/workload/registry-rules";
import { restartNotice } from "#domain/workload/restart-notice";
import { namespaceOf, type WorkloadName } from "#domain/workload/workload";
import { reasonOfRefusal } from "../shared/first-registry-error.ts";
import { readReleaseFacts } from "../shared/gate-facts.ts";
import { matchAhead } from "../shared/matched-tags.ts";
import type { Ports } from "../shared/ports.ts";
import { settingsOf } from "../shared/records.ts";
import { startRegistryReads, type RegistryReads } from "../shared/registry-reads.ts";
import { skippedTags, withMoves } from "../shared/selection.ts";
import type { SkippedTag } from "../shared/tag-walk.ts";
import type { Sightings } from "#ports/sightings";
import { approvalVotes } from "./approval-votes.ts";
import { readChecks } from "./registry-checks.ts";
import { adviceView, type OwnRemedies, ownRemedies, reasonView, viewOf, waitView } from "./views.ts";

/**
 * Returns why a workload runs its present images. The function asks the policies and gates again,
 * with the present tags.
 *
 * The function uses the code that decides about updates, and writes nothing.
 *
 * @returns undefined for a workload that is not tracked.
 */
export async function explain(key: string, ports: Ports, signal: AbortSignal): Promise<ExplanationView | undefined> {
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
  const selections = await selectionsOf(record, settings, reads, ports);
  return {
    at: toIso(now),
    workload: viewOf(
      record,
      settings,
      await ports.clusterStates.read(record.workload.cluster),
      await readChecks([record], ports),
      own,
    ),
    selections,
    gates: askGates({ now, record, settings, seq, changes, approval: open?.approval, facts }).map((answer) =>
      gateView(answer, own),
    ),
    ...(approval === undefined ? {} : { approval }),
    notices: record.observed.containers.flatMap((container) => [
      ...manifestNotices(container),
      ...pullNotices(container, settings.containers[container.name]),
      ...groupNotices(container.name, settings.containers[container.name]),
    ]),
    ...(record.hold === undefined
      ? {}
      : { hold: { seq: record.hold.seq, at: toIso(record.hold.at), detail: record.hold.detail } }),
  };
}

/** Returns sightings that an explanation does not change. */
function unwritten(sightings: Sightings): Sightings {
  return { ...sightings, remember: () => Promise.resolve(), forget: () => Promise.resolve() };
}

async function selectionsOf(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  reads: RegistryReads,
  ports: Ports,
): Promise<readonly SelectionView[]> {
  const skipped = await skippedTags(record, settings, reads);
  const views = record.observed.containers.map((container) =>
    selectionOf(record.workload, container, settings, reads, skipped.get(container.name) ?? [], ports),
  );
  return (await Promise.all(views)).flatMap((view) => (view === undefined ? [] : [withoutAnswer(view, record)]));
}

async function selectionOf(
  workload: WorkloadName,
  container: ContainerState,
  settings: WorkloadSettings,
  reads: RegistryReads,
  skipped: readonly SkippedTag[],
  { rules: { registries: registryRules } }: Ports,
): Promise<SelectionView | undefined> {
  const own = settings.containers[container.name];
  const name = repositoryOf(container);
  if (own === undefined || name === undefined) return undefined;
  const about = { container: container.name, policy: own.policyText };
  const none = (reason: Reason, detail?: string): SelectionView => {
    return { ...about, outcome: "none", why: reasonView(reason, detail), rejected: [] };
  };
  const notAllowed = whyNotAllowed(registryRules, name, workload);
  if (notAllowed !== undefined) return none("registry-not-allowed", notAllowed);
  const other = own.registry === undefined ? undefined : whyOtherRegistry(registryRules, own.registry, name, workload);
  if (other !== undefined) return none("other-registry", other);
  const listing = await reads.tags(name);
  if (listing.kind === "not-found") return none("repository-not-found");
  if (listing.kind !== "tags") return none(reasonOfRefusal(listing), listing.detail);
  const candidates = await withMoves(listing.tags, own, name, reads);
  const rule = await matchAhead(own, candidates, reads.spending);
  if (rule === undefined) {
    const why = reasonView("pattern-too-slow", own.policyText);
    return { ...about, outcome: "none", why, tags: listing.tags.length, rejected: [] };
  }
  const current = currentImage(container);
  const names = new Set(skipped.map(({ tag }) => tag).filter((tag) => tag !== current.tag));
  const left = candidates.filter((tag) => !names.has(nameOf(tag)));
  const explained = reads.onTags(left.length, () => explainSelection(rule, current, left));
  const { selection, rejected } = await explained;
  const what = selection.kind === "none" ? { why: reasonView(selection.reason) } : { tag: selection.tag };
  const all = [...rejected, ...skipped.map(skippedView)];
  const advice = await reads.onTags(left.length, () => adviseOn(rule, current, left));
  const advised = advice === undefined ? {} : adviceView(advice, container, settings);
  return { ...about, outcome: selection.kind, ...what, tags: listing.tags.length, rejected: all, ...advised };
}

function skippedView({ until, ...skipped }: SkippedTag): SelectionView["rejected"][number] {
  return { ...skipped, ...(until === undefined ? {} : { until: toIso(until) }) };
}

/**
 * Returns a selection without its tag if the last evaluation got no answer from the registry, or if
 * the tag waits for other containers. The reason is the record's reason, which `lookout status`
 * shows too. The missing answer may be about the selected image, although the tags can be listed.
 */
function withoutAnswer(view: SelectionView, { selectionFailures }: Pick<WorkloadRecord, "selectionFailures">) {
  const unanswered = selectionFailures.find(
    ({ container, reason }) => container === view.container && (isUnanswered(reason) || reason === "no-common-tag"),
  );
  // A selection without a tag for another reason is newer than the record.
  if (unanswered === undefined || (view.why !== undefined && !isUnanswered(view.why.reason))) return view;
  const { tag: _, ...rest } = view;
  return { ...rest, outcome: "none", why: reasonView(unanswered.reason, unanswered.detail) } as const;
}

function isUnanswered(reason: Reason): boolean {
  return retryOf(reason) === "registry-outage";
}

/** Returns a notice if a restart of a container may change nothing. */
function pullNotices(container: ContainerState, own: ContainerSettings | undefined): readonly string[] {
  const notice = restartNotice(container, own);
  return notice === undefined ? [] : [`${notice.charAt(0).toUpperCase()}${notice.slice(1)}.`];
}

/**
 * Returns a notice for each named group with a reserved name. A group with a reserved name sets no
 * attribute.
 */
function groupNotices(name: string, own: ContainerSettings | undefined): readonly string[] {
  const groups = own === undefined ? [] : reservedGroups(own);
  return groups.map(
    (group) =>
      `The pattern of container ${name} names a group ${group}, which is reserved: this attribute is ${group === "tag" ? "the whole tag" : "the repository"}. Rename the group.`,
  );
}

function gateView(answer: GateAnswer, own: OwnRemedies): GateView {
  if (answer.kind === "open")
    return { gate: answer.gate, open: true, ...(answer.detail === undefined ? {} : { detail: answer.detail }) };
  return { gate: answer.gate, open: false, why: waitView(answer.wait, own) };
}
