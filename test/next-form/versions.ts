import { resolve } from "node:path";
import type { Plugin } from "esbuild";

/** A version of Lookout after this one: the one that reads form 2 of records, and the one that writes it. */
export type LaterVersion = "reader" | "writer";

const root = resolve(import.meta.dirname, "..", "..");
const records = resolve(root, "src/stored/records.ts");

/** Returns the plugin that builds a later version: its module is the kind and the forms of records. */
export function laterVersion(version: LaterVersion): Plugin {
  return {
    name: version,
    setup(build) {
      build.onResolve({ filter: /^\.\/(kind|record-shape)\.ts$/ }, ({ importer }) =>
        importer === records ? { path: resolve(import.meta.dirname, `${version}.ts`) } : undefined,
      );
    },
  };
}
