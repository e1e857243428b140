import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";

const page = new URL("../../docs/benchmarks.md", import.meta.url);

/** Says in one paragraph on what was measured, before it is: the machine, how busy it is, Node and the commit. */
export function conditionsOf(note: string | undefined): string {
  const git = (...words: readonly string[]): string =>
    execFileSync("git", words, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", "../../src", "../../functions") === "" ? "" : " with changes";
  const [cpu] = cpus();
  const machine = `${cpus().length} cores (${cpu?.model.trim() ?? "unknown"})`;
  const busy = `load average ${loadavg()[0]?.toFixed(2) ?? "unknown"} at the start`;
  const parts = [
    machine,
    busy,
    `Node ${process.versions.node}`,
    `commit ${git("rev-parse", "--short", "HEAD")}${changed}`,
  ];
  return `${parts.join(", ")}.${note === undefined ? "" : ` ${note}`}`;
}

/** Puts texts between the marks of their names on the page; all else on it stays. */
export async function writePage(texts: Readonly<Record<string, string>>): Promise<void> {
  const before = await readFile(page, "utf8");
  await writeFile(
    page,
    Object.entries(texts).reduce((text, [name, content]) => between(text, name, content), before),
  );
}

function between(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`the page has no ${begin} … ${end}`);
  return `${before}${begin}\n\n${content}\n\n${end}${after}`;
}
