import { type AskGate, closed, open } from "./gate.ts";

/** Holds the updates of a suspended workload. */
export const askSuspension: AskGate = ({ settings }) => (settings.suspended ? closed({ reason: "suspended" }) : open);
