/** Builds the code of the functions: one folder with all of them. */
import { resolve } from "node:path";
import { build, type Metafile } from "esbuild";
import { functionName, routes } from "#contracts/routes";

const root = resolve(import.meta.dirname, "..");

/**
 * Builds every function of the route table into a folder: `<outdir>/<stage>/<name>.mjs`, which exports `handler`.
 *
 * @returns what went into which file.
 */
export async function bundleFunctions(outdir: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(
      routes.map((route) => [functionName(route), `functions/${functionName(route)}.ts`]),
    ),
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    minify: true,
    sourcemap: "external",
    format: "esm",
    platform: "node",
    target: "node24",
    mainFields: ["module", "main"],
    metafile: true,
    logLevel: "error",
  });
  return metafile;
}
