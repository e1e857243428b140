/** Builds the code of the functions: one folder with all of them. */
import { readFile, rm } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { relative, resolve } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import { functionName, type Route, routes, type Trigger } from "#contracts/routes";

const root = resolve(import.meta.dirname, "..");

/**
 * Builds every function of the route table into a folder: `<outdir>/<stage>/<name>.mjs`, which exports `handler`. What was in the folder is
 * removed. Paths are relative to the project in what it answers.
 *
 * Each is built by itself: built together, each would load what any other needs of a module that they share, and the AWS clients share
 * large ones. What is imported lazily is in chunks beside them.
 *
 * @returns what went into which file.
 */
export async function bundleFunctions(outdir: string): Promise<Metafile> {
  await rm(outdir, { recursive: true, force: true });
  const lazy = new Set<string>();
  const functions = await Promise.all(
    routes.map((route) => bundle(functionName(route), entryOf(route), { outdir, lazy })),
  );
  const later = await Promise.all(
    [...lazy].map((name) => bundle(fileOf(name), `export * from ${JSON.stringify(name)};`, { outdir, lazy })),
  );
  const all = [...functions, ...later];
  return {
    inputs: Object.assign({}, ...all.map(({ inputs }) => inputs)) as Metafile["inputs"],
    outputs: Object.assign({}, ...all.map(({ outputs }) => outputs)) as Metafile["outputs"],
  };
}

/** What the AWS clients bring for elsewhere, and what takes its place. */
const replaced = {
  "@aws-sdk/credential-provider-node": resolve(root, "src/runtime/lambda/credentials.ts"),
  "@aws-sdk/endpoint-cache": resolve(root, "src/runtime/lambda/endpoint-cache.ts"),
  "@smithy/core/event-streams": resolve(root, "src/runtime/lambda/event-streams.ts"),
};

/** The same of their single files: functions have no folder with profiles, and no request has a file for its body. Both load much of Node. */
const forElsewhere: Plugin = {
  name: "for-elsewhere",
  setup(build) {
    build.onLoad({ filter: /[/]shared-ini-file-loader[/]readFile[.]js$/ }, () => ({
      contents: `export * from ${JSON.stringify(resolve(root, "src/runtime/lambda/profiles.ts"))};`,
      resolveDir: root,
    }));
    build.onLoad({ filter: /[/]calculateBodyLength[.]js$/ }, async ({ path }) => ({
      contents: await readFile(path.replace(/js$/, "browser.js"), "utf8"),
    }));
  },
};

interface Target {
  readonly outdir: string;
  /** Takes the names of what is imported lazily and built {@link apart}. */
  readonly lazy: Set<string>;
}

async function bundle(file: string, contents: string, { outdir, lazy }: Target): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { [file]: "entry" },
    plugins: [entry(contents), lazily(lazy), besideTheEntry, forElsewhere, ofNode, versionsAlone],
    alias: replaced,
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
    // undici is CommonJS and requires Node's modules.
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
    platform: "node",
    target: "node24",
    mainFields: ["module", "main"],
    metafile: true,
    logLevel: "error",
  });
  return metafile;
}

/** Gives esbuild a module that is no file. */
function entry(contents: string): Plugin {
  return {
    name: "entry",
    setup(build) {
      build.onResolve({ filter: /^entry$/ }, () => ({ path: "entry", namespace: "entry" }));
      build.onLoad({ filter: /.*/, namespace: "entry" }, () => ({ contents, resolveDir: root }));
    },
  };
}

/** Imported lazily, and of a client that speaks another protocol than those of most functions: its part of what they share is large. */
const apart: ReadonlySet<string> = new Set(["#adapters/scheduler/one-shot", "#adapters/sts/assumed-role"]);

/** Leaves {@link apart} to a build of its own where it is imported lazily. */
function lazily(found: Set<string>): Plugin {
  return {
    name: "lazily",
    setup(build) {
      build.onResolve({ filter: /^#/ }, ({ path, kind }) => {
        if (kind !== "dynamic-import" || !apart.has(path)) return undefined;
        found.add(path);
        // Functions and chunks are one folder deep.
        return { path: `../${fileOf(path)}.mjs`, external: true };
      });
    },
  };
}

/**
 * Lets what is imported lazily import the function too, which is there already. Then all that a function starts with is reached by the same
 * imports, and esbuild puts it into one chunk: each file that Node finds and reads takes as long as ten kilobytes more in it.
 */
const besideTheEntry: Plugin = {
  name: "beside-the-entry",
  setup(build) {
    build.onResolve({ filter: /.*/ }, async ({ path, kind, resolveDir }) => {
      // Data imports nothing that could be shared.
      if (kind !== "dynamic-import" || isBuiltin(path) || path.endsWith(".json")) return undefined;
      const found = await build.resolve(path, { kind: "import-statement", resolveDir });
      return { path: relative(root, found.path), namespace: "lazy", errors: found.errors };
    });
    build.onLoad({ filter: /.*/, namespace: "lazy" }, ({ path }) => ({
      contents: `import "entry"; export * from ${JSON.stringify(`./${path}`)};`,
      resolveDir: root,
    }));
  },
};

function fileOf(lazy: string): string {
  return `lazy/${lazy.slice(1).replaceAll("/", "-")}`;
}

/**
 * Of Node's own modules only that is read which a function uses. An import as it stands reads each of their exports, and some load what is
 * behind them when they are read: with node:http comes all of fetch.
 */
const ofNode: Plugin = {
  name: "of-node",
  setup(build) {
    build.onResolve({ filter: /^[a-z:/_]+[0-9]?$/ }, ({ path, kind }) =>
      kind === "import-statement" && isBuiltin(path) ? { path, namespace: "of-node" } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "of-node" }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path) as object);
      return {
        contents: [
          `const it = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`,
          "export default it;",
          ...names.map(
            (name) => `const $${name} = /* @__PURE__ */ (() => it.${name})();\nexport { $${name} as ${name} };`,
          ),
        ].join("\n"),
      };
    });
  },
};

/** The AWS clients tell their version, and import all of their package.json for it. */
const versionsAlone: Plugin = {
  name: "versions-alone",
  setup(build) {
    build.onLoad({ filter: /@aws-sdk[/]client-[^/]+[/]package[.]json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, "utf8")) as { readonly version: string };
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
  },
};

/** The module that Lambda loads: the function, the shell of its trigger, and what its route calls for. */
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

/** The files of src/runtime/lambda/wiring that a route calls for. */
function partsOf(route: Route): readonly string[] {
  const { emits, seldom = [], reaches } = route;
  const published = emits.filter((name) => name === "ImagePushed" || name === "facts");
  return [
    ...(["queue", "changes"].includes(shellOf(route.trigger)) ? ["own-queue"] : []),
    ...(published.length > 0 ? [seldom.includes("events") ? "seldom-bus" : "bus"] : []),
    ...(emits.length > published.length ? [seldom.includes("commands") ? "seldom-queues" : "queues"] : []),
    ...(readsTable(reaches) ? ["table"] : []),
    ...(reaches.includes("ledger") ? ["ledger"] : []),
    ...clustersPart(reaches),
    ...(reaches.includes("registries") ? ["registries"] : []),
    ...(reaches.includes("receivers") ? ["receivers"] : []),
  ];
}

/** Who reaches none still knows their names, of which some stand in the table. */
function clustersPart(reaches: Route["reaches"]): readonly string[] {
  if (reaches.includes("clusters")) return ["clusters"];
  return readsTable(reaches) ? ["cluster-names"] : [];
}

function readsTable(reaches: Route["reaches"]): boolean {
  return reaches.includes("table") || reaches.includes("table-read");
}

function camelCase(file: string): string {
  return file.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
