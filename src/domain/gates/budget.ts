import { type AskGate, closed, open } from "./gate.ts";
import { isOnlyObserved } from "./observe.ts";

/** Holds an update while no slot of the cluster's budget is free for it. */
export const askBudget: AskGate = (question) => {
  const {
    record,
    seq,
    facts: { slot, namespaceHolds },
  } = question;
  if (slot !== undefined || record.active?.seq === seq) return open;
  if (isOnlyObserved(question)) return { kind: "open", detail: "an observed update takes no slot" };
  if (namespaceHolds === undefined) return closed({ reason: "cluster-budget" });
  const detail = `namespace ${record.workload.namespace} has ${namespaceHolds} slots, the limit of one namespace`;
  return closed({ reason: "cluster-budget", detail });
};
