import { reasons } from "#domain/shared/reasons";
import { notificationRefusals, requestRefusals } from "#domain/shared/refusals";
import type { ProblemMembers, ProblemView } from "./api/schema.ts";
import { type RefusalCode, refusalStatuses } from "./refusals.ts";

const texts: Readonly<Record<RefusalCode, { readonly sentence: string; readonly remedy: string }>> = {
  ...reasons,
  ...notificationRefusals,
  ...requestRefusals,
};

/** The media type of a problem: https://www.rfc-editor.org/rfc/rfc9457 */
export const problemType = "application/problem+json";

/**
 * Returns the problem of a refused request. Its `type` is a tag URI, because no page describes the
 * problem.
 */
export function problemOf(code: RefusalCode, detail: string, members: ProblemMembers = {}): ProblemView {
  const { sentence, remedy } = texts[code];
  const type = `tag:lookout.dev,2026:problem:${code}`;
  return { type, title: sentence, status: refusalStatuses[code], detail, code, remedy, ...members };
}
