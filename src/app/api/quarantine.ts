import type { QuarantineRequest, quarantineOperations, QuarantineView } from "#contracts/api/quarantine";
import type { Asker } from "#domain/approval/asker";
import { minutes, toIso } from "#domain/shared/time";
import type { WorkloadName } from "#domain/workload/workload";
import type { RowImage } from "#ports/fleet";
import type { Ports } from "../shared/ports.ts";
import { allRecords } from "../shared/records.ts";
import { noteAct } from "../shared/acts.ts";
import { askerOf } from "./asker.ts";
import { scopeRows } from "../shared/scope-rows.ts";
import { type Handlers, notFound, type Served } from "./handler.ts";

/** Returns the handlers for the quarantine. */
export function quarantineHandlers(served: Served): Handlers<typeof quarantineOperations> {
  const { ports, by } = served;
  return {
    listQuarantine: () => listQuarantine(ports),
    putInQuarantine: ({ body }) =>
      putInQuarantine({ ...body, by: by(body.by) }, ports, askerOf(served, body.by, body.why)),
    liftQuarantine: async ({ params: { digest }, query }) =>
      (await liftQuarantine(digest, ports, askerOf(served, query.by, query.why))) ??
      notFound(`${digest} is not in quarantine`),
  };
}

async function listQuarantine({ quarantine }: Ports): Promise<QuarantineView> {
  return { quarantined: (await quarantine.list()).map(({ at, ...entry }) => ({ ...entry, at: toIso(at) })) };
}

/** Quarantines a digest: from now on, Lookout sends no patch with this digest. */
export async function putInQuarantine(
  request: QuarantineRequest,
  ports: Ports,
  asker: Asker = request,
): Promise<QuarantineView> {
  const at = ports.clock.now();
  await noteAct({ what: "quarantine", at, subject: request.digest }, asker, ports);
  await ports.quarantine.add({ ...request, at });
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
export async function liftQuarantine(
  digest: string,
  ports: Ports,
  asker: Asker = { by: "api" },
): Promise<QuarantineView | undefined> {
  // The row comes first: after an interruption, a repeated request would find no entry.
  if ((await ports.quarantine.among([digest])).length > 0)
    await noteAct({ what: "lift-quarantine", at: ports.clock.now(), subject: digest }, asker, ports);
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
