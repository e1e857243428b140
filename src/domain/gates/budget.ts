import { type AskGate, closed, open } from "./gate.ts";

/** Holds an update while no slot of the cluster's budget is free for it. */
export const askBudget: AskGate = ({ record, seq, facts: { slot, namespaceHolds } }) => {
  if (slot !== undefined || record.active?.seq === seq) return open;
  if (namespaceHolds === undefined) return closed({ reason: "cluster-budget" });
  const detail = `namespace ${record.workload.namespace} has ${namespaceHolds} slots, the limit of one namespace`;
  return closed({ reason: "cluster-budget", detail });
};
