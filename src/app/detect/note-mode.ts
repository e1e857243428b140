import { observesText } from "#domain/gates/observe";
import { noteAct } from "../shared/acts.ts";
import type { Ports } from "../shared/ports.ts";

/**
 * Stores in the history that a change of `lookout.yaml` changed where Lookout observes. Its next run
 * after the change finds it, a minute later at most.
 */
export async function noteMode(ports: Pick<Ports, "rules" | "knownMode" | "history" | "clock">): Promise<void> {
  const { rules, knownMode, clock } = ports;
  const observes = observesText(rules.observe);
  const before = await knownMode.read();
  if (before === observes) return;
  const detail = `Lookout observes ${observes}; before, it observed ${before ?? "nowhere"}`;
  const act = { what: "change-mode", at: clock.now(), scope: "*", detail } as const;
  if (before !== undefined) await noteAct(act, { by: "lookout.yaml" }, ports);
  await knownMode.write(observes);
}
