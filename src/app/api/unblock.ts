import type { QuarantineRequest, QuarantineView } from "#contracts/api/quarantine";
import type { UnblockView } from "#contracts/api/workloads";
import { unblock } from "#domain/update/unblock";
import { minutes, toIso } from "#domain/shared/time";
import { parseWorkloadKey, type WorkloadName } from "#domain/workload/workload";
import type { Ports } from "../shared/ports.ts";
import { allRecords, changedByOthers, commit, maximumTries } from "../shared/records.ts";

type UnblockPorts = Pick<Ports, "store" | "queues" | "clock" | "quarantine" | "clusters" | "limits">;

/** Ends the hold of a workload, unblocks its digests, and queues its evaluation; undefined when it is not tracked. */
export async function unblockWorkload(key: string, by: string, ports: UnblockPorts): Promise<UnblockView | undefined> {
  for (let tries = 0; tries < maximumTries; tries += 1) {
    const record = await ports.store.read(key);
    if (record?.tracked !== true) return undefined;
    const next = unblock(record, by, { cause: `Unblock:${record.version}`, now: ports.clock.now() });
    const view = { workload: key, hold: record.hold !== undefined, blocked: record.blocked.length };
    if (next === undefined) return view;
    if (await commit(next, ports)) return view;
  }
  throw changedByOthers(key, "unblocked");
}

/** Lists the digests in quarantine. */
export async function listQuarantine({ quarantine }: Pick<Ports, "quarantine">): Promise<QuarantineView> {
  return { quarantined: (await quarantine.list()).map(({ at, ...entry }) => ({ ...entry, at: toIso(at) })) };
}

/** Puts a digest in quarantine: from here on no patch to it is sent. */
export async function putInQuarantine(request: QuarantineRequest, ports: UnblockPorts): Promise<QuarantineView> {
  await ports.quarantine.add({ ...request, at: ports.clock.now() });
  return listQuarantine(ports);
}

/** Takes a digest out of quarantine, then wakes who waits for it; undefined when it was not in, and nobody waits. */
export async function liftQuarantine(digest: string, ports: UnblockPorts): Promise<QuarantineView | undefined> {
  const lifted = await ports.quarantine.lift(digest);
  const waiting = await waitingFor(digest, ports);
  await evaluateAgain(waiting, `quarantine:${digest}:${ports.clock.now()}`, ports);
  return lifted || waiting.length > 0 ? listQuarantine(ports) : undefined;
}

async function waitingFor(digest: string, ports: UnblockPorts): Promise<readonly WorkloadName[]> {
  return (await allRecords(ports))
    .filter(({ pending }) => pending?.changes.some((change) => change.digest === digest) === true)
    .map(({ workload }) => workload);
}

async function evaluateAgain(workloads: readonly WorkloadName[], id: string, { queues }: UnblockPorts): Promise<void> {
  const look = (name: string) =>
    workloads.map((workload) => ({ command: "EvaluateWorkload", id: name, workload, because: "lifted" }) as const);
  // Once more a minute later, for whoever began to wait while the fact changed: a look of its own, and not the same one twice.
  const later = look(`${id}:later`).map((command) => ({ command, delay: minutes(1) }));
  await queues.send([...look(id).map((command) => ({ command })), ...later]);
}

/** Reads a workload's key from a path; undefined when it is not one. */
export function keyFrom(...parts: readonly string[]): string | undefined {
  const key = parts.join("/");
  return parseWorkloadKey(key).ok ? key : undefined;
}
