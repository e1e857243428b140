/**
 * Returns the bytes of a body, or undefined for a body above the limit. The rest of such a body is
 * not read.
 */
export async function readUpTo(limitBytes: number, body: AsyncIterable<Uint8Array>): Promise<Buffer | undefined> {
  const content = await readWithin(limitBytes, body, () => undefined);
  return content === "too-large" ? undefined : content;
}

/**
 * Returns the bytes of a body, `too-large`, or the refusal of `grew`. The rest of such a body is not
 * read.
 *
 * @param grew - gets the size before more bytes are kept.
 */
export async function readWithin<Refusal>(
  limitBytes: number,
  body: AsyncIterable<Uint8Array>,
  grew: (bytes: number) => Refusal | undefined,
): Promise<Buffer | "too-large" | Refusal> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limitBytes) return "too-large";
    const refusal = grew(size);
    if (refusal !== undefined) return refusal;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
