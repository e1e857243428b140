/** Some rows of a list, and where to go on. */
interface Page<Row> {
  readonly rows: readonly Row[];
  /** Where the page ends; `next` is absent on the last. */
  readonly end: { readonly next?: string };
}

/** Which rows are asked for. */
interface PageQuery {
  readonly limit: number;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

/** Answers the rows after a place, in the order of their places; a row that went meanwhile leaves its place to go on from. */
export function pageOf<Row>(
  all: readonly Row[],
  placeOf: (row: Row) => string,
  { after, limit }: PageQuery,
): Page<Row> {
  const left = all
    .map((row) => ({ row, place: placeOf(row) }))
    .filter(({ place }) => after === undefined || place > after)
    .sort((one, other) => (one.place < other.place ? -1 : 1));
  const page = left.slice(0, limit);
  const last = page.at(-1);
  return { rows: page.map(({ row }) => row), end: left.length > limit && last ? { next: last.place } : {} };
}
