import type { ReleaseRequest, ReleaseView } from "#contracts/api/control";
import { fleet } from "#domain/gates/freezes";
import { reasons } from "#domain/shared/reasons";
import { serverVerb } from "../server-verb.ts";
import { userOf } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { printable } from "../render/printable.ts";
import { hang, type Style, paintMark } from "../render/style.ts";
import { type PlaceFlags, readScopes, scopeParameter, serverScope } from "../scopes.ts";
import type { Server } from "../server.ts";

interface Flags extends PlaceFlags {
  readonly past: readonly string[];
  readonly why?: string;
  readonly all?: true;
  readonly dryRun?: true;
  readonly by?: string;
}

/** `lookout release --past GATES SCOPE` */
export const addRelease = serverVerb<[scope?: string], Flags>({
  name: "release",
  description:
    "let held updates pass a closed window, a minimum age or the earlier tiers, or release what was found while Lookout observed",
  parameters: [["[scope]", scopeParameter]],
  options: (command) =>
    command
      .requiredOption(
        "--past <gates>",
        "the gates to pass: window, min-age, tier, checks (or several), or observe",
        readGates,
      )
      .option("--why <text>", "the reason, for the history (needed, except for observe)")
      .option("--all", "release everything, instead of a scope")
      .option("--dry-run", "list the updates, and release nothing")
      .option("--by <name>", "your name in the history (default: the name of your token, else USER)"),
  scope: "place",
  formats: ["text", "json", "yaml", "name"],
  examples: [
    ['lookout release --past window shop/api --why "fixes an outage"', "do not wait for the window"],
    ['lookout release --past tier prod/shop --why "fixes an outage"', "do not wait for the earlier tiers"],
    ["lookout release --past observe shop/api", "release the update of one workload"],
    ["lookout release --past observe prod/shop --dry-run", "list the updates of a namespace"],
    ["lookout release --past observe --all", "release everything; at most maxConcurrentRollouts roll out at once"],
  ],
  async answer({ server, world, flags, style }, text) {
    const { past, dryRun, by, why } = flags;
    const scope = await scopeOf(server, text, flags);
    const own = await server.asPerson();
    const request: ReleaseRequest = {
      scope,
      past,
      by: by ?? userOf(world, server),
      ...(why === undefined ? {} : { why }),
      ...(dryRun === undefined ? {} : { dryRun }),
    };
    const view = await own.ask("release", { body: request });
    return {
      value: view,
      text: () => releasedText(printable(view), style),
      names: () => view.released.map(({ workload }) => workload),
    };
  },
});

/** Reads `window,age`. Gates may have the names that people give them. */
function readGates(text: string): readonly string[] {
  const gates = text.split(",").map((gate) => gate.trim());
  return gates.map((gate) => otherNames.get(gate) ?? gate).filter((gate) => gate !== "");
}

const otherNames: ReadonlyMap<string, string> = new Map([
  ["age", "min-age"],
  ["tiers", "tier"],
]);

/** Returns the scope of a request. */
async function scopeOf(server: Server, text: string | undefined, flags: Flags): Promise<string> {
  const isNarrow = text !== undefined || flags.namespace !== undefined || flags.cluster !== undefined;
  if (flags.all === true && isNarrow)
    throw new Failure(exitCodes.wrongInput, "--all releases everything: remove the scope, or --all.");
  if (flags.all === true) return fleet;
  if (!isNarrow || text === fleet)
    throw new Failure(exitCodes.wrongInput, "A scope is missing.", ["For everything:  --all"]);
  const [scope = {}] = await readScopes(server, text === undefined ? [] : [text], flags);
  return serverScope(server, scope);
}

/** The most workloads that the answer names. */
const mostNamed = 20;

function releasedText({ released, observed, dryRun, past }: ReleaseView, style: Style): string {
  const count = released.length === 1 ? "1 update" : `${released.length} updates`;
  const says = dryRun
    ? `${count} would be released. To release: the same command without --dry-run.`
    : `${count} released. ${released.length === 1 ? "Its" : "Their"} other gates are asked now: lookout status.`;
  const lines = released.slice(0, mostNamed).map(({ workload, wants, stillHeldBy }) => {
    const tags = wants.map(({ tag, image }) => tag ?? image).join(", ");
    const held = stillHeldBy.map(({ reason }) => reasons[reason].short).join(", ");
    return `  ${workload} → ${tags}${held === "" ? "" : `   still held: ${held}`}\n`;
  });
  const more = released.length - lines.length;
  const left =
    observed.length === 0
      ? []
      : [
          `${hang(`${paintMark("⏸", style)} `, `${observed.length} more stay held: Lookout still observes them.`, style)}\n`,
        ];
  const lasts = past.includes("observe") ? [] : [hang("  ", "Later images wait for these gates again.", style)];
  return [
    `${hang(`${paintMark(dryRun ? "⏸" : "✓", style)} `, says, style)}\n`,
    ...lines,
    ...(more > 0 ? [`  and ${more} more\n`] : []),
    ...lasts.map((line) => `${line}\n`),
    ...left,
  ].join("");
}
