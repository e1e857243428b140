import { readTimeout, type ReadValue } from "../annotations/setting-values.ts";
import { parseImageReference } from "../image/reference.ts";
import { formatDuration } from "../shared/duration.ts";
import { ok, problem } from "../shared/result.ts";
import { type DurationMs, hours, plus, toIso } from "../shared/time.ts";
import { isHelm, type RestoredDigest } from "../workload/appliers.ts";
import { isSameDigest } from "../workload/repository-digest.ts";
import { isReverting } from "./declared-source.ts";
import { type AskGate, closed, open } from "./gate.ts";
import { gateSetting } from "./gate-setting.ts";

/** What Lookout does after a manifest with an earlier image was applied again. */
export type Reapply =
  /** The update comes again after a time since the apply. */
  | { readonly kind: "after"; readonly time: DurationMs }
  /** The update comes again after `lookout unblock`. */
  | { readonly kind: "ask" };

/** The longest time after which an update comes again. */
const longest = hours(90 * 24);

/** Parses `ask`, or `after` and a duration. */
export const readReapply: ReadValue<Reapply> = (text) => {
  const [, after] = /^after\s+(.*)$/i.exec(text.trim()) ?? [];
  if (/^ask$/i.test(text.trim())) return ok({ kind: "ask" });
  if (after === undefined) return problem('expected "ask", or "after" and a duration: after 1h');
  const time = readTimeout(after);
  if (!time.ok) return problem(`expected a duration above zero: after 1h (${time.problem})`);
  if (time.value > longest) return problem(`expected at most ${formatDuration(longest)}`);
  return ok({ kind: "after", time: time.value });
};

function textOf(reapply: Reapply): string {
  return reapply.kind === "ask" ? "ask" : `after ${formatDuration(reapply.time)}`;
}

/** When an update comes again that an applied manifest took off the object. */
export const reapplySetting = gateSetting({
  key: "reapply",
  isSupported: true,
  parse: readReapply,
  label: "after a manifest is applied again",
  toJson: textOf,
  toText: textOf,
});

/**
 * `helm rollback` looks like `helm upgrade`, so a person decides. Argo CD and Flux would restore the
 * image each time.
 */
function defaultFor({ manager }: RestoredDigest): Reapply {
  return isHelm(manager) || isReverting(manager) ? { kind: "ask" } : { kind: "after", time: hours(1) };
}

/**
 * Holds an update to a digest that an applied manifest took off the object. Its author wrote the
 * same image as before, and so decided nothing about the digest; but may have restored a known-good
 * state. Updates to other digests go on.
 */
export const askReapply: AskGate = ({ record: { restored = [] }, settings, changes, now }) => {
  const closings = changes.flatMap((change) => {
    const one = restored.find(isSameDigest(change));
    return one === undefined ? [] : [closingOf(one, reapplySetting.valueIn(settings.gates) ?? defaultFor(one))];
  });
  const waiting = closings.filter(({ until }) => until === undefined || until > now);
  const last =
    waiting.find(({ until }) => until === undefined) ?? waiting.toSorted((a, b) => (b.until ?? 0) - (a.until ?? 0))[0];
  return last === undefined ? open : closed({ reason: "manifest-applied-again", ...last });
};

function closingOf(restored: RestoredDigest, reapply: Reapply) {
  const { tag, image, manager, at, isDoubtful } = restored;
  const told = `${manager} restored ${tagOf(image)} at ${toIso(at)}`;
  if (isDoubtful) return { detail: `${told}, and the pods of ${tag} were not ready; ${tag} waits for lookout unblock` };
  if (reapply.kind === "ask") return { detail: `${told}; ${tag} waits for lookout unblock` };
  const until = plus(at, reapply.time);
  return { detail: `${told}; ${tag} comes again at ${toIso(until)}`, until };
}

function tagOf(image: string): string {
  const parsed = parseImageReference(image);
  return (parsed.ok ? parsed.value.tag : undefined) ?? image;
}
