import { lookoutVersion } from "#contracts/version";

/** The content of the banner. */
export interface BannerInputs {
  readonly url: string;
  /** The names of the clusters, or undefined for the demo. */
  readonly clusters: readonly string[] | undefined;
  /** The state folder. */
  readonly folder: string;
}

/** Returns the first lines of `npm start`: the process, its address, and the demo's commands. */
export function bannerOf({ url, clusters, folder }: BannerInputs): readonly string[] {
  const what =
    clusters === undefined
      ? "demo cluster, demo registry"
      : `${clusters.length === 1 ? "cluster" : "clusters"} ${clusters.join(", ")}`;
  return [
    `Lookout ${lookoutVersion} · local · ${what} · ${clusters === undefined ? "state in memory" : `state in ${folder}`}`,
    `API and webhooks  ${url}      stop with Ctrl-C`,
    "",
    ...(clusters === undefined ? tries : ["In another terminal:  npx lookout status", ""]),
  ];
}

const tries = [
  "Try, in another terminal:",
  "  npx lookout push shop/api:1.3.0             push an image that Lookout rolls out",
  "  npx lookout push shop/api:1.4.0 --broken    push an image that can't start",
  "  npx lookout status                          list workloads and the reasons why updates wait",
  "  npx lookout explain shop/api                list gates and rejected tags",
  "To use your own cluster:  npx lookout cluster add NAME --context CONTEXT",
  "",
];
