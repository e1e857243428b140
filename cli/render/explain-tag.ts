import type { ElectionView, ExplanationView } from "#contracts/api/workloads";
import { compareVersions, parseVersion } from "#domain/version/version";
import { digestText } from "./image.ts";
import { type Look, paintMark } from "./look.ts";
import { rejectionWords } from "./rejection.ts";
import { relative } from "./time.ts";

/** What there is to say of one tag. */
export interface TagAnswer {
  /** False: the repositories have no such tag. */
  readonly known: boolean;
  /** One sentence per container and refusal. */
  readonly sentences: readonly string[];
}

/** Says why exactly this tag is elected, or not. */
export function explainTag(view: ExplanationView, tag: string, look: Look): TagAnswer {
  const several = view.elections.length > 1;
  const verdicts = view.elections.map((election) => {
    const running = view.workload.runs.find(({ container }) => container === election.container)?.tag;
    const { known, mark, words } = verdictOn(election, tag, running);
    const where = several ? `${election.container}: ` : "";
    return { known, sentence: `${paintMark(mark, look)} ${where}${words}.` };
  });
  const refused = view.refusals
    .filter((refusal) => refusal.tag === tag)
    .map(({ digest, seq, at, why }) => {
      const which = `${tag} @ ${digestText(digest, look)}`;
      return `${paintMark("✗", look)} ${which} was refused by update ${seq}, ${relative(at, look)}: ${why.sentence}`;
    });
  const nothing = `${paintMark("✗", look)} No container of this workload has a policy that elects tags.`;
  const sentences = [...verdicts.map(({ sentence }) => sentence), ...refused];
  return {
    known: refused.length > 0 || verdicts.some(({ known }) => known),
    sentences: sentences.length === 0 ? [nothing] : sentences,
  };
}

interface Verdict {
  readonly known: boolean;
  readonly mark: "✓" | "✗";
  readonly words: string;
}

function verdictOn(election: ElectionView, tag: string, running: string | undefined): Verdict {
  const { policy, outcome } = election;
  if (election.tag === tag) {
    const words =
      outcome === "elected" ? `${tag} is elected by ${policy}` : `${tag} runs, and is what ${policy} elects`;
    return { known: true, mark: "✓", words };
  }
  const because = whyNot(election, tag, running);
  const words = `${tag} is not elected by ${policy}: ${because ?? "the repository has no such tag"}`;
  return { known: because !== undefined, mark: "✗", words };
}

/** Answers undefined for a tag that the repository does not have. */
function whyNot(
  { rejected, why, tag: elected }: ElectionView,
  tag: string,
  running: string | undefined,
): string | undefined {
  const rejection = rejected.find((other) => other.tag === tag);
  if (rejection !== undefined) return `it ${rejectionWords(rejection.reason)}`;
  const downgrade = why?.reason === "would-downgrade";
  if (why !== undefined && why.reason !== "no-tag-fits" && !downgrade) return why.sentence.replace(/\.$/, "");
  // A tag that is neither elected nor rejected fits, and loses to a higher one; were it higher itself, it would be elected.
  const better = elected ?? (downgrade ? running : undefined);
  if (better === undefined || !isLower(tag, better)) return undefined;
  return elected === undefined ? `${better} runs, and is higher` : `${better} fits too, and is higher`;
}

function isLower(tag: string, than: string): boolean {
  const [left, right] = [parseVersion(tag), parseVersion(than)];
  return left !== undefined && right !== undefined && compareVersions(left, right) < 0;
}
