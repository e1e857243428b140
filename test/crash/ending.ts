import { factsOf } from "#domain/update/effects/facts";
import type { Fact } from "#domain/update/events";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { pinOf, short, tagOf } from "#test/model/image-text";
import type { Installation } from "#test/model/world/installation";
import { imagesOf } from "#test/model/actors/members";
import type { Stage } from "./stage.ts";

/** The result of a play, as lines with one item each. A repeated item has two lines. */
export interface Ending {
  /** The final state of the cluster, the records and the queues. */
  readonly state: readonly string[];
  /** The steps: landed patches, ledger rows and facts. Repeated waits have repeated lines. */
  readonly way: readonly string[];
  /** The rows and facts that the versions of the records require. */
  readonly called: readonly string[];
  /** The stored rows and published facts. */
  readonly told: readonly string[];
  /** What receivers of channels show. */
  readonly shown: readonly string[];
  /** Rules of the simulation that were broken. */
  readonly broken: readonly string[];
}

/** Returns the result of a play at rest. */
export async function endingOf(stage: Stage): Promise<Ending> {
  const { installation, members } = stage;
  const { witness } = installation;
  const rows = await rowsOf(stage);
  const facts = [...witness.facts.values()];
  return {
    state: [
      ...members.flatMap((member) => stateOf(member, installation)),
      // The simulation checks the number of copies. A repeated timer has no second effect.
      ...new Set(installation.mailbox.all.map(({ queue }) => `${queue} is to come`)),
      ...new Set(facts.filter(isOfTiers).map(({ name, detail = "" }) => `fact: ${name}: ${detail}`)),
    ],
    way: [
      ...members.flatMap(({ workload }) => patchesOn(workload.name, installation)),
      ...rows
        .filter(({ transition }) => transition.what !== "waiting")
        .map(({ transition: { seq, what } }) => `row: update ${seq} ${what}`),
      ...facts
        .filter(({ name }) => name !== "RolloutWaiting")
        .map(({ name, seq, workload }) => `fact: ${name} of ${workload.name}, update ${seq}`),
    ],
    called: witness.versions.flatMap((record) => [
      ...record.transitions.map(({ seq }) => rowText({ ...record, workload: workloadKey(record.workload), seq })),
      ...factsOf(record).map(({ id }) => `fact ${id}`),
    ]),
    told: [...rows.map(rowText), ...facts.filter((fact) => !isOfTiers(fact)).map(({ id }) => `fact ${id}`)],
    shown: shownIn(installation),
    broken: witness.broken,
  };
}

/** Returns whether a fact is about a tier. It follows from the members together, and from no version alone. */
function isOfTiers({ name }: Fact): boolean {
  return name === "TierCompleted" || name === "TierHalted";
}

function shownIn({ receivers }: Installation): readonly string[] {
  if (receivers === undefined) return [];
  const { chat, plain, pager } = receivers;
  return [
    ...chat.messages().map(({ text }) => `the chat shows ${text}`),
    // Messages that can't change leave out what has passed already.
    ...plain
      .messages()
      .filter(({ text }) => !/failed|in-progress/.test(text))
      .map(({ text }) => `the plain chat shows ${text}`),
    ...[...pager.open().values()].map((text) => `the incident ${text} is open`),
  ];
}

/** Returns the lines that the others lack, each as often as it is missing. */
export function lackingIn(others: readonly string[], lines: readonly string[]): readonly string[] {
  const left = [...others];
  return lines.filter((line) => {
    const index = left.indexOf(line);
    if (index !== -1) left.splice(index, 1);
    return index === -1;
  });
}

function stateOf(member: Stage["members"][number], { cluster, stored, images }: Installation): readonly string[] {
  const { name } = member.workload;
  const record = stored.records().get(workloadKey(member.workload));
  const image = imagesOf(member, { cluster }).get("app") ?? "nothing";
  const restarted = JSON.stringify(cluster.object(member.workload)?.spec).includes("restartedAt");
  return [
    `${name} runs ${short(image)} (${short(images.digestOf(image) ?? "")})${restarted ? ", restarted" : ""}`,
    ...(record === undefined ? [`${name} is unknown`] : recordLines(record).map((line) => `${name} ${line}`)),
  ];
}

function recordLines({
  tracked,
  active,
  pending,
  last,
  hold,
  blocked,
  selectionFailures,
  needsEvaluation,
}: WorkloadRecord) {
  const waits = pending?.waits.map(({ reason }) => reason).join(", ") ?? "";
  return [
    `is ${tracked ? "tracked" : "not tracked"}`,
    `has ${active?.status ?? "nothing"} on its way`,
    `holds ${pending === undefined ? "nothing" : `${targetsOf(pending)} for ${waits}`}`,
    `ended ${last === undefined ? "nothing" : `${targetsOf(last)}: ${last.status} ${"reason" in last ? last.reason : ""}`}`,
    ...(hold === undefined ? [] : [`is on hold: ${hold.reason}`]),
    ...blocked.map(({ tag, digest, reason }) => `refuses ${tag} ${short(digest)}: ${reason}`),
    ...selectionFailures.map(({ container, reason }) => `finds nothing for ${container}: ${reason}`),
    ...(needsEvaluation === true ? ["has to ask its registries"] : []),
  ];
}

function targetsOf({ changes }: Pick<NonNullable<WorkloadRecord["last"]>, "changes">): string {
  return changes.map(({ to }) => `${tagOf(to)} ${short(pinOf(to) ?? "")}`).join(", ");
}

function patchesOn(name: string, { cluster }: Installation): readonly string[] {
  return cluster.history
    .filter(({ manager, workload }) => manager === "lookout" && workload.name === name)
    .map(({ what, generation }) => `patch: ${what} on ${name}, generation ${generation}`);
}

async function rowsOf({ installation: { ports }, members }: Stage) {
  const all = members.map(({ workload }) => ports.ledger.read(workloadKey(workload), 10_000));
  return (await Promise.all(all)).flat();
}

function rowText(row: {
  readonly workload: string;
  readonly uid: string;
  readonly seq: number;
  readonly version: number;
}) {
  return `row ${[row.workload, row.uid, row.seq, row.version].join(" ")}`;
}
