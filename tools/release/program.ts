/** Bundles the command: as modules for the npm package, and as one script for the executable. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { build, type BuildOptions, type Metafile } from "esbuild";
import { requireForCommonJs } from "#lib/functions/bundle";

/** The project's folder. */
export const project = resolve(import.meta.dirname, "..", "..");

const bundled = {
  absWorkingDir: project,
  bundle: true,
  metafile: true,
  minify: true,
  legalComments: "none",
  platform: "node",
  target: "node24",
  mainFields: ["module", "main"],
  logLevel: "warning",
  sourcesContent: false,
} as const satisfies BuildOptions;

/**
 * Builds `<folder>/main.js`, which exports `main`, with chunks that each command loads when it needs
 * them. Maps have no sources.
 */
export async function bundleProgram(folder: string): Promise<Metafile> {
  await rm(folder, { recursive: true, force: true });
  const { metafile } = await build({
    ...bundled,
    entryPoints: ["cli/main.ts"],
    outdir: folder,
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    sourcemap: true,
    banner: { js: requireForCommonJs },
  });
  await dropMapsOfLibraries(metafile);
  return metafile;
}

/** Removes the maps of chunks that have only libraries: a third of all maps, and no trace of them leads to our code. */
async function dropMapsOfLibraries({ outputs }: Metafile): Promise<void> {
  for (const [path, { inputs }] of Object.entries(outputs)) {
    if (path.endsWith(".map") || Object.keys(inputs).some((input) => !input.includes("node_modules/"))) continue;
    const file = resolve(project, path);
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace(/\n\/\/# sourceMappingURL=.*\n?$/, "\n"));
    await rm(`${file}.map`, { force: true });
  }
}

/** Builds one script without modules that runs the command. A single executable needs this form. */
export async function bundleScript(file: string): Promise<Metafile> {
  const contents = `
    import { main } from "./cli/main.ts";
    main(process.argv.slice(2)).then((code) => { process.exitCode = code; });
  `;
  const { metafile } = await build({
    ...bundled,
    stdin: { contents, resolveDir: project, sourcefile: "executable.ts", loader: "ts" },
    outfile: file,
    format: "cjs",
    // Node's own modules are absent from import.meta in this format.
    logOverride: { "empty-import-meta": "error" },
  });
  return metafile;
}

/** Builds `<folder>/index.js` of the construct. The CDK app brings aws-cdk-lib and constructs. */
export async function bundleConstruct(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    ...bundled,
    entryPoints: ["lib/index.ts"],
    outdir: folder,
    format: "esm",
    sourcemap: true,
    external: ["aws-cdk-lib", "constructs", "@aws-cdk/*", "esbuild"],
    banner: { js: requireForCommonJs },
  });
  return metafile;
}

/** Builds `<folder>/index.js` of the API's client. */
export async function bundleClient(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    ...bundled,
    entryPoints: ["client/index.ts"],
    outdir: folder,
    format: "esm",
    minify: false,
    external: ["openapi-fetch"],
  });
  return metafile;
}
