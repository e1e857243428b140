import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { exitCodes, Failure } from "./failure.ts";
import type { World } from "./world.ts";

/** Reads a file, as text; `-` is the input. */
export async function inputText(file: string, world: World): Promise<string> {
  if (file === "-") {
    const pieces: string[] = [];
    for await (const piece of world.stdin()) pieces.push(piece);
    return pieces.join("");
  }
  return readFile(resolve(world.cwd, file), "utf8").catch((error: unknown) => {
    throw new Failure(exitCodes.wrongInput, `${file} can't be read.`, [], { cause: error });
  });
}
