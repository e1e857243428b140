import { type AskGate, closed, open } from "./gate.ts";

/** Holds an update while another update of the same workload is active. */
export const askRollout: AskGate = ({ record: { active }, seq }) =>
  active === undefined || active.seq === seq
    ? open
    : closed({ reason: "rollout-in-progress", detail: `update ${active.seq} is ${active.status}` });
