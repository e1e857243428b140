/** The list of the packages that a release contains, in the form of CycloneDX. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Metafile } from "esbuild";
import { project } from "./program.ts";

interface Bom {
  readonly components: readonly { readonly "bom-ref": string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  readonly metadata: { readonly component: { readonly "bom-ref": string } };
}

/** Returns npm's list of all installed packages, without those that no bundle contains. */
export async function partsOf(bundles: readonly Metafile[]): Promise<string> {
  const list = ["sbom", "--sbom-format", "cyclonedx"];
  const { stdout } = await promisify(execFile)("npm", list, { cwd: project, maxBuffer: 100_000_000 });
  const bom = JSON.parse(stdout) as Bom;
  const bundled = await bundledIn(bundles);
  const { "bom-ref": own } = bom.metadata.component;
  const components = bom.components.filter((one) => bundled.has(one["bom-ref"]));
  const dependencies = bom.dependencies
    .filter(({ ref }) => ref === own || bundled.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => bundled.has(one)) }));
  return `${JSON.stringify({ ...bom, components, dependencies }, undefined, 2)}\n`;
}

/** Returns `name@version` of each package with a file in a bundle. */
async function bundledIn(bundles: readonly Metafile[]): Promise<ReadonlySet<string>> {
  const folders = new Set(
    bundles
      .flatMap(({ inputs }) => Object.keys(inputs))
      .flatMap((path) => /^(?:.*[/])?node_modules[/](?:@[^/]+[/])?[^/]+/.exec(path) ?? []),
  );
  const names = [...folders].map(async (folder) => {
    const text = await readFile(join(project, folder, "package.json"), "utf8");
    const { name, version } = JSON.parse(text) as { readonly name: string; readonly version: string };
    return `${name}@${version}`;
  });
  return new Set(await Promise.all(names));
}
