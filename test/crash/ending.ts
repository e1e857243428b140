import { factsOf } from "#domain/update/facts";
import type { WorkloadRecord } from "#domain/update/states";
import { workloadKey } from "#domain/workload/workload";
import { pinOf, short, tagOf } from "#test/model/image-text";
import type { Installation } from "#test/model/world/installation";
import { imagesOf } from "#test/model/actors/members";
import type { Stage } from "./stage.ts";

/** What a play came to, as lines that say one thing each; what is there twice is two lines. */
export interface Ending {
  /** What stands in the cluster, in the records and in the queues. */
  readonly state: readonly string[];
  /** What was done on the way: patches that landed, rows of the ledger, facts. That it waited is told as often as it did. */
  readonly way: readonly string[];
  /** Rows and facts that the versions of the play's records call for. */
  readonly called: readonly string[];
  /** Rows and facts that are there. */
  readonly told: readonly string[];
  /** Rules of the simulation that were broken. */
  readonly broken: readonly string[];
}

/** Reads what a play came to, once it is at rest. */
export async function endingOf(stage: Stage): Promise<Ending> {
  const { installation, members } = stage;
  const { witness } = installation;
  const rows = await rowsOf(stage);
  const facts = [...witness.facts.values()];
  return {
    state: [
      ...members.flatMap((member) => stateOf(member, installation)),
      // How many copies there may be, the simulation checks: a timer that comes twice does nothing twice.
      ...new Set(installation.mailbox.all.map(({ queue }) => `${queue} is to come`)),
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
    told: [...rows.map(rowText), ...facts.map(({ id }) => `fact ${id}`)],
    broken: witness.broken,
  };
}

/** Answers the lines that others lack, each as often as it is missing there. */
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
