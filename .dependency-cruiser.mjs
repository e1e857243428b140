/**
 * Who may import whom. test/boundaries.test.ts plants a violation of every rule.
 *
 * bin ─► cli ─► runtime ─► adapters ─► ports ─► domain       functions ─► runtime, app       app ─► ports ─► domain
 */

/** Files under `from` may reach nothing but `mayReach`. */
const only = (name, comment, from, mayReach) => ({
  name,
  comment,
  severity: "error",
  from: { path: from },
  to: { pathNot: mayReach },
});

const never = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

/** A room imports only rooms before it. */
const inOrder = (folder, rooms) =>
  rooms
    .slice(0, -1)
    .map((room, index) =>
      never(
        `rooms-of-${folder.replace("src/", "")}-in-order`,
        `Rooms of ${folder} in their order: ${rooms.join(", ")}. Move what both need to the earlier one.`,
        { path: `^${folder}/${room}/` },
        { path: `^${folder}/(${rooms.slice(index + 1).join("|")})/` },
      ),
    );

/** A stage imports what stages share, and no other stage. */
const stages = ["detect", "evaluate", "gate", "rollout", "verify", "notify"];

export default {
  forbidden: [
    only(
      "domain-is-pure",
      "The domain imports itself, semver and cron, and one file hashes. Anything else is I/O or a framework: ask for a port.",
      "^src/domain/",
      ["^src/domain/", "^node_modules/(@types/)?semver/", "^node_modules/croner/", "^(node:)?crypto$"],
    ),
    never(
      "one-file-of-the-domain-hashes",
      "The rest of node:crypto is random. Hash with src/domain/shared/sha256.ts.",
      { path: "^src/domain/", pathNot: "^src/domain/shared/sha256[.]ts$" },
      { path: "^(node:)?crypto$" },
    ),
    only(
      "ports-speak-domain",
      "A port is a contract in domain language; no SDK type may appear in it.",
      "^src/ports/",
      ["^src/(ports|domain)/"],
    ),
    only(
      "use-cases-know-ports",
      "A use case asks a port, and p-limit how much runs at once. If it needs an SDK, a port is missing a method.",
      "^src/app/",
      ["^src/(app|ports|domain|contracts)/", "^node_modules/p-limit/"],
    ),
    only(
      "contracts-are-data",
      "Read at deploy time and at run time: schemas, names and the route table only.",
      "^src/contracts/",
      ["^src/(contracts|domain)/", "^node_modules/(zod|yaml|@hono/zod-openapi)/", "^package[.]json$"],
    ),
    never(
      "api-contracts-only-for-the-api",
      "They load the HTTP framework, which no other function starts with. Their types may be imported anywhere.",
      { pathNot: "^(src/(contracts/api|app/api)/|src/runtime/(api|api-document|local/http)[.]ts$|lib/|tools/|test/)" },
      { path: "^src/contracts/api/", dependencyTypesNot: ["type-only"] },
    ),
    ...inOrder("src/domain", [
      "shared",
      "image",
      "registry",
      "version",
      "schedule",
      "workload",
      "policy",
      "annotations",
      "approval",
      "gates",
      "settings",
      "update",
    ]),
    never(
      "stages-stand-alone",
      "A stage of src/app knows src/app/shared and no other stage. The API may use them all.",
      { path: `^src/app/(${stages.join("|")})/` },
      { path: "^src/app/(?!shared/)", pathNot: "^src/app/$1/" },
    ),
    never(
      "shared-use-cases-know-no-stage",
      "What stages share is below them.",
      { path: "^src/app/shared/" },
      { path: "^src/app/(?!shared/)" },
    ),
    ...inOrder("lib", ["shared", "storage", "messaging", "access", "functions", "observability", "stack"]),
    ...inOrder("src/contracts", ["kubernetes", "aws", "config", "api", "messages"]),
    never(
      "adapters-translate",
      "An adapter translates one outside system to one port. It decides nothing and knows no other adapter.",
      { path: "^src/adapters/([^/]+)/" },
      {
        path: "^(src|functions|console)/",
        pathNot: ["^src/adapters/($1|shared)/", "^src/(ports|domain|contracts)/"],
      },
    ),
    never(
      "adapter-is-named-after-its-sdk",
      "src/adapters/<x> may import the AWS client for <x> and no other.",
      { path: "^src/adapters/([^/]+)/" },
      {
        path: "^node_modules/@aws-sdk/(client|lib|util)-",
        pathNot: "^node_modules/@aws-sdk/(client|lib|util)-$1/",
      },
    ),
    never(
      "aws-sdk-only-in-adapters",
      "Vendor SDKs live in adapters.",
      { pathNot: "^(src/adapters|test)/" },
      { path: "^node_modules/(@aws-sdk|@smithy)/" },
    ),
    never(
      "kubernetes-client-only-in-its-adapter",
      "Clusters are reached through the Cluster port.",
      { pathNot: "^(src/adapters/kubernetes|test)/" },
      { path: "^node_modules/@kubernetes/" },
    ),
    never(
      "http-server-only-in-the-runtime",
      "HTTP is how the program is reached, not what it is.",
      { pathNot: "^(src/runtime|src/contracts/api|test)/" },
      { path: "^node_modules/(hono|@hono)/" },
    ),
    never(
      "command-parser-only-in-the-command",
      "Arguments are parsed in cli/ and handed on as values.",
      { pathNot: "^(cli|test)/" },
      { path: "^node_modules/commander/" },
    ),
    only(
      "functions-are-wiring",
      "A handler file names its trigger, its use case and its wiring. Nothing else.",
      "^functions/",
      ["^src/(app|runtime|contracts)/"],
    ),
    never(
      "command-goes-through-the-runtime",
      "The command reads contracts and domain, and reaches use cases and adapters through the runtime.",
      { path: "^cli/" },
      { path: "^(src|functions|console)/", pathNot: "^src/(runtime|contracts|domain)/" },
    ),
    never(
      "nothing-imports-the-command",
      "The command is on top: what it shares with the program lives in src/.",
      { path: "^(src|functions)/" },
      { path: "^cli/" },
    ),
    never(
      "infrastructure-reads-contracts",
      "Infrastructure may read contracts; importing run-time code would execute it at deploy time.",
      { path: "^lib/" },
      {
        path: "^(src|functions|bin|cli|console)/|^node_modules/",
        pathNot: "^src/contracts/|^node_modules/(aws-cdk-lib|constructs|esbuild)/",
      },
    ),
    never(
      "lambda-and-local-stand-alone",
      "A process starts in one of the two. Move what both need to src/runtime.",
      { path: "^src/runtime/(lambda|local)/" },
      { path: "^src/runtime/(lambda|local)/", pathNot: "^src/runtime/$1/" },
    ),
    never(
      "run-time-never-imports-infrastructure",
      "What deploys the program must not be part of it.",
      { path: "^(src|functions|cli|console)/" },
      { path: "^(lib|bin)/|^(node_modules/)?(aws-cdk-lib|constructs|aws-cdk)(/|$)" },
    ),
    never(
      "bin-is-thin",
      "An executable starts the command or the infrastructure; logic lives there.",
      { path: "^bin/" },
      { path: "^(src|functions|console)/|^node_modules/", pathNot: "^node_modules/(aws-cdk-lib|cdk-nag)/" },
    ),
    never(
      "nothing-imports-tests",
      "What the program needs is not a test helper.",
      { pathNot: "^test/" },
      { path: "^test/" },
    ),
    never("no-circular", "Split the module or invert the dependency.", {}, { circular: true }),
    never(
      "no-orphans",
      "Nothing uses it, and it uses nothing: delete it.",
      {
        orphan: true,
        // A browser evaluates the attempts.
        pathNot: [
          ...["^functions/", "^tools/", "^console/", "^[^/]+[.](mjs|js|ts)$", "[.]test[.]ts$", "[.]d[.]ts$"],
          "/hostile-page/attempts[.]js$",
        ],
      },
      {},
    ),
    never("not-to-unresolvable", "Cannot be resolved.", {}, { couldNotResolve: true }),
    never(
      "only-declared-dependencies",
      "It is installed by accident of another package: add it to package.json with its exact version.",
      {},
      { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    ),
    never(
      "no-dev-dependency-at-run-time",
      "It would be missing where only the dependencies are installed.",
      // What deploys is run from a clone: bin/stack.ts and lib/ need what only a clone has.
      { path: "^(src|functions|cli|bin)/", pathNot: "^bin/stack[.]ts$" },
      { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: ["(^|/)[.][^/]+/", "^(coverage|reports|dist|cdk[.]out)/"] },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".js", ".mjs", ".json", ".d.ts"],
    },
  },
};
