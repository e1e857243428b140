import { type AskGate, closed, open } from "./gate.ts";

/**
 * Holds an update while its cluster is unreachable. An active update passes: its patch shows
 * whether the cluster answers.
 */
export const askCluster: AskGate = ({ record, seq, facts: { away } }) =>
  away === undefined || record.active?.seq === seq ? open : closed(away);
