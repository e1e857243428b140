import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { exitCodes, Failure } from "./failure.ts";
import type { World } from "./world.ts";

/** Reads a file of UTF-8 text. The name `-` means stdin. */
export async function inputText(file: string, world: World): Promise<string> {
  const bytes = file === "-" ? await stdinBytes(world) : await fileBytes(file, world);
  const text = textOf(bytes);
  if (text === undefined) throw new Failure(exitCodes.wrongInput, `${nameOfInput(file)} is not UTF-8 text.`);
  return text;
}

/** Returns a file's name for messages. */
export function nameOfInput(file: string): string {
  return file === "-" ? "stdin" : file;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the text of UTF-8 bytes. Undefined for other bytes. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

async function stdinBytes(world: World): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of world.stdin()) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function fileBytes(file: string, { cwd }: World): Promise<Uint8Array> {
  try {
    return await readFile(resolve(cwd, file));
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const why = reasons[code] ?? `the file can't be read (${code})`;
    throw new Failure(exitCodes.wrongInput, `${file}: ${why}.`, [], { cause: error });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "the file does not exist",
  ENOTDIR: "the file does not exist",
  EISDIR: "the path is a folder",
  EACCES: "you have no right to read the file",
  EPERM: "you have no right to read the file",
};
