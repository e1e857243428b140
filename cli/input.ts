import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { exitCodes, Failure } from "./failure.ts";
import type { World } from "./world.ts";

/** Reads a file, as text of UTF-8; `-` is the input. */
export async function inputText(file: string, world: World): Promise<string> {
  const bytes = file === "-" ? await inputBytes(world) : await readFile(resolve(world.cwd, file)).catch(cantRead(file));
  const text = textOf(bytes);
  if (text === undefined) throw new Failure(exitCodes.wrongInput, `${nameOfInput(file)} is not text in UTF-8.`);
  return text;
}

/** What a file is called in messages; `-` is the input. */
export function nameOfInput(file: string): string {
  return file === "-" ? "the input" : file;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined for bytes that are not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

async function inputBytes(world: World): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of world.stdin()) pieces.push(piece);
  return Buffer.concat(pieces);
}

function cantRead(file: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    const { code = "" } = error;
    const why = reasons[code] ?? `it can't be read (${code})`;
    throw new Failure(exitCodes.wrongInput, `${file}: ${why}.`, [], { cause: error });
  };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a folder, and not a file",
  EACCES: "you have no right to read it",
  EPERM: "you have no right to read it",
};
