import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { exitCodes, Failure } from "./failure.ts";

/**
 * Writes a file atomically, with rights for its owner only.
 *
 * @param confirm - runs before the file gets its name. If it throws, nothing is written.
 * @throws Failure if the file can't be written, or the Failure of the pieces. No draft remains.
 */
export async function writeWhole(
  path: string,
  pieces: AsyncIterable<string | Uint8Array>,
  confirm: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  // The name is random, so that no other user can create a link at this path first.
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(pieces);
      await file.sync();
    } finally {
      await file.close();
    }
    await confirm();
    await rename(draft, path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new Failure(exitCodes.wrongInput, `${path} can't be written (${code}).`, [], { cause: error });
  } finally {
    await rm(draft, { force: true });
  }
}
