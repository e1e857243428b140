import type { freezeOperations, FreezesView } from "#contracts/api/freezes";
import type { Asker } from "#domain/approval/asker";
import type { WorkloadState } from "#contracts/api/workloads";
import {
  endProblem,
  type Freeze,
  freezesAt,
  type FreezeScope,
  freezeScopeText,
  type HoldingFreeze,
  nextHolding,
  parseFreezeScope,
  type PlannedFreeze,
} from "#domain/gates/freezes";
import { extraWake } from "#domain/update/effects/commands";
import { type EpochMs, epochMs, toIso } from "#domain/shared/time";
import type { Reason } from "#domain/shared/reasons";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { Ports } from "../shared/ports.ts";
import { noteAct, noteEndedFreezes } from "../shared/acts.ts";
import { askerOf } from "./asker.ts";
import { recordsOf } from "../shared/records.ts";
import { coversKey, scopeRows, unknownScope } from "../shared/scope-rows.ts";
import { type Handlers, notFound, type ApiError, type Served } from "./handler.ts";

/** Returns the handlers for the freezes. */
export function freezeHandlers(served: Served): Handlers<typeof freezeOperations> {
  const { ports, by } = served;
  return {
    listFreezes: () => listFreezes(ports),
    freeze: async ({ body: { scope: text, why, by: claimed, until: endText, force = false } }) => {
      const scope = parseFreezeScope(text);
      if (!scope.ok) return badScope(scope.problem);
      const unknown = force ? undefined : await unknownScope(scope.value, ports);
      if (unknown !== undefined)
        return notFound(`${unknown}; to freeze it all the same, set force (lookout freeze --force)`);
      const asker = askerOf(served, claimed, why);
      if (endText === undefined) return freeze({ scope: scope.value, why, by: by(claimed) }, ports, asker);
      const until = epochMs(Date.parse(endText));
      const wrong = endProblem(until, ports.clock.now());
      if (wrong !== undefined) return { kind: "bad-end", detail: `until ${endText} ${wrong}` };
      return freeze({ scope: scope.value, why, by: by(claimed), until }, ports, asker);
    },
    liftFreeze: async ({ params: { scope: text }, query }) => {
      const scope = parseFreezeScope(text);
      if (!scope.ok) return badScope(scope.problem);
      const unfrozen = await unfreeze(scope.value, ports, askerOf(served, query.by, query.why));
      switch (unfrozen.kind) {
        case "lifted":
          return unfrozen.view;
        case "none":
          return notFound(`no freeze has the scope ${text}`);
        case "planned": {
          const where = `${unfrozen.name} of lookout.yaml`;
          const detail = `${text} is frozen by ${where}: change freezes in lookout.yaml (on AWS, deploy again)`;
          return { kind: "from-configuration", detail };
        }
      }
    },
  };
}

function badScope(detail: string): ApiError {
  return { kind: "bad-scope", detail };
}

/**
 * Lists the freezes in effect, the planned freezes, and the frozen workloads whose patch is in
 * flight.
 */
export async function listFreezes(ports: Ports): Promise<FreezesView> {
  const now = ports.clock.now();
  const freezes = await holdingFreezes(ports, now);
  const inFlight = (await slotHolders(freezes, ports)).filter(isInFlight);
  const holding = new Set(freezes.map((freeze) => ("planned" in freeze ? freeze.planned : undefined)));
  return {
    at: toIso(now),
    freezes: freezes.map(freezeView),
    planned: ports.rules.plannedFreezes
      .filter(({ name }) => !holding.has(name))
      .map((freeze) => plannedView(freeze, now)),
    inFlight: inFlight.map(({ workload }) => workloadKey(workload)),
  };
}

/**
 * Freezes a scope: from now on, no patch starts in this scope.
 *
 * A patch whose gates were read before the freeze is listed as in flight. Lookout sends such a
 * patch within ten seconds, or drops it. The cluster answers within ten more seconds.
 */
export async function freeze(request: Omit<Freeze, "at">, ports: Ports, asker: Asker = request): Promise<FreezesView> {
  const at = ports.clock.now();
  const scope = freezeScopeText(request.scope);
  const { until } = request;
  await noteEndedFreezes(await freezesOf(request.scope, ports), at, ports);
  const detail = until === undefined ? {} : { detail: `until ${toIso(until)}` };
  await noteAct({ what: "freeze", at, scope, ...detail }, asker, ports);
  await ports.freezes.put({ ...request, at });
  const [view, rows] = await Promise.all([listFreezes(ports), scopeRows(request.scope, ports)]);
  const among = (states: ReadonlySet<string>) => rows.filter(({ state }) => states.has(state)).length;
  return { ...view, effect: { workloads: rows.length, inFlight: among(goesOn), holds: among(waits) } };
}

/** The states of updates that a freeze does not stop, and of those that it holds. */
const goesOn: ReadonlySet<string> = new Set<WorkloadState>(["patching", "rolling-out", "rolling-back"]);
const waits: ReadonlySet<string> = new Set<WorkloadState>(["held", "released"]);

/** Reads the frozen workloads whose update has a slot: every update has one while its patch is sent. */
async function slotHolders(freezes: readonly HoldingFreeze[], ports: Ports): Promise<readonly WorkloadRecord[]> {
  if (freezes.length === 0) return [];
  const slots = await Promise.all(ports.clusters.names().map((cluster) => ports.store.slots(cluster)));
  const keys = slots.flat().map(({ workload }) => workload);
  return ports.store.readMany(keys.filter((key) => freezes.some(({ scope }) => coversKey(scope, key))));
}

/**
 * The result of {@link unfreeze}. `none`: the scope has no freeze, and no update in the scope waits
 * for a freeze. `planned`: a freeze of `lookout.yaml` stays in effect.
 */
export type Unfrozen =
  | { readonly kind: "lifted"; readonly view: FreezesView }
  | { readonly kind: "none" }
  | { readonly kind: "planned"; readonly name: string };

/**
 * The reasons of freezes. An update may still wait for a planned freeze that was removed from
 * `lookout.yaml`.
 */
const ofFreezes: ReadonlySet<Reason> = new Set(["frozen", "planned-freeze"]);

/**
 * Ends the freeze of exactly this scope, then wakes the workloads in the scope that wait for a
 * freeze.
 */
export async function unfreeze(scope: FreezeScope, ports: Ports, asker: Asker = { by: "api" }): Promise<Unfrozen> {
  const at = ports.clock.now();
  const known = await freezesOf(scope, ports);
  await noteEndedFreezes(known, at, ports);
  // The row comes first: after an interruption, a repeated request would find no freeze.
  if (known.length > 0) await noteAct({ what: "unfreeze", at, scope: freezeScopeText(scope) }, asker, ports);
  const lifted = await ports.freezes.lift(scope);
  const planned = lifted ? undefined : await plannedFor(scope, ports);
  if (planned !== undefined) return { kind: "planned", name: planned };
  // Rows may lag behind the records, and a workload that is not woken would wait for hours.
  const waiting = (await recordsOf(scope, ports)).filter(({ pending }) =>
    pending?.waits.some(({ reason }) => ofFreezes.has(reason)),
  );
  await ports.queues.send(
    waiting.map((record) => ({
      command: extraWake(record, `unfreeze:${freezeScopeText(scope)}:${ports.clock.now()}`),
    })),
  );
  return lifted || waiting.length > 0 ? { kind: "lifted", view: await listFreezes(ports) } : { kind: "none" };
}

/** Returns the freeze of exactly this scope, also an ended one. */
async function freezesOf(scope: FreezeScope, { freezes }: Ports): Promise<readonly Freeze[]> {
  return (await freezes.list()).filter((freeze) => freezeScopeText(freeze.scope) === freezeScopeText(scope));
}

async function holdingFreezes(
  { freezes, rules: { plannedFreezes } }: Ports,
  now: EpochMs,
): Promise<readonly HoldingFreeze[]> {
  return freezesAt({ freezes: await freezes.list(), plannedFreezes }, now);
}

async function plannedFor(scope: FreezeScope, ports: Ports): Promise<string | undefined> {
  const holding = await holdingFreezes(ports, ports.clock.now());
  const [name] = holding.flatMap((freeze) =>
    "planned" in freeze && freezeScopeText(freeze.scope) === freezeScopeText(scope) ? [freeze.planned] : [],
  );
  return name;
}

/** Returns whether a patch may be in flight. The intent is stored before the patch is sent. */
function isInFlight({ active }: WorkloadRecord): boolean {
  return active?.status === "patching";
}

function freezeView({ scope, by, why, until, ...origin }: HoldingFreeze): FreezesView["freezes"][number] {
  const end = until === undefined ? {} : { until: toIso(until) };
  const from = "planned" in origin ? origin : { at: toIso(origin.at) };
  return { scope: freezeScopeText(scope), by, why, ...from, ...end };
}

function plannedView(freeze: PlannedFreeze, now: EpochMs): FreezesView["planned"][number] {
  const { from, until } = nextHolding(freeze, now) ?? {};
  return {
    name: freeze.name,
    scope: freezeScopeText(freeze.scope),
    why: freeze.why,
    ...(from === undefined ? {} : { from: toIso(from) }),
    ...(until === undefined ? {} : { until: toIso(until) }),
  };
}
