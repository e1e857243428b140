/** Builds the npm package: the command, the construct with its functions, and the API's client. */
import { execFile } from "node:child_process";
import { cp, glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Metafile } from "esbuild";
import { bundleFunctions } from "#lib/functions/bundle";
import { bundleClient, bundleConstruct, bundleProgram, project } from "./program.ts";
import { writeTypes } from "./types.ts";

/** The name of the package. */
export const packageName = "@lookout-dev/lookout";

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: object;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Returns the package.json of the package. The program is bundled, so only the client has a dependency. */
export function packagedManifest({ version, description, license, engines, ...own }: Manifest): object {
  const { "openapi-fetch": openapiFetch = "" } = own.devDependencies;
  const { "aws-cdk-lib": cdk = "", constructs = "" } = own.devDependencies;
  return {
    name: packageName,
    ...{ version, description, license, engines },
    keywords: ["kubernetes", "image", "update", "eks", "cdk", "gitops"],
    type: "module",
    sideEffects: false,
    bin: { lookout: "bin/lookout.js", "kubectl-lookout": "bin/lookout.js" },
    exports: {
      ".": { types: "./client/index.d.ts", default: "./client/index.js" },
      "./cdk": { types: "./cdk/index.d.ts", default: "./cdk/index.js" },
      "./package.json": "./package.json",
    },
    dependencies: { "openapi-fetch": openapiFetch },
    peerDependencies: { "aws-cdk-lib": `^${cdk}`, constructs: `^${constructs}` },
    // npm would install the CDK's 161 MB for everyone who needs only the command.
    peerDependenciesMeta: { "aws-cdk-lib": { optional: true }, constructs: { optional: true } },
  };
}

/** The files of the project that the package has as they are. */
const copied = ["bin/lookout.js", "README.md", "LICENSE", "CHANGELOG.md", "docs"];

/** Builds the package's folder. Returns what its bundles contain. */
export async function buildPackage(folder: string): Promise<readonly Metafile[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const manifest = JSON.parse(await readFile(join(project, "package.json"), "utf8")) as Manifest;
  await writeFile(
    join(folder, "package.json"),
    `${JSON.stringify(packagedManifest(manifest), undefined, 2)}
`,
  );
  for (const path of copied) await cp(join(project, path), join(folder, path), { recursive: true });
  const bundles = await Promise.all([
    bundleProgram(join(folder, "program")),
    bundleClient(join(folder, "client")),
    bundleConstruct(join(folder, "cdk")),
    bundleFunctions(join(folder, "cdk", "functions")),
  ]);
  // Lambda gets no maps of the functions, and they are larger than the code.
  const functions = join(folder, "cdk", "functions");
  for await (const path of glob("**/*.map", { cwd: functions })) await rm(join(functions, path));
  await writeTypes(folder);
  return bundles;
}

/** Packs the package's folder into a file of another folder, and returns the file's name. */
export async function pack(folder: string, into: string): Promise<string> {
  await mkdir(into, { recursive: true });
  const { stdout } = await promisify(execFile)("npm", ["pack", "--json", "--pack-destination", into], { cwd: folder });
  const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }];
  return filename;
}
