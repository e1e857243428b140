import { type AskGate, closed, open } from "./gate.ts";

/** Holds all updates of a workload after a user's rollback, until the workload is unblocked. */
export const askHold: AskGate = ({ record: { hold } }) =>
  hold === undefined ? open : closed({ reason: hold.reason, detail: `update ${hold.seq}, ${hold.detail}` });
