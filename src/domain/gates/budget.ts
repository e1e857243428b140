import { type AskGate, closed, open } from "./gate.ts";

/** Holds an update while no slot of the cluster's budget is free for it. */
export const askBudget: AskGate = ({ record, seq, facts: { slot } }) =>
  slot === undefined && record.active?.seq !== seq ? closed({ reason: "cluster-budget" }) : open;
