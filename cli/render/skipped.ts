import type { ImageView } from "#contracts/api/schema";
import { type SkipReason, skipReasons } from "#domain/shared/reasons";

/** The largest count that a server sends. It stands for all larger counts. */
const mostCounted = 10;

/** Returns the skipped tags in words: `3 newer tags skipped: another flavour`. */
export function skippedText({ count, reason }: NonNullable<ImageView["newerSkipped"]>): string {
  const tags = count >= mostCounted ? `${mostCounted} or more newer tags` : counted(count);
  return `${tags} skipped: ${textsOf(reason)?.short ?? reason.replaceAll("-", " ")}`;
}

function counted(count: number): string {
  return count === 1 ? "1 newer tag" : `${count} newer tags`;
}

/** Returns the remedy for a skipped tag where no annotation would help. */
export function skippedRemedy({ reason }: NonNullable<ImageView["newerSkipped"]>): string | undefined {
  return textsOf(reason)?.remedy;
}

/** Returns the texts of a reason. A newer server may send reasons that this version does not know. */
function textsOf(reason: SkipReason): { readonly short: string; readonly remedy: string } | undefined {
  const known: Readonly<Record<string, { readonly short: string; readonly remedy: string }>> = skipReasons;
  return known[reason];
}

/** Returns annotations as lines of a manifest: `lookout.dev/suffixes: revision`. */
export function annotationLines(annotations: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(annotations).map(([key, value]) => `${key}: ${yamlText(value)}`);
}

/** Returns a text as a YAML scalar. Quotes are single, so that a backslash stays as it is. */
function yamlText(value: string): string {
  const isPlain = /^[A-Za-z][\w.-]*$/.test(value) && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(value);
  return isPlain ? value : `'${value.replaceAll("'", "''")}'`;
}
