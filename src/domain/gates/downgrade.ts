import { impliedTag, parseImageReference } from "../image/reference.ts";
import { selectTag } from "../policy/policy.ts";
import type { ImageChange } from "../workload/patch.ts";
import { type AskGate, closed, type GatedSettings, open } from "./gate.ts";

/**
 * Holds an update to a lower version, unless the workload allows downgrades.
 *
 * The settings may have changed since the selection, and a stored record may be forged. Only the
 * selection compares the instants of pushes, because an update does not store them.
 */
export const askDowngrade: AskGate = ({ changes, settings, requested }) => {
  if (requested !== undefined) return { kind: "open", detail: `requested by ${requested.by}` };
  const lower = changes.find((change) => isLower(change, settings));
  return lower === undefined
    ? open
    : closed({ reason: "lower-version", detail: `container ${lower.name}: ${lower.from} to ${lower.tag}` });
};

function isLower({ name, from, isFirst, tag }: ImageChange, { containers }: GatedSettings): boolean {
  const rule = containers[name];
  const replaced = parseImageReference(from);
  if (rule === undefined || !replaced.ok || isFirst === true) return false;
  const selection = selectTag(rule, { tag: replaced.value.tag ?? impliedTag }, [tag]);
  return selection.kind === "none" && selection.reason === "would-downgrade";
}
