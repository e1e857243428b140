import { type AskGate, closed, open } from "./gate.ts";

/** Holds an update to a digest that is in quarantine. */
export const askQuarantine: AskGate = ({ facts }) => {
  const [first] = facts.quarantined;
  return first === undefined ? open : closed({ reason: "quarantined", detail: `${first.digest}: ${first.why}` });
};
