import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { Metafile } from "esbuild";

/**
 * What a function loads when it starts: its own file, and what that imports, and so on; not what it
 * may import later.
 */
export interface Closure {
  /** Bytes of all files together, each compressed by itself. */
  readonly gzipBytes: number;
  /** Modules of this project and of packages that went into the files, by their paths. Sorted. */
  readonly modules: readonly string[];
  /** Files that it may import later. */
  readonly later: readonly string[];
}

/** Reads the closure of one built function, `<stage>/<name>`. */
export function closureOf(name: string, { outputs }: Metafile, root: string): Closure {
  const entry = Object.keys(outputs).find((file) => file.endsWith(`/${name}.mjs`));
  if (entry === undefined) throw new Error(`${name} was not built`);
  const files = new Set<string>();
  const follow = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const { path, kind, external } of outputs[file]?.imports ?? [])
      if (kind === "import-statement" && external !== true) follow(path);
  };
  follow(entry);
  const modules = [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
  const imports = [...files].flatMap((file) => (outputs[file]?.imports ?? []).map((one) => ({ ...one, file })));
  return {
    gzipBytes: [...files].reduce((bytes, file) => bytes + gzipSync(readFileSync(resolve(root, file))).length, 0),
    modules: [...new Set(modules)].sort(),
    // What is built apart is named as the file names it.
    later: imports
      .filter(({ kind, path }) => kind === "dynamic-import" && !isBuiltin(path))
      .map(({ path, external, file }) => resolve(root, external === true ? dirname(file) : "", path)),
  };
}
