import type { Declared } from "#domain/definitions/definition";
import type { StatusPatch } from "#ports/cluster";
import { versionText } from "#test/model/judge/definitions";
import type { DomainEvent } from "#domain/update/events";
import type { WorkloadPatch } from "#domain/workload/patch";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { Command } from "#domain/update/commands";
import type { OutgoingCommand } from "#ports/messaging";
import type { Fate } from "#test/model/faults/fates";
import { short } from "#test/model/image-text";
import type { Message } from "#test/model/world/mailbox";
import type { Call } from "#test/model/world/runs";

type Tell = (...args: readonly never[]) => string;

/** The texts of frequent calls. Other calls show their arguments. */
const calls: Readonly<Record<string, Tell>> = {
  "store.read": (key: string) => `reads the record of ${nameIn(key)}`,
  "store.write": (record: WorkloadRecord) => `stores ${recordText(record)}`,
  "cluster.read": ({ name }: { readonly name: string }) => `reads the object ${name}`,
  "cluster.health": ({ name }: { readonly name: string }) => `looks at the pods of ${name}`,
  "cluster.runningImages": ({ workload }: WorkloadPatch) => `asks the pods of ${workload.name} what they run`,
  "cluster.patch": (patch: WorkloadPatch) => `sends ${patchText(patch)}`,
  "cluster.definitions": () => "lists the definitions of the cluster",
  "cluster.patchStatus": ({ kind, name, status }: StatusPatch) =>
    `writes the status of ${kind} ${name}: ${JSON.stringify(status)}`,
  "definitions.about": ({ name }: { readonly name: string }) => `reads the definitions of ${name}`,
  "definitions.put": (all: readonly Declared[]) => `stores ${all.map(versionText).join(", ") || "no definition"}`,
  "definitions.remove": (all: readonly Declared[]) => `removes ${all.map(versionText).join(", ") || "no definition"}`,
  "cluster.list": () => "lists the workloads of the cluster",
  "queues.send": (sendings: readonly OutgoingCommand[]) =>
    `sends ${sendings.map(sendingText).join(" and ") || "nothing"}`,
  "bus.publish": (events: readonly DomainEvent[]) => `publishes ${events.map(({ name }) => name).join(", ")}`,
  "ledger.append": (rows: readonly unknown[]) => `writes ${rows.length} rows of the ledger`,
  "changes.take": () => "takes changes to hand on",
  "changes.done": (changes: readonly unknown[]) => `forgets ${changes.length} changes that were handed on`,
  "registry.tags": () => "lists the tags",
  "registry.resolve": (_name: unknown, tag: string) => `asks which digest ${tag} names`,
  "store.subscribers": () => "asks who is subscribed",
  "store.subscribe": ({ name }: { readonly name: string }) => `subscribes ${name}`,
  "store.readMany": (keys: readonly string[]) => `reads the records of ${keys.map(nameIn).join(", ") || "nobody"}`,
  "quarantine.among": (digests: readonly string[]) => `asks whether ${short(digests.join(", "))} is in quarantine`,
  "repositories.list": () => "asks which repositories anyone is subscribed to",
  "repositories.read": () => "reads what is known of the repository",
  "repositories.write": () => "stores what the sweep found",
  "clusterStates.read": () => "reads what is known of the cluster",
  "clusterStates.write": () => "stores how far the cluster was read",
};

/** Returns the text of a call. */
export function callText({ port, method, args }: Call): string {
  const tell = calls[`${port}.${method}`];
  if (tell !== undefined) return tell(...(args as readonly never[]));
  const given = args.filter((arg) => !(arg instanceof AbortSignal)).map((arg) => JSON.stringify(arg));
  return `asks ${port}.${method}(${short(given.join(", ")).slice(0, 200)})`;
}

/** Returns the text of a call's fate; empty for a success. */
export function fateText(fate: Fate): string {
  switch (fate.kind) {
    case "answered":
      return "";
    case "fails":
      return ", which fails";
    case "answer-lost":
      return ", which is done, but the answer is lost";
    case "dies":
      return `, and dies ${fate.when} that is done`;
    case "freezes":
      return `, and freezes for ${Math.round(fate.ms / 1_000)} s ${fate.when} that is done`;
    case "refused":
      return `: ${"kind" in fate.answer ? fate.answer.kind : "no definitions"}${fate.lands === true ? ", although it is done" : ""}`;
    case "patch-lands-and-fails":
      return ", which is done, but the answer is a 5xx";
    case "patch-unanswered":
      return `: no answer; it ${fate.landsAfterMs === undefined ? "is lost" : `arrives after ${fate.landsAfterMs} ms`}`;
  }
}

/** Returns the text of a message. */
export function messageText({ queue, body, number, receives }: Message): string {
  const about =
    queue === "ImagePushed" || queue === "dead-letter"
      ? short(body.slice(0, 160))
      : workText(JSON.parse(body) as Command);
  return `message ${number}, delivery ${receives + 1}: ${about}`;
}

/** Returns the text of a command. */
export function workText(command: Command): string {
  switch (command.name) {
    case "SyncCluster":
      return `SyncCluster ${command.id}`;
    case "SweepRepository":
      return `SweepRepository ${command.repository}`;
    case "EvaluateWorkload":
      return `EvaluateWorkload ${command.workload.name} because ${command.source} (${short(command.id)})`;
    case "Deliver":
      return `Deliver ${command.fact.id} to ${command.channel}`;
    case "Wake":
    case "AskChecks":
    case "RollOut":
    case "ShowAvailable":
    case "CheckRollout":
      return `${command.name} ${command.workload.name} update ${command.seq}, version ${command.version}`;
  }
}

function sendingText({ command, delay = 0 as never }: OutgoingCommand): string {
  return `${workText(command)}${delay > 0 ? ` in ${Math.round(delay / 1_000)} s` : ""}`;
}

function recordText({ workload, version, transitions, active, pending }: WorkloadRecord): string {
  const news = transitions.map(({ seq, what, reasons, changes }) => {
    const why = reasons.map(({ reason }) => reason).join(", ");
    const to = changes.map((change) => short(change.to)).join(", ");
    return `${seq === 0 ? "" : `update ${seq} `}${what}${to === "" ? "" : ` to ${to}`}${why === "" ? "" : ` (${why})`}`;
  });
  const open = [active, pending].flatMap((update) => (update === undefined ? [] : [`${update.seq} ${update.status}`]));
  return `version ${version} of ${workload.name}: ${news.join("; ")} [open: ${open.join(", ") || "nothing"}]`;
}

function patchText({ workload, updateLabel, images, generation }: WorkloadPatch): string {
  const writes = images.map(({ from, to }) => `${short(from)} -> ${short(to)}`).join(", ");
  return `the patch ${updateLabel.to} to ${workload.name} at generation ${generation}: ${writes}`;
}

function nameIn(key: string): string {
  return key.split("/").at(-1) ?? key;
}
