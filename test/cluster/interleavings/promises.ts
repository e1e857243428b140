import type { Fields } from "#test/model/history/fields";
import { imagesIn } from "#test/model/history/fields";
import { idOf, objectJudge } from "#test/model/judge/object-writes";
import type { Step } from "./lost-edits.ts";

/** The change of an update to the pod template. */
type Apply = "pin" | "restart";

/** Returns the forbidden changes of a Lookout to an object, as sentences. */
export function broken(steps: readonly Step[], apply: Apply): readonly string[] {
  const wrong: string[] = [];
  const judge = objectJudge((rule, what) => wrong.push(`${rule}: ${what}`));
  // No program knows an image of a state that no program has read.
  let known = true;
  for (const [index, { before, after, paths, act }] of steps.entries()) {
    // The judge knows all writers, so a step without an author is a fault of the recording.
    if (index > 0 && act === undefined) wrong.push(`nobody wrote ${paths.join(", ")} at ${after.resourceVersion}`);
    if (before === undefined) {
      judge.recreated(workload);
      known = index === 0;
      continue;
    }
    const [from, shown] = [imageIn(before.fields), imageIn(after.fields)];
    if (act?.updateLabel === undefined) {
      if (shown !== from) judge.userMoved({ workload, container: "app", from, chosen: [idOf(shown)], known });
      continue;
    }
    known = true;
    judge.lookoutWrote({
      workload,
      updateLabel: act.updateLabel,
      before: before.fields,
      after: after.fields,
      images: [{ name: "app", from, to: apply === "pin" ? shown : from }],
      changes: [{ name: "app", to: shown, digest: idOf(shown) }],
      restarts: apply === "restart",
    });
  }
  return wrong;
}

const workload = "it";

/** Returns the image of the container `app`; empty without an image. */
export function imageIn(fields: Fields): string {
  return imagesIn(fields).get("app") ?? "";
}
