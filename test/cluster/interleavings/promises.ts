import { updateLabelKey } from "#domain/workload/workload";
import type { Fields } from "#test/model/history/fields";
import type { Step } from "./lost-edits.ts";

/** What an update changes of the pod template. */
type Apply = "pin" | "restart";

const image = /(^|\/)template\/spec\/containers\/app\/image$/;

const updated = {
  pin: image,
  restart: /(^|\/)template\/metadata\/annotations\/kubectl\.kubernetes\.io\/restartedAt$/,
} as const;

/** Answers what a Lookout did to an object that it must never do, in words. */
export function broken(steps: readonly Step[], apply: Apply): readonly string[] {
  return [...unexplained(steps), ...strayed(steps, apply), ...twice(steps), ...suspended(steps), ...putBack(steps)];
}

/** The image of the container `app`, as the field has it. */
export function imageIn(fields: Fields): string {
  const [, text = ""] = [...fields].find(([path]) => image.test(path)) ?? [];
  return text;
}

/** The judge knows everybody: what nobody wrote but the beginning would be a hole in the evidence. */
function unexplained(steps: readonly Step[]): readonly string[] {
  return steps
    .slice(1)
    .filter(({ act }) => act === undefined)
    .map(({ paths, after }) => `nobody wrote ${paths.join(", ")} at ${after.resourceVersion}`);
}

/** S8: everything else of the object is what the others wrote last. */
function strayed(steps: readonly Step[], apply: Apply): readonly string[] {
  const mayWrite = (path: string): boolean =>
    updated[apply].test(path) ||
    path === `labels/${updateLabelKey}` ||
    path.startsWith("annotations/lookout.dev/status.");
  return ofLookout(steps).flatMap(({ updateLabel, step }) => {
    const paths = step.paths.filter((path) => !mayWrite(path));
    return paths.length === 0 ? [] : [`${updateLabel} changed ${paths.join(", ")}`];
  });
}

/** S7: the label becomes an update's at most once. */
function twice(steps: readonly Step[]): readonly string[] {
  const labels = ofLookout(steps).map(({ updateLabel }) => updateLabel);
  return labels
    .filter((updateLabel, index) => labels.indexOf(updateLabel) < index)
    .map((updateLabel) => `the label became ${updateLabel} twice`);
}

/** Of S12 what the object shows: nothing goes forward while it is suspended. */
function suspended(steps: readonly Step[]): readonly string[] {
  return ofLookout(steps)
    .filter(({ updateLabel, step }) => !updateLabel.endsWith("-back") && suspends(step))
    .map(({ updateLabel }) => `${updateLabel} was written while the workload was suspended`);
}

const suspends = ({ before }: Step): boolean => before?.fields.get("annotations/lookout.dev/suspend") === "true";

/**
 * S2: nothing that a person moved an object off. What one Lookout had put there is not known to another, and what stood only on an object
 * that no program had read is known to none.
 */
function putBack(steps: readonly Step[]): readonly string[] {
  const wrong: string[] = [];
  const left = new Map<string, string | undefined>();
  let putBy: string | undefined;
  let known = true;
  for (const [index, { before, after, act }] of steps.entries()) {
    const shown = imageIn(after.fields);
    if (before === undefined) {
      left.clear();
      known = index === 0;
      putBy = undefined;
    } else if (act?.updateLabel !== undefined) {
      const who = installationOf(act.updateLabel);
      if (left.has(shown) && (left.get(shown) ?? who) === who)
        wrong.push(`${act.updateLabel} put back ${shown}, off which a person had moved it`);
      known = true;
      putBy = who;
    } else if (shown !== imageIn(before.fields)) {
      if (known) left.set(imageIn(before.fields), putBy);
      left.delete(shown);
      putBy = undefined;
    }
  }
  return wrong;
}

const installationOf = (updateLabel: string): string => updateLabel.replace(/-.*/, "");

function ofLookout(steps: readonly Step[]): readonly { readonly updateLabel: string; readonly step: Step }[] {
  return steps.flatMap((step) =>
    step.act?.updateLabel === undefined ? [] : [{ updateLabel: step.act.updateLabel, step }],
  );
}
