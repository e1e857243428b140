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
      "The domain imports itself, semver, croner and one hash function. For I/O, add a port.",
      "^src/domain/",
      ["^src/domain/", "^node_modules/(@types/)?semver/", "^node_modules/croner/", "^(node:)?crypto$"],
    ),
    never(
      "one-file-of-the-domain-hashes",
      "The domain uses only the hashes of node:crypto. Call src/domain/shared/sha256.ts.",
      { path: "^src/domain/", pathNot: "^src/domain/shared/sha256[.]ts$" },
      { path: "^(node:)?crypto$" },
    ),
    only("ports-speak-domain", "A port has types of the domain, and no type of an SDK.", "^src/ports/", [
      "^src/(ports|domain)/",
    ]),
    only(
      "use-cases-know-ports",
      "A use case calls ports, and p-limit limits its parallel calls. If a use case needs an SDK, add a method to a port.",
      "^src/app/",
      ["^src/(app|ports|domain|contracts)/", "^node_modules/p-limit/"],
    ),
    only(
      "contracts-are-data",
      "Contracts are read at deploy time and at run time. They contain only schemas, names and the route table.",
      "^src/contracts/",
      [
        "^src/(contracts|domain)/",
        "^src/channels/(index|kind|keys)[.]ts$",
        "^node_modules/(zod|yaml|@hono/zod-openapi)/",
        "^package[.]json$",
      ],
    ),
    only(
      "channels-render-and-answer",
      "A kind of channel turns stories into messages and answers into outcomes. It sends with its tools.",
      "^src/channels/",
      [
        "^src/(channels|ports|domain)/",
        "^src/contracts/(config/(fields|aws)|messages/fact-view)[.]ts$",
        "^node_modules/(zod|@slack/types)/",
        "^(node:)?crypto$",
      ],
    ),
    never(
      "kinds-of-channels-stand-alone",
      "A kind of channel imports what kinds share, and no other kind.",
      { path: "^src/channels/([^/]+)/" },
      { path: "^src/channels/[^/]+/", pathNot: "^src/channels/$1/" },
    ),
    never(
      "api-contracts-only-for-the-api",
      "These files load the HTTP framework, which only the functions of the API need. Import only their types.",
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
      "access",
      "settings",
      "update",
    ]),
    never(
      "stages-stand-alone",
      "A stage of src/app imports src/app/decide.ts, src/app/shared and no other stage. The API may import all stages.",
      { path: `^src/app/(${stages.join("|")})/` },
      { path: "^src/app/(?!shared/|decide\\.ts$)", pathNot: "^src/app/$1/" },
    ),
    never(
      "shared-use-cases-know-no-stage",
      "src/app/shared must not import a stage.",
      { path: "^src/app/shared/" },
      { path: "^src/app/(?!shared/)" },
    ),
    only(
      "stored-kinds-know-ports",
      "A file of src/stored turns values into items of the port Items. It knows no engine, and makes no decisions.",
      "^src/stored/",
      ["^src/(stored|ports|domain|contracts)/", "^node_modules/(zod|p-limit)/", "^(node:)?crypto$"],
    ),
    ...inOrder("lib", ["shared", "storage", "messaging", "access", "functions", "observability", "stack"]),
    ...inOrder("src/contracts", ["kubernetes", "aws", "config", "api", "messages"]),
    never(
      "adapters-translate",
      "An adapter connects one outside system to a port. An adapter makes no decisions and imports no other adapter.",
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
      "Only adapters import the SDKs of vendors.",
      { pathNot: "^(src/adapters|test)/" },
      { path: "^node_modules/(@aws-sdk|@smithy)/" },
    ),
    never(
      "kubernetes-client-only-in-its-adapter",
      "Only src/adapters/kubernetes imports the Kubernetes client. Other code uses the port Cluster.",
      { pathNot: "^(src/adapters/kubernetes|test)/" },
      { path: "^node_modules/@kubernetes/" },
    ),
    never(
      "http-server-only-in-the-runtime",
      "Only src/runtime serves HTTP.",
      { pathNot: "^(src/runtime|src/contracts/api|test)/" },
      { path: "^node_modules/(hono|@hono)/" },
    ),
    never(
      "command-parser-only-in-the-command",
      "Only cli/ parses arguments. Other code gets their values.",
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
      "Only the command imports cli/. Code that the program needs too belongs in src/.",
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
      "A process starts in src/runtime/local or in src/runtime/lambda. Move code that both need to src/runtime.",
      { path: "^src/runtime/(lambda|local)/" },
      { path: "^src/runtime/(lambda|local)/", pathNot: "^src/runtime/$1/" },
    ),
    never(
      "run-time-never-imports-infrastructure",
      "The program must not import the code that deploys it.",
      { path: "^(src|functions|cli|console)/" },
      { path: "^(lib|bin)/|^(node_modules/)?(aws-cdk-lib|constructs|aws-cdk)(/|$)" },
    ),
    never(
      "bin-is-thin",
      "An executable starts the command or the infrastructure; logic lives there.",
      { path: "^bin/" },
      { path: "^(src|functions|console)/|^node_modules/", pathNot: "^node_modules/(aws-cdk-lib|cdk-nag)/" },
    ),
    never("nothing-imports-tests", "The program must not import tests.", { pathNot: "^test/" }, { path: "^test/" }),
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
      "Another package happens to install this dependency: add it to package.json with its exact version.",
      {},
      { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    ),
    never(
      "no-dev-dependency-at-run-time",
      "An installation without devDependencies would lack this package.",
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
