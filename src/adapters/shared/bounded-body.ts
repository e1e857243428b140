/**
 * Returns the bytes of a body, or undefined for a body above the limit. The rest of such a body is
 * not read.
 */
export async function readUpTo(limitBytes: number, body: AsyncIterable<Uint8Array>): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
