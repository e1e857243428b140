import type { CheckView } from "#contracts/api/doctor";
import type { CallerSide } from "#runtime/stack";

type Table = Extract<CallerSide["table"], { readonly kind: "settings" }>;

interface Lack {
  readonly lacks: (table: Table) => boolean;
  readonly verdict: "wrong" | "doubtful";
  readonly detail: string;
}

/** What a table may lack, the worst first. */
const lacks: readonly Lack[] = [
  { lacks: ({ streams }) => !streams, verdict: "wrong", detail: "no stream of new items, so no fact is published" },
  {
    lacks: ({ hasDueIndex }) => !hasDueIndex,
    verdict: "wrong",
    detail: "no index of due updates, so no lost update is found",
  },
  { lacks: ({ recovers }) => !recovers, verdict: "doubtful", detail: "no point-in-time recovery" },
  { lacks: ({ expires }) => !expires, verdict: "doubtful", detail: "no expiry, so it grows" },
  { lacks: ({ isProtected }) => !isProtected, verdict: "doubtful", detail: "no protection against deletion" },
];

/**
 * Returns the check of the table. If the caller may not read its settings, the check is `doubtful`, not
 * `wrong`.
 */
export function tableCheck(table: CallerSide["table"]): CheckView {
  const check = "table";
  if (table.kind === "no-table")
    return { check, verdict: "doubtful", detail: "the stack names no table: another version deployed it" };
  if (table.kind !== "settings")
    return {
      check,
      verdict: "doubtful",
      detail: `the settings of the table can't be read: ${table.detail}`,
      remedy: "You need dynamodb:DescribeTable, DescribeTimeToLive and DescribeContinuousBackups on the table.",
    };
  const found = lacks.filter((one) => one.lacks(table));
  const [worst] = found;
  if (worst === undefined)
    return { check, verdict: "well", detail: "the table has its stream, index, expiry, recovery and protection" };
  const detail = `the table ${table.name} has ${found.map((one) => one.detail).join("; ")}`;
  return { check, verdict: worst.verdict, detail, remedy: "The commands are in docs/restore.md." };
}
