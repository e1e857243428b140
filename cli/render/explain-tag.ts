import type { SelectionView, ExplanationView } from "#contracts/api/workloads";
import { compareVersions, parseVersion } from "#domain/version/version";
import { digestText } from "./image.ts";
import { type Style, paintMark } from "./style.ts";
import { rejectionRemedy, rejectionText } from "./rejection.ts";
import { relative } from "./time.ts";

interface TagAnswer {
  /** False if no repository of the workload has the tag. */
  readonly known: boolean;
  /** One sentence for each container, and one for each blocked digest of the tag. */
  readonly sentences: readonly string[];
}

/** Returns the reasons why a tag is selected or rejected. */
export function explainTag(view: ExplanationView, tag: string, style: Style): TagAnswer {
  const several = view.selections.length > 1;
  const verdicts = view.selections.map((selection) => {
    const running = view.workload.runs.find(({ container }) => container === selection.container)?.tag;
    const { known, mark, words } = verdictOn(selection, tag, running, style);
    const where = several ? `${selection.container}: ` : "";
    return { known, sentence: `${paintMark(mark, style)} ${where}${words}.` };
  });
  const blocked = view.workload.blocked
    .filter((one) => one.tag === tag)
    .map(({ digest, seq, at, cause }) => {
      const which = `${tag} @ ${digestText(digest, style)}`;
      return `${paintMark("✗", style)} ${which} is blocked since update ${seq}, ${relative(at, style)}: ${cause}.`;
    });
  const nothing = `${paintMark("✗", style)} No container of this workload has a policy that selects tags.`;
  const sentences = [...verdicts.map(({ sentence }) => sentence), ...blocked];
  return {
    known: blocked.length > 0 || verdicts.some(({ known }) => known),
    sentences: sentences.length === 0 ? [nothing] : sentences,
  };
}

interface Verdict {
  readonly known: boolean;
  readonly mark: "✓" | "✗";
  readonly words: string;
}

/** Returns why a policy selects a tag, or does not select it. */
export function verdictOn(selection: SelectionView, tag: string, running: string | undefined, style: Style): Verdict {
  const { policy, outcome } = selection;
  if (selection.tag === tag) {
    const words = outcome === "selected" ? `${policy} selects ${tag}` : `${policy} selects ${tag}, which runs`;
    return { known: true, mark: "✓", words };
  }
  const because = whyNot(selection, tag, running, style);
  const words = `${policy} does not select ${tag}: ${because ?? "the repository does not have this tag"}`;
  return { known: because !== undefined, mark: "✗", words };
}

/**
 * Returns the reason why a tag is not selected; undefined for a tag that is not in the repository.
 */
function whyNot(
  { rejected, why, tag: selected, asked }: SelectionView,
  tag: string,
  running: string | undefined,
  style: Style,
): string | undefined {
  const rejection = rejected.find((other) => other.tag === tag);
  if (rejection !== undefined) return becauseOf(rejection, style);
  const downgrade = why?.reason === "would-downgrade";
  if (why !== undefined && why.reason !== "no-tag-fits" && !downgrade) return why.sentence.replace(/\.$/, "");
  // A tag that is neither selected nor rejected is valid, but a higher tag wins.
  const better = selected ?? (downgrade ? running : undefined);
  if (better === undefined || !isLower(tag, better)) return wouldReject(asked, tag, style);
  return selected === undefined ? `the running tag ${better} is higher` : `the tag ${better} fits too, and is higher`;
}

/** Returns why the policy would reject a tag that the repository does not have. */
function wouldReject(asked: SelectionView["asked"] | undefined, tag: string, style: Style): string | undefined {
  const reason = asked?.tag === tag ? asked.reason : undefined;
  return reason === undefined ? undefined : becauseOf({ tag, reason }, style);
}

function becauseOf(rejection: SelectionView["rejected"][number], style: Style): string {
  return [`it ${rejectionText(rejection, style)}`, ...rejectionRemedy(rejection.reason)].join(". ");
}

function isLower(tag: string, than: string): boolean {
  const left = parseVersion(tag);
  const right = parseVersion(than);
  return left !== undefined && right !== undefined && compareVersions(left, right) < 0;
}
