/** The folder of the functions' code. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..", "..");
/** The functions of the npm package, beside its construct. A clone has no such folder. */
const packaged = resolve(import.meta.dirname, "functions");

/**
 * Returns the folder of the built functions. A clone builds them in another process, because
 * constructs can't wait for esbuild. Each process builds them once.
 */
export function builtFunctions(): string {
  if (existsSync(packaged)) return packaged;
  const folder = resolve(root, "dist", "functions");
  if (isBuilt) return folder;
  execFileSync(process.execPath, [resolve(root, "tools", "build.ts")], { stdio: ["ignore", "ignore", "inherit"] });
  isBuilt = true;
  return folder;
}

let isBuilt = false;
