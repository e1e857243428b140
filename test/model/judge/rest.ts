import { tierReads } from "../../../src/app/shared/tiers.ts";
import { approvalRules } from "#test/model/world/voters";
import { changedRows } from "#app/shared/fleet-rows";
import { desiredImages } from "#app/shared/selection";
import { settingsOf } from "#app/shared/records";
import { startRegistryReads } from "#app/shared/registry-reads";
import type { Reason } from "#domain/shared/reasons";
import type { WaitReason } from "#domain/shared/wait-reason";
import { askGates, closedGates } from "#domain/gates/index";
import { epochMs } from "#domain/shared/time";
import { gatedPartsOf } from "#domain/update/decide/propose";
import { openCommands } from "#domain/update/effects/commands";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { imagesOf, type Member } from "#test/model/actors/members";
import { pinOf, short, tagOf } from "#test/model/image-text";
import type { Installation } from "#test/model/world/installation";
import { imageKey } from "./ages.ts";
import { checkDefinitions, declaredLive } from "./definition-rest.ts";
import { checkDrift, isLeftAlone } from "./drift.ts";
import { untold } from "./ledger.ts";
import { freeSlot } from "./slots.ts";
import { checkTierWaits } from "./tier-waits.ts";
import { checkTold } from "./told.ts";

/** Checks the rules of a state at rest. */
export async function checkRest(members: readonly Member[], installation: Installation): Promise<void> {
  const { witness, stored } = installation;
  for (const what of untold(witness)) witness.complain("S9", what);
  await checkTold(installation);
  // The rows of lists say what the records say, whatever happened to their changes.
  const rows = await changedRows([...stored.records().values()], installation.ports);
  for (const { workload } of rows) witness.complain("S9", `the row of ${workload} differs from its record`);
  for (const member of members) {
    const record = stored.records().get(workloadKey(member.workload));
    // A workload may be gone, or no longer tracked, before Lookout saw it.
    const { annotations } = (await declaredLive(member.workload, installation)) ?? {};
    const isEnabled = annotations?.["lookout.dev/enabled"] === "true";
    if (record === undefined && isEnabled) witness.complain("L2", `${member.workload.name} was never tracked`);
    if (record !== undefined) await checkMember(member, record, installation);
  }
  await checkDefinitions(installation);
}

async function checkMember(member: Member, record: WorkloadRecord, installation: Installation): Promise<void> {
  const { witness } = installation;
  const { name } = member.workload;
  const shown = await declaredLive(member.workload, installation);
  const enabled = shown?.annotations["lookout.dev/enabled"] === "true";
  if (record.tracked !== enabled) witness.complain("L2", `${name} is tracked: ${String(record.tracked)}`);
  if (record.active !== undefined)
    witness.complain("L3", `update ${record.active.seq} of ${name} is ${record.active.status} for ever`);
  checkMessages(record, installation);
  checkRefusals(record, installation);
  if (!enabled || record.active !== undefined) return;
  for (const [container, image] of imagesOf(member, installation))
    if (record.observed.containers.find((one) => one.name === container)?.image !== image)
      witness.complain("L2", `${name} shows ${short(image)}, and Lookout does not know it`);
  await checkHeld(record, shown.annotations, installation);
  await checkSelection(record, installation);
  checkTierWaits(record, installation);
  checkKept(member, record, installation);
  await checkDrift(record, installation);
}

/** Checks that a container runs the image that it keeps, or that its record says why not. */
function checkKept(member: Member, record: WorkloadRecord, { cluster, images, witness }: Installation): void {
  for (const [container, { tag, digest }] of witness.requests.kept(workloadKey(member.workload))) {
    const image = imagesOf(member, { cluster }).get(container) ?? "";
    const runs = tagOf(image) === tag && (pinOf(image) ?? digest) === digest;
    if (runs || isLeftAlone(container, record) || !witness.requests.isOldFor(container, image, record, images))
      continue;
    const { pending } = record;
    const waits = pending?.requested !== undefined || pending?.changes.some(({ name }) => name === container) === true;
    const told =
      record.selectionFailures.some((failure) => failure.container === container) ||
      record.blocked.some((one) => one.digest === digest);
    if (!waits && !told)
      witness.complain(
        "L2",
        `${member.workload.name} runs ${short(image)}, and a person requested ${tag} ${short(digest)}`,
      );
  }
}

/** Checks that a held update waits only for current reasons. */
async function checkHeld(
  record: WorkloadRecord,
  annotations: Readonly<Record<string, string>>,
  installation: Installation,
): Promise<void> {
  const { witness } = installation;
  const { pending } = record;
  if (pending === undefined) return;
  const quarantined = pending.changes
    .filter(({ digest }) => witness.quarantinedAt.has(digest))
    .map(({ digest }) => ({ digest, why: "CVE" }));
  const shown = { ...record, observed: { ...record.observed, annotations } };
  const settings = await settingsOf(shown, installation.ports);
  const now = epochMs(installation.now);
  const windowSpread = installation.ports.rules.limits.windowSpread;
  const freezes = [...witness.frozen.values()].map(({ freeze }) => freeze);
  const slot = freeSlot(record.workload.cluster, installation);
  const facts = {
    quarantined,
    freezes,
    plannedFreezes: [],
    checks: { rules: installation.ports.rules.checks, answers: [] },
    sightings: pending.changes.flatMap(({ imageName, tag, digest }) => {
      const seenAt = witness.seenAt.get(imageKey({ imageName, tag, digest }));
      return seenAt === undefined ? [] : [{ imageName, tag, digest, seenAt: epochMs(seenAt) }];
    }),
    approvalRules,
    votes: witness.votes.get(workloadKey(record.workload)) ?? [],
    windowSpread,
    tier: await tierReads(installation.ports).of(record),
    ...(slot === undefined ? {} : { slot }),
  };
  const closed = closedGates(askGates({ now, record, settings, ...gatedPartsOf(pending), facts }));
  const [told, so] = [names(pending.waits), names(closed)];
  if (told !== so || so === "")
    witness.complain(
      "L1",
      `update ${pending.seq} of ${record.workload.name} waits for [${told}]; current reasons: [${so}]`,
    );
}

/** Returns the names of waits. A wait for a slot does not count beside other waits. */
function names(waits: readonly WaitReason[]): string {
  const reasons = waits.map(({ reason }) => reason);
  const others = reasons.filter((reason) => reason !== "cluster-budget");
  return (others.length > 0 ? others : reasons).join(", ");
}

/** Checks that the desired image runs, is in an open update, or is blocked. */
async function checkSelection(record: WorkloadRecord, { ports, images, witness }: Installation): Promise<void> {
  const settings = await settingsOf(record, ports);
  const reads = startRegistryReads({ ...ports, registry: images.registry }, [], new AbortController().signal);
  const selected = await desiredImages(record, settings, reads);
  for (const desired of selected) {
    if (desired.kind !== "change") continue;
    const open = record.pending?.changes.some(
      ({ digest, tag }) => digest === desired.change.digest && tag === desired.change.tag,
    );
    // A requested update has only the requested images, and an update that earlier tiers ran has no others. They follow it.
    const isFirst =
      record.pending?.requested === undefined && (desired.isUnproven !== true || record.pending === undefined);
    if (open !== true && isFirst)
      witness.complain(
        "L2",
        `${record.workload.name} should get ${short(desired.change.to)}, and nothing is under way`,
      );
  }
}

/**
 * Checks that each blocked digest has a cause: it did not start, a person replaced its tag, or the
 * nodes kept another digest.
 * Other causes are a neighbour that was not ready in time, a tag that moved before the pull, and a
 * wrong clock, which ends a rollout too early.
 */
function checkRefusals(record: WorkloadRecord, { witness, images, skewed, ports }: Installation): void {
  const key = workloadKey(record.workload);
  const { containers, annotations } = record.observed;
  const isPinned = annotations["lookout.dev/apply"] === undefined;
  // Pods name the containers that fail, so a failure blocks no neighbour. A deadline may.
  const starts = (digest: string, reason: Reason): boolean =>
    isPinned && (containers.length === 1 || reason === "rollout-failed")
      ? !images.broken.has(digest) && !images.failing.has(digest)
      : images.broken.size === 0;
  const left = (text: string, digest: string): boolean =>
    witness.leftByHand.has(`${key} ${text}`) && images.digestsOf(text).includes(digest);
  const rejected = (digest: string): boolean =>
    (witness.votes.get(key) ?? []).some(
      ({ decision, binding }) => decision === "reject" && binding.images.some((image) => image.digest === digest),
    );
  const keepsImages = containers.some(({ pullPolicy }) => pullPolicy === "IfNotPresent");
  const runsAnother = (text: string, digest: string): boolean => {
    const digests = images.digestsOf(text);
    return keepsImages ? digests.length > 1 : digests.indexOf(digest) < digests.length - 1;
  };
  const hasBake = ports.rules.checks.some(({ when }) => when === "bake");
  for (const { imageName, digest, reason, tag } of record.blocked) {
    const deserved =
      reason === "approval-rejected"
        ? rejected(digest)
        : reason === "rollback-requested"
          ? witness.requests.hasLeft(key, digest)
          : reason === "changed-by-hand"
            ? left(`${imageName}:${tag}`, digest) || skewed
            : reason === "pods-run-another-digest"
              ? runsAnother(`${imageName}:${tag}`, digest)
              : (reason === "check-failed" && hasBake) ||
                !starts(digest, reason) ||
                (skewed && (reason === "rollout-timed-out" || images.pullFault(digest) !== undefined));
    if (!deserved)
      witness.complain(
        "L2",
        `${record.workload.name} refuses ${tag} ${short(digest)} (${reason}), which nobody gave a reason for`,
      );
  }
}

function checkMessages(record: WorkloadRecord, { mailbox, witness, copies }: Installation): void {
  for (const { command } of openCommands(record)) {
    const body = JSON.stringify(command);
    const live = mailbox.all.filter((message) => message.body === body).length;
    if (live > 1 + copies)
      witness.complain("L5", `${live} messages for ${body}, although only ${copies} copies were made`);
  }
}
