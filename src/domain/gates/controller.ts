import { type AskGate, closed, open } from "./gate.ts";

/** Holds the updates of a workload that another controller owns and would revert. */
export const askController: AskGate = ({ record: { observed } }) =>
  observed.controller === undefined ? open : closed({ reason: "owned-by-a-controller", detail: observed.controller });
