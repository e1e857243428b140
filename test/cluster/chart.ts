import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import { run } from "./bed/processes.ts";
import { programPath } from "./bed/programs.ts";

const project = join(import.meta.dirname, "../..");
/** The folder of the Helm chart. */
export const chart = join(project, "deploy/chart");

/** An object that the chart renders. */
export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [key: string]: unknown;
}

/** Runs Helm. Rejects with its message. */
export function helm(words: readonly string[], kubeconfig = "/dev/null"): Promise<string> {
  return run(programPath("helm4"), words, { environment: { KUBECONFIG: kubeconfig, HOME: tmpdir() } });
}

/** Returns the rendered chart as text, for the release lookout in the namespace lookout. */
export function renderedText(...words: readonly string[]): Promise<string> {
  return helm(["template", "lookout", chart, "--namespace", "lookout", ...words]);
}

/** Returns the objects that the chart renders. */
export async function rendered(...words: readonly string[]): Promise<readonly Rendered[]> {
  return objectsIn(await renderedText(...words));
}

/** Returns the objects that the chart renders with values. */
export async function renderedWith(values: object): Promise<readonly Rendered[]> {
  const folder = await mkdtemp(join(tmpdir(), "lookout-values-"));
  try {
    const file = join(folder, "values.yaml");
    await writeFile(file, stringify(values));
    return await rendered("--values", file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the objects of a YAML text. */
export function objectsIn(text: string): readonly Rendered[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Rendered | null)
    .filter((object) => object !== null);
}

/** Returns the only object of a kind. */
export function only(objects: readonly Rendered[], kind: string): Rendered {
  const [object, ...more] = objects.filter((one) => one.kind === kind);
  if (object === undefined || more.length > 0) throw new Error(`expected one ${kind}`);
  return object;
}
