import { type AskGate, closed, open } from "./gate.ts";

/** Holds the updates of a paused Deployment: its pods would not get the new image. */
export const askPause: AskGate = ({ record: { observed } }) =>
  observed.paused === true ? closed({ reason: "workload-paused" }) : open;
