import { readFile } from "node:fs/promises";

/**
 * One write of Lookout in the API server's audit log. Instants are epoch milliseconds with a
 * fraction.
 */
export interface AuditedPatch {
  readonly workload: string;
  readonly receivedAt: number;
  readonly answeredAt: number;
  readonly status: number;
}

interface AuditEvent {
  readonly verb: string;
  readonly userAgent?: string;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly objectRef?: { readonly name?: string };
  readonly responseStatus?: { readonly code?: number };
}

/**
 * Returns Lookout's patches in the audit log from an instant on, in the order of their responses.
 */
export async function patchesSince(auditLog: string, since: number): Promise<readonly AuditedPatch[]> {
  const lines = (await readFile(auditLog, "utf8")).split("\n").filter((line) => line.includes('"verb":"patch"'));
  return lines
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ userAgent }) => userAgent === "lookout")
    .map((event) => ({
      workload: event.objectRef?.name ?? "",
      receivedAt: instantOf(event.requestReceivedTimestamp),
      answeredAt: instantOf(event.stageTimestamp),
      status: event.responseStatus?.code ?? 0,
    }))
    .filter(({ receivedAt }) => receivedAt >= since)
    .sort((one, other) => one.answeredAt - other.answeredAt);
}

/** Returns the maximum number of concurrent patches at the API server. */
export function mostAtOnce(patches: readonly AuditedPatch[]): number {
  const turns = patches.flatMap(({ receivedAt, answeredAt }) => [
    { at: receivedAt, by: 1 },
    { at: answeredAt, by: -1 },
  ]);
  turns.sort((one, other) => one.at - other.at || one.by - other.by);
  let inHand = 0;
  return Math.max(0, ...turns.map(({ by }) => (inHand += by)));
}

/**
 * Returns an instant of the API server in milliseconds, with the microseconds that `Date` would
 * drop.
 */
function instantOf(text: string): number {
  const fraction = /\.\d+/.exec(text)?.[0] ?? "0";
  return Date.parse(text.replace(/\.\d+/, "")) + Number(`0${fraction}`) * 1_000;
}
