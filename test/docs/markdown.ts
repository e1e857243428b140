import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The folder of the project. */
export const project = resolve(import.meta.dirname, "../..");

/** One page of the documentation: where it is, and what it says. */
export interface Page {
  /** `docs/local.md`. */
  readonly path: string;
  readonly text: string;
}

/** A fenced block, and where it begins. */
export interface Block {
  /** `docs/local.md:12`. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
}

/** Reads every page of the documentation. */
export function pages(): readonly Page[] {
  const docs = readdirSync(join(project, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
  return ["README.md", "CONTRIBUTING.md", ...docs.sort()].map(page);
}

/** Reads one page. */
export function page(path: string): Page {
  return { path, text: readFileSync(join(project, path), "utf8") };
}

/** Lists the fenced blocks of a page in their order. */
export function blocksOf({ path, text }: Page): readonly Block[] {
  return [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: language = "", 2: body = "" }) => ({
    place: `${path}:${text.slice(0, index).split("\n").length}`,
    language,
    text: body,
  }));
}

/** Answers a page without its fenced blocks. */
export function proseOf({ text }: Page): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, "");
}
