import type { ReleaseRequest, ReleaseView } from "#contracts/api/releases";
import { fleet } from "#domain/gates/freezes";
import { serverVerb } from "../server-verb.ts";
import { choice, userOf } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { printable } from "../render/printable.ts";
import { hang, type Style, paintMark } from "../render/style.ts";
import { type PlaceFlags, readScopes, scopeParameter, serverScope } from "../scopes.ts";
import type { Server } from "../server.ts";

interface Flags extends PlaceFlags {
  readonly past: "observe";
  readonly all?: true;
  readonly dryRun?: true;
  readonly by?: string;
}

/** `lookout release --past observe SCOPE` */
export const addRelease = serverVerb<[scope?: string], Flags>({
  name: "release",
  description: "release the updates of a scope that were found while Lookout observed",
  parameters: [["[scope]", scopeParameter]],
  options: (command) =>
    command
      .addOption(
        choice("--past <gate>", "the gate that no longer holds the updates", ["observe"]).makeOptionMandatory(),
      )
      .option("--all", "release everything, instead of a scope")
      .option("--dry-run", "list the updates, and release nothing")
      .option("--by <name>", "your name in the history (default: the name of your token, else USER)"),
  scope: "place",
  formats: ["text", "json", "yaml", "name"],
  examples: [
    ["lookout release --past observe shop/api", "release the update of one workload"],
    ["lookout release --past observe prod/shop --dry-run", "list the updates of a namespace"],
    ["lookout release --past observe --all", "release everything; at most maxConcurrentRollouts roll out at once"],
  ],
  async answer({ server, world, flags, style }, text) {
    const { past, dryRun, by } = flags;
    const scope = await scopeOf(server, text, flags);
    const own = await server.asPerson();
    const request: ReleaseRequest = {
      scope,
      past,
      by: by ?? userOf(world, server),
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

function releasedText({ released, observed, dryRun }: ReleaseView, style: Style): string {
  const count = released.length === 1 ? "1 update" : `${released.length} updates`;
  const says = dryRun
    ? `${count} would be released. To release: the same command without --dry-run.`
    : `${count} released. ${released.length === 1 ? "Its" : "Their"} other gates are asked now: lookout status.`;
  const lines = released.slice(0, mostNamed).map(({ workload, wants }) => {
    const tags = wants.map(({ tag, image }) => tag ?? image).join(", ");
    return `  ${workload} → ${tags}\n`;
  });
  const more = released.length - lines.length;
  const left =
    observed.length === 0
      ? []
      : [
          `${hang(`${paintMark("⏸", style)} `, `${observed.length} more stay held: Lookout still observes them.`, style)}\n`,
        ];
  return [
    `${hang(`${paintMark(dryRun ? "⏸" : "✓", style)} `, says, style)}\n`,
    ...lines,
    ...(more > 0 ? [`  and ${more} more\n`] : []),
    ...left,
  ].join("");
}
