import type { DigestView } from "#contracts/api/history";
import type { DigestRun } from "#domain/history/runs";
import { imageNameOf, isDigest, parseImageReference } from "#domain/image/reference";
import { printableText, shortened } from "#domain/shared/shown-text";
import { compareTexts } from "#domain/shared/text-order";
import { type EpochMs, parseInstant, toIso } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { mapBounded } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";
import { allRecords } from "../shared/records.ts";
import { type ApiError, notFound } from "./handler.ts";
import { imageText, presentRuns, runView } from "./images.ts";

type Step = DigestView["path"][number];

/** Returns who runs a digest at a time, who ran it, and how it came there. */
export async function readDigest(named: string, at: string | undefined, ports: Ports): Promise<DigestView | ApiError> {
  const { digests, quarantine, clock } = ports;
  const records = await allRecords(ports);
  const digest = await wholeDigest(named, records, ports);
  if (typeof digest !== "string") return digest;
  const when = (at === undefined ? undefined : parseInstant(at)) ?? clock.now();
  const [runs, entries] = await Promise.all([digests.runsOf(digest), quarantine.among([digest])]);
  const images = imagesOf(digest, runs, records);
  const path = [
    ...(await seenSteps(digest, images, ports)),
    ...records.flatMap((record) => recordSteps(digest, record)),
    ...runs.flatMap(approvedSteps),
    ...entries.map(({ by, why, at }): Step => ({ at: toIso(at), what: "quarantined", by, why })),
  ].toSorted((one, other) => compareTexts(one.at ?? "", other.at ?? ""));
  if (runs.length === 0 && path.length === 0)
    return notFound(
      `Lookout knows no workload that runs, wants or blocks ${digest}. To see all running images: lookout images`,
    );
  const then = runs.filter((run) => isAt(run, when));
  const others = runs.filter((run) => !then.includes(run)).toSorted((one, other) => other.since - one.since);
  return { at: toIso(when), digest, images, runs: then.map(runView), ran: others.map(runView), path };
}

function isAt({ since, until }: DigestRun, at: EpochMs): boolean {
  return since <= at && (until === undefined || at < until);
}

/** The fewest digits that name a digest. */
const fewestDigits = 12;

/** Returns the whole digest that a text names, or why it names none. */
async function wholeDigest(
  named: string,
  records: readonly WorkloadRecord[],
  ports: Ports,
): Promise<string | ApiError> {
  if (isDigest(named)) return named;
  const shown = printableText(shortened(named, 100));
  const digits = named.replace(/^sha256:/, "");
  if (digits.length < fewestDigits || !/^[0-9a-f]+$/.test(digits))
    return {
      kind: "bad-request",
      detail: `"${shown}" is no digest: give sha256:… or its first ${fewestDigits} or more digits`,
    };
  const running = (await presentRuns(ports)).flatMap(({ digest }) => digest ?? []);
  const known = new Set([...running, ...records.flatMap((record) => wantedBy(record).map((one) => one.digest))]);
  const [one, ...more] = [...known].filter((digest) => digest.startsWith(`sha256:${digits}`));
  if (one === undefined)
    return notFound(`no running, wanted or blocked digest begins with ${shown}. For an earlier digest, give all of it`);
  return more.length === 0
    ? one
    : { kind: "bad-request", detail: `several digests begin with ${shown}: give more digits` };
}

/** An image that an update of a record wants, or that is blocked. */
interface Wanted {
  readonly digest: string;
  readonly image: string;
  readonly step: Step;
}

function wantedBy(record: WorkloadRecord): readonly Wanted[] {
  const workload = workloadKey(record.workload);
  const updates = [record.last, record.active, record.pending].flatMap((update) => update ?? []);
  const selected = updates.flatMap(({ seq, selectedAt, detectedAt, source, changes }) =>
    changes.flatMap((change): readonly Wanted[] => {
      const image = imageText(change);
      const about = { image, workload, update: seq };
      return [
        { digest: change.digest, image, step: { at: toIso(detectedAt), what: "seen", ...about, why: source } },
        { digest: change.digest, image, step: { at: toIso(selectedAt), what: "selected", ...about } },
      ];
    }),
  );
  const blocked = record.blocked.map((one): Wanted => {
    const image = imageText(one);
    const by = one.by === undefined ? {} : { by: one.by };
    const step = {
      at: toIso(one.at),
      what: "blocked",
      image,
      workload,
      update: one.seq,
      ...by,
      why: one.reason,
    } as const;
    return { digest: one.digest, image, step };
  });
  return [...selected, ...blocked];
}

function recordSteps(digest: string, record: WorkloadRecord): readonly Step[] {
  return wantedBy(record).flatMap((one) => (one.digest === digest ? [one.step] : []));
}

function approvedSteps({ workload, seq, approvedBy = [], imageName, tag }: DigestRun): readonly Step[] {
  const update = seq === undefined ? {} : { update: seq };
  return approvedBy.map((by) => ({
    what: "approved",
    image: imageText({ imageName, ...(tag && { tag }) }),
    workload,
    ...update,
    by,
  }));
}

function imagesOf(digest: string, runs: readonly DigestRun[], records: readonly WorkloadRecord[]): readonly string[] {
  const wanted = records.flatMap((record) => wantedBy(record).filter((one) => one.digest === digest));
  return [...new Set([...runs.map(imageText), ...wanted.map(({ image }) => image)])].sort();
}

const imagesAtOnce = 5;

/** Returns when the digest was pushed under its tags, and when Lookout first saw it there. */
async function seenSteps(
  digest: string,
  images: readonly string[],
  { sightings, tagHistory }: Ports,
): Promise<readonly Step[]> {
  const steps = await mapBounded(images, imagesAtOnce, async (image): Promise<readonly Step[]> => {
    const reference = parseImageReference(image);
    if (!reference.ok || reference.value.tag === undefined) return [];
    const { tag } = reference.value;
    const [seen, moves] = await Promise.all([
      sightings.among([{ imageName: imageNameOf(reference.value), tag, digest }]),
      tagHistory.list(reference.value),
    ]);
    const moved = moves.filter((move) => move.tag === tag && move.digest === digest);
    return [
      ...moved.map(({ movedAt }): Step => ({ at: toIso(movedAt), what: "pushed", image })),
      ...seen.map(({ seenAt }): Step => ({ at: toIso(seenAt), what: "seen", image })),
    ];
  });
  return steps.flat();
}
