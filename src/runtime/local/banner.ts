import { lookoutVersion } from "#contracts/version";
import { hang, ownLineIndent, wrap } from "#runtime/text-width";

/** The content of the banner. */
export interface BannerInputs {
  readonly url: string;
  /** The names of the clusters, or undefined for the demo. */
  readonly clusters: readonly string[] | undefined;
  /** The state folder. */
  readonly folder: string;
}

/** Returns the first lines of `npm start`: the process, its address, and the demo's commands. */
export function bannerOf({ url, clusters, folder }: BannerInputs, width?: number): readonly string[] {
  const what =
    clusters === undefined
      ? "demo cluster, demo registry"
      : `${clusters.length === 1 ? "cluster" : "clusters"} ${clusters.join(", ")}`;
  const where = clusters === undefined ? "state in memory" : `state in ${folder}`;
  return [
    ...wrap(`Lookout ${lookoutVersion} · local · ${what} · ${where}`, width),
    ...hang("API and webhooks  ", `${url}      stop with Ctrl-C`, { width }).split("\n"),
    "",
    ...(clusters === undefined ? demoLines(width) : ["In another terminal:  npx lookout status", ""]),
  ];
}

const tries = [
  ["npx lookout push shop/api:1.3.0", "push an image that Lookout rolls out"],
  ["npx lookout push shop/api:1.4.0 --broken", "push an image that can't start"],
  ["npx lookout status", "list workloads and the reasons why updates wait"],
  ["npx lookout explain shop/api", "list gates and rejected tags"],
] as const;

function demoLines(width: number | undefined): readonly string[] {
  const column = Math.max(...tries.map(([command]) => command.length));
  const lines = tries.map(([command, purpose]) => `  ${command.padEnd(column)}    ${purpose}`);
  const isNarrow = width !== undefined && lines.some((line) => line.length > width);
  const indent = " ".repeat(ownLineIndent);
  return [
    "Try, in another terminal:",
    ...(isNarrow ? tries.flatMap(([command, purpose]) => [`  ${command}`, indent + purpose]) : lines),
    ...hang("To use your own cluster:  ", "npx lookout cluster add NAME --context CONTEXT", { width }).split("\n"),
    "",
  ];
}
