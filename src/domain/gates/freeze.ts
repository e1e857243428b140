import { freezeScopeText, freezesOn } from "./freezes.ts";
import { type AskGate, closed, open } from "./gate.ts";

/**
 * Holds an update while a freeze covers its workload. `until` is the end of the freeze that ends
 * last.
 */
export const askFreezes: AskGate = ({ record, now, facts }) => {
  const frozen = freezesOn(facts, record.workload, now).toSorted(
    (one, other) => (other.until ?? Infinity) - (one.until ?? Infinity),
  );
  const [longest] = frozen;
  if (longest === undefined) return open;
  const detail = frozen.map(({ scope, why, by }) => `${freezeScopeText(scope)}: ${why}, by ${by}`).join("; ");
  return closed({
    reason: "planned" in longest ? "planned-freeze" : "frozen",
    detail,
    ...(longest.until === undefined ? {} : { until: longest.until }),
  });
};
