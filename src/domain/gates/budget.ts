import { type AskGate, closed, open } from "./gate.ts";

/** Holds an update while no slot of the cluster's budget is free for it. */
export const askBudget: AskGate = ({ record, seq, facts: { slot, namespaceHolds } }) => {
  if (slot !== undefined || record.active?.seq === seq) return open;
  if (namespaceHolds === undefined) return closed({ reason: "cluster-budget" });
  const detail = `namespace ${record.workload.namespace} has ${namespaceHolds} of its slots, as many as one may have`;
  return closed({ reason: "cluster-budget", detail });
};
