import { execFileSync } from "node:child_process";
import { cpus, loadavg } from "node:os";

/**
 * Returns a paragraph about the machine, its load, Node and the commit. Call it before measuring.
 */
export function conditionsOf(note: string | undefined): string {
  const git = (...words: readonly string[]): string =>
    execFileSync("git", words, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", "../../src", "../../functions") === "" ? "" : " with changes";
  const [cpu] = cpus();
  const machine = `${cpus().length} × ${cpu?.model.trim() ?? "unknown"}`;
  const busy = `load ${loadavg()[0]?.toFixed(2) ?? "unknown"}`;
  const parts = [
    machine,
    busy,
    `Node ${process.versions.node}`,
    `commit ${git("rev-parse", "--short", "HEAD")}${changed}`,
  ];
  return `${parts.join(", ")}.${note === undefined ? "" : ` ${note}`}`;
}
