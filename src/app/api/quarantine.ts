import type { QuarantineRequest, quarantineOperations, QuarantineView } from "#contracts/api/quarantine";
import { minutes, toIso } from "#domain/shared/time";
import type { WorkloadName } from "#domain/workload/workload";
import type { RowImage } from "#ports/fleet";
import type { Ports } from "../shared/ports.ts";
import { allRecords } from "../shared/records.ts";
import { scopeRows } from "../shared/scope-rows.ts";
import { type Handlers, notFound, type Served } from "./handler.ts";

/** Returns the handlers for the quarantine. */
export function quarantineHandlers({ ports, by }: Served): Handlers<typeof quarantineOperations> {
  return {
    listQuarantine: () => listQuarantine(ports),
    putInQuarantine: ({ body }) => putInQuarantine({ ...body, by: by(body.by) }, ports),
    liftQuarantine: async ({ params: { digest } }) =>
      (await liftQuarantine(digest, ports)) ?? notFound(`${digest} is not in quarantine`),
  };
}

async function listQuarantine({ quarantine }: Ports): Promise<QuarantineView> {
  return { quarantined: (await quarantine.list()).map(({ at, ...entry }) => ({ ...entry, at: toIso(at) })) };
}

/** Quarantines a digest: from now on, Lookout sends no patch with this digest. */
export async function putInQuarantine(request: QuarantineRequest, ports: Ports): Promise<QuarantineView> {
  await ports.quarantine.add({ ...request, at: ports.clock.now() });
  const [view, rows] = await Promise.all([listQuarantine(ports), scopeRows({}, ports)]);
  const has = (images: readonly RowImage[]) => images.some(({ digest }) => digest === request.digest);
  const runs = rows.filter((row) => has(row.runs)).length;
  const holds = rows.filter(({ state, wants }) => (state === "held" || state === "released") && has(wants)).length;
  return { ...view, effect: { workloads: rows.length, runs, holds } };
}

/**
 * Ends the quarantine of a digest, then queues evaluations of the workloads that wait for the
 * digest.
 *
 * @returns undefined when the digest was not in quarantine and no workload waits.
 */
export async function liftQuarantine(digest: string, ports: Ports): Promise<QuarantineView | undefined> {
  const lifted = await ports.quarantine.lift(digest);
  const waiting = await waitingFor(digest, ports);
  await evaluateAgain(waiting, `quarantine:${digest}:${ports.clock.now()}`, ports);
  return lifted || waiting.length > 0 ? listQuarantine(ports) : undefined;
}

async function waitingFor(digest: string, ports: Ports): Promise<readonly WorkloadName[]> {
  return (await allRecords(ports))
    .filter(({ pending }) => pending?.changes.some((change) => change.digest === digest) === true)
    .map(({ workload }) => workload);
}

async function evaluateAgain(workloads: readonly WorkloadName[], id: string, { queues }: Ports): Promise<void> {
  const commands = (name: string) =>
    workloads.map((workload) => ({ name: "EvaluateWorkload", id: name, workload, source: "lifted" }) as const);
  // The second evaluation, a minute later, covers updates that begin to wait during this request.
  const later = commands(`${id}:later`).map((command) => ({ command, delay: minutes(1) }));
  await queues.send([...commands(id).map((command) => ({ command })), ...later]);
}
