/** How much one request to a service takes. */
export interface MostOfRequest {
  readonly entries: number;
  /** Of all entries. */
  readonly bytes: number;
}

/** Puts as many entries into each request as fit, in their order; one that is too large for any has one of its own. */
export function inRequests<Entry>(
  entries: readonly Entry[],
  bytesOf: (entry: Entry) => number,
  most: MostOfRequest,
): readonly (readonly Entry[])[] {
  const requests: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = bytesOf(entry);
    const last = requests.at(-1);
    if (last === undefined || last.length === most.entries || bytes + size > most.bytes) {
      requests.push([entry]);
      bytes = size;
    } else {
      last.push(entry);
      bytes += size;
    }
  }
  return requests;
}
