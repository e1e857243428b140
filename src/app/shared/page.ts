/** A page of a list, and the place of the next page. */
interface Page<Row> {
  readonly rows: readonly Row[];
  /**
   * The place of the last row, after which the next page starts. `next` is absent on the last page.
   */
  readonly end: { readonly next?: string };
}

/** The size of a page, and the place after which it starts. */
interface PageQuery {
  readonly limit: number;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
}

/** Returns the rows after a place, sorted by place. The row at this place may be missing. */
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
