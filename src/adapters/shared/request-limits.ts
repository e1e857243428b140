/**
 * Splits entries into requests, in order. `most` is the limit of one request. An entry above the
 * limit gets its own request.
 */
export function inRequests<Entry>(
  entries: readonly Entry[],
  bytesOf: (entry: Entry) => number,
  most: { readonly entries: number; readonly bytes: number },
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
