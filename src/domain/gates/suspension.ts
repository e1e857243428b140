import { type AskGate, closed, open } from "./gate.ts";

/** Holds the updates of a workload that an annotation or a person suspends. */
export const askSuspension: AskGate = ({ settings, record: { suspension } }) => {
  if (settings.suspended) return closed({ reason: "suspended" });
  if (suspension === undefined) return open;
  return closed({ reason: "suspended-by-person", detail: `${suspension.by}: ${suspension.why}` });
};
