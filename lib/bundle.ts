/** Builds the code of the functions: one folder with all of them. */
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import { type FunctionName, functionName, type Route, routes, type Trigger } from "#contracts/routes";

const root = resolve(import.meta.dirname, "..");
const namespace = "function";

/**
 * Builds every function of the route table into a folder: `<outdir>/<stage>/<name>.mjs`, which exports `handler`. What was in the folder is
 * removed. Paths are relative to the project in what it answers.
 *
 * Code that several functions have is in chunks beside them. What is imported lazily, as the credential providers of the AWS clients, is in
 * chunks of its own, which a function on Lambda never reads.
 *
 * @returns what went into which file.
 */
export async function bundleFunctions(outdir: string): Promise<Metafile> {
  await rm(outdir, { recursive: true, force: true });
  const built = await Promise.all(routes.map((route) => bundle(functionName(route), outdir)));
  return {
    inputs: Object.assign({}, ...built.map(({ inputs }) => inputs)) as Metafile["inputs"],
    outputs: Object.assign({}, ...built.map(({ outputs }) => outputs)) as Metafile["outputs"],
  };
}

async function bundle(name: FunctionName, outdir: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { [name]: `${namespace}:${name}` },
    plugins: [entries],
    outdir,
    outExtension: { ".js": ".mjs" },
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    sourcemap: "external",
    sourcesContent: false,
    legalComments: "none",
    format: "esm",
    platform: "node",
    target: "node24",
    mainFields: ["module", "main"],
    metafile: true,
    logLevel: "error",
  });
  return metafile;
}

/** Makes the module that Lambda loads of each route: the function, the shell of its trigger, and what its route calls for. */
const entries: Plugin = {
  name: "entries",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${namespace}:`) }, ({ path }) => ({
      path: path.slice(namespace.length + 1),
      namespace,
    }));
    onLoad({ filter: /.*/, namespace }, ({ path }) => {
      const route = routes.find((candidate) => functionName(candidate) === path);
      return route === undefined
        ? { errors: [{ text: `no route is called ${path}` }] }
        : { contents: entryOf(route), resolveDir: root };
    });
  },
};

function entryOf(route: Route): string {
  const shell = shellOf(route.trigger);
  const parts = partsOf(route);
  return [
    `import { handler as run } from "#functions/${functionName(route)}";`,
    `import { ${shell}Shell } from "#runtime/lambda/${shell}";`,
    ...parts.map((file) => `import { ${camelCase(file)} } from "#runtime/lambda/wiring/${file}";`),
    `export const handler = ${shell}Shell(run, {`,
    `  name: ${JSON.stringify(functionName(route))},`,
    `  folder: import.meta.dirname + "/..",`,
    `  parts: [${parts.map(camelCase).join(", ")}],`,
    `});`,
  ].join("\n");
}

/** The file of src/runtime/lambda that runs functions of a trigger. */
function shellOf({ kind }: Trigger): "queue" | "schedule" | "changes" | "request" {
  switch (kind) {
    case "command":
    case "event":
    case "given-up":
      return "queue";
    case "schedule":
    case "changes":
      return kind;
    case "http":
      return "request";
  }
}

/** The files of src/runtime/lambda/wiring that a route calls for. The table is in every function. */
function partsOf(route: Route): readonly string[] {
  const { emits, reaches } = route;
  const published = emits.filter((name) => name === "ImagePushed" || name === "facts");
  return [
    ...(shellOf(route.trigger) === "queue" ? ["own-queue"] : []),
    ...(published.length > 0 ? ["bus"] : []),
    ...(emits.length > published.length ? ["queues"] : []),
    // Who reaches none still knows their names.
    ...(reaches.includes("clusters") ? ["clusters"] : ["cluster-names"]),
    ...(reaches.includes("registries") ? ["registries"] : []),
    ...(reaches.includes("receivers") ? ["receivers"] : []),
  ];
}

function camelCase(file: string): string {
  return file.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
