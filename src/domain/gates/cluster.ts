import { type AskGate, closed, open } from "./gate.ts";

/**
 * Holds an update while its cluster is away. An active update passes, because its patch will tell.
 */
export const askCluster: AskGate = ({ record, seq, facts: { away } }) =>
  away === undefined || record.active?.seq === seq ? open : closed(away);
