/** Builds the code of all functions into one folder. */
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { build, type BuildOptions, type Metafile } from "esbuild";
import { functionName, publishes, type Route, routes, sentCommands, type Trigger } from "#contracts/routes";

const root = resolve(import.meta.dirname, "..", "..");

/**
 * Builds every function of the route table to `<outdir>/<stage>/<name>.mjs`, which exports
 * `handler`. The build empties the folder first. Each function has its own build, because shared
 * chunks would contain the AWS clients of all functions.
 *
 * @returns esbuild's inputs and outputs, with paths relative to the project.
 */
export async function bundleFunctions(outdir: string): Promise<Metafile> {
  await rm(outdir, { recursive: true, force: true });
  const built = await Promise.all(routes.map((route) => bundle(route, outdir)));
  return {
    inputs: Object.assign({}, ...built.map(({ inputs }) => inputs)) as Metafile["inputs"],
    outputs: Object.assign({}, ...built.map(({ outputs }) => outputs)) as Metafile["outputs"],
  };
}

/**
 * The code that defines `require` in each built module. CommonJS packages load Node's modules with
 * `require`, which ES modules lack.
 */
export const requireForCommonJs = `const require = process.getBuiltinModule("module").createRequire(import.meta.url);`;

/** The options of esbuild that make modules for Lambda. */
export const bundling = {
  outExtension: { ".js": ".mjs" },
  banner: { js: requireForCommonJs },
  bundle: true,
  splitting: true,
  minify: true,
  legalComments: "none",
  format: "esm",
  platform: "node",
  target: "node24",
  mainFields: ["module", "main"],
  logLevel: "error",
} as const satisfies BuildOptions;

async function bundle(route: Route, outdir: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    stdin: { contents: entryOf(route), resolveDir: root, sourcefile: functionName(route) },
    entryNames: functionName(route),
    chunkNames: "chunks/[name]-[hash]",
    outdir,
    sourcemap: "external",
    sourcesContent: false,
    metafile: true,
    ...bundling,
  });
  return metafile;
}

/**
 * Returns the source of the module that Lambda loads: the function, its trigger's shell and its
 * route's wiring.
 */
export function entryOf(route: Route): string {
  const name = functionName(route);
  const shell = shellOf(route.trigger);
  const parts = partsOf(route);
  return [
    `import { handler as run } from "#functions/${name}";`,
    `import { ${shell}Shell } from "#runtime/lambda/${shell}";`,
    ...parts.map(({ part, file }) => `import { ${part} } from "#runtime/lambda/wiring/${file}";`),
    `export const handler = ${shell}Shell(run, {`,
    `  name: ${JSON.stringify(name)},`,
    `  folder: import.meta.dirname + "/..",`,
    `  parts: [${parts.map(({ part }) => part).join(", ")}],`,
    `});`,
  ].join("\n");
}

/** Returns the file of src/runtime/lambda that runs functions of a trigger. */
function shellOf({ kind }: Trigger): "queue" | "schedule" | "changes" | "request" {
  switch (kind) {
    case "command":
    case "event":
    case "dead-letter":
      return "queue";
    case "schedule":
    case "changes":
      return kind;
    case "http":
      return "request";
  }
}

/** Returns the parts that a route needs, each with its file in src/runtime/lambda/wiring. */
function partsOf(route: Route): readonly { readonly part: string; readonly file: string }[] {
  const { trigger, reaches } = route;
  const shell = shellOf(trigger);
  const reachesTable = reaches.includes("table") || reaches.includes("table-read");
  const reachesClusters = reaches.includes("clusters");
  return [
    { part: "ownQueue", file: "own-queue", isNeeded: shell === "queue" || shell === "changes" },
    { part: "bus", file: "bus", isNeeded: publishes(route) },
    { part: "queues", file: "queues", isNeeded: sentCommands(route).length > 0 },
    { part: "table", file: "table", isNeeded: reachesTable },
    { part: "ledger", file: "table", isNeeded: reaches.includes("ledger") },
    { part: "tiers", file: "table", isNeeded: reaches.includes("tiers") },
    { part: "clusters", file: "clusters", isNeeded: reachesClusters },
    // Functions that check freezes or sweep repositories need the names of clusters that they do
    // not reach.
    { part: "clusterNames", file: "cluster-names", isNeeded: reachesTable && !reachesClusters },
    { part: "registries", file: "registries", isNeeded: reaches.includes("registries") },
    { part: "receivers", file: "receivers", isNeeded: reaches.includes("receivers") },
    { part: "told", file: "channels", isNeeded: reaches.includes("told") },
    { part: "channels", file: "channels", isNeeded: reaches.includes("channels") },
    { part: "checks", file: "checks", isNeeded: reaches.includes("checks") },
  ].filter(({ isNeeded }) => isNeeded);
}
