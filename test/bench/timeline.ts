import { alignedText } from "../../tools/page-sections.ts";
import type { Passage } from "./one.ts";
import type { TracedRequest } from "./trace.ts";

/** The systems that answer the requests of a push. */
const systems = [
  { name: "API server", matches: /\/apis?\// },
  { name: "registry", matches: /\/v2\// },
] as const;

/** Two tables of the time between webhook and patch. */
export interface Timeline {
  /** The requests of the push whose time is the median. */
  readonly middle: string;
  /** The median time of each system, over all pushes. */
  readonly sums: string;
}

/** Returns the tables of the time of pushes. */
export function timelineOf(requests: readonly TracedRequest[], passages: readonly Passage[]): Timeline {
  const sorted = [...passages].sort((one, other) => one.patched - other.patched);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error("there was no push");
  const lines = within(requests, middle).map(({ from, to, what }) => [
    shortened(what),
    (from - middle.detectedAt).toFixed(1),
    (to - from).toFixed(1),
  ]);
  return {
    middle: alignedText([["request", "begins", "takes"], ...lines]),
    sums: alignedText([["median of all pushes", "requests", "ms"], ...sums(requests, passages)]),
  };
}

function within(requests: readonly TracedRequest[], { detectedAt, patched }: Passage): readonly TracedRequest[] {
  const until = detectedAt + patched;
  return requests
    .filter(({ from, what }) => from >= detectedAt - 1 && from <= until && !what.includes("watch="))
    .map((request) => ({ ...request, to: Math.min(request.to, until) }))
    .sort((one, other) => one.from - other.from);
}

function sums(requests: readonly TracedRequest[], passages: readonly Passage[]): readonly (readonly string[])[] {
  const rows = systems.map(({ name, matches }) => {
    const each = passages.map((passage) => within(requests, passage).filter(({ what }) => matches.test(what)));
    return [name, String(median(each.map(({ length }) => length))), median(each.map(covered)).toFixed(1)];
  });
  const all = passages.map((passage) => covered(within(requests, passage)));
  const own = passages.map(({ patched }, index) => patched - (all[index] ?? 0));
  return [...rows, ["no request open: Lookout itself", "", median(own).toFixed(1)]];
}

/** Returns the time during which at least one request was open. */
function covered(requests: readonly TracedRequest[]): number {
  let [sum, until] = [0, 0];
  for (const { from, to } of requests) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}

function shortened(what: string): string {
  return what
    .replace(/sha256:([0-9a-f]{6})[0-9a-f]*/g, "sha256:$1…")
    .replace(/\/apis\/apps\/v1\/namespaces\/default/, "API server: …")
    .replace(/\/v2\//, "registry: ");
}
