import { tablePorts } from "#app/shared/ports";
import { functionName, type Route, routes, sendsAhead } from "#contracts/routes";
import { minutes } from "#domain/shared/time";
import type { OutgoingCommand } from "#ports/messaging";

/** The longest delay of a queue. */
const aheadFrom = minutes(15);

const inTheTable: ReadonlySet<string> = new Set(tablePorts);

/** The methods of table ports that only read. */
const reading: ReadonlySet<string> = new Set([
  "read",
  "readMany",
  "unreadable",
  "workloadIndex",
  "awaitingApproval",
  "slots",
  "waiters",
  "due",
  "subscribers",
  "list",
  "known",
  "among",
  "partitions",
  "survey",
  "sights",
  "seenSince",
  "about",
  "inNamespace",
]);

/** What the function of changes writes. */
const derived: ReadonlySet<string> = new Set([
  "ledger.append",
  "history.append",
  "pushes.note",
  "digests.note",
  "fleet.readMany",
  "fleet.records",
  "fleet.write",
]);

/** What the function that follows tiers reads. */
const followed: ReadonlySet<string> = new Set(["tierMembers.list"]);

/** What the function of channels reads and writes. */
const telling: ReadonlySet<string> = new Set([
  "told.read",
  "told.write",
  "channelStates.read",
  "channelStates.write",
  "ledger.read",
  "pushes.stepsOf",
]);

const byName: ReadonlyMap<string, Route> = new Map(routes.map((route) => [functionName(route), route]));

/**
 * Returns the route of a run; undefined for a run of a person or of the process, which has all
 * rights.
 */
function routeOf(run: string): Route | undefined {
  const end = run.indexOf(" for ");
  return byName.get(end === -1 ? run : run.slice(0, end));
}

/** Returns the violations of a function's route by a sent command; empty without violations. */
export function wrongOfSending(run: string, { command, delay }: OutgoingCommand): readonly string[] {
  const route = routeOf(run);
  if (route === undefined) return [];
  const isAhead = delay !== undefined && delay > aheadFrom;
  return [
    ...(route.emits.includes(command.name) ? [] : [`${run} sends ${command.name}, which its route does not say`]),
    ...(isAhead && !sendsAhead(route)
      ? [`${run} sends ${command.name} hours ahead, which its route does not call for`]
      : []),
  ];
}

/** Returns whether a deployed function may call a method of the table, or reach a cluster. */
export function mayAsk(run: string, port: string, method: string): boolean {
  const route = routeOf(run);
  if (route !== undefined && port === "clusters" && method === "cluster") return route.reaches.includes("clusters");
  if (route === undefined || !inTheTable.has(port) || route.reaches.includes("table")) return true;
  if (port === "tierMembers" && route.reaches.includes("tiers")) return reading.has(method);
  if (route.reaches.includes("table-read")) return reading.has(method);
  if (route.reaches.includes("told")) return telling.has(`${port}.${method}`);
  if (route.reaches.includes("tiers") && followed.has(`${port}.${method}`)) return true;
  return route.reaches.includes("ledger") && derived.has(`${port}.${method}`);
}
