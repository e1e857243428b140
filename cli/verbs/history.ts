import { InvalidArgumentError } from "commander";
import { parseDuration } from "#domain/shared/duration";
import { durationMs, type EpochMs, parseInstant, plus, toIso } from "#domain/shared/time";
import { serverVerb } from "../server-verb.ts";
import { exitCodes, Failure } from "../failure.ts";
import { workloadParams } from "../names.ts";
import { findWorkload, type PlaceFlags } from "../scopes.ts";
import { decisionName, renderHistory } from "../render/history.ts";
import { printable } from "../render/printable.ts";

interface Flags extends PlaceFlags {
  readonly limit: number;
  readonly since?: string;
}

const limits = { default: 20, most: 1_000 } as const;

/** `lookout history WORKLOAD` */
export const addHistory = serverVerb<[workload: string], Flags>({
  name: "history",
  description: "list the decisions about a workload, the newest first",
  parameters: [["<workload>", "[cluster/]namespace/[kind/]name"]],
  options: (command) =>
    command
      .option("--limit <number>", `the number of decisions, 1 to ${limits.most}`, readLimit, limits.default)
      .option("--since <when>", "only decisions since a time: 2h, 7d, or an instant such as 2026-11-21T09:00:00Z"),
  scope: "place",
  formats: ["table", "json", "yaml", "name"],
  wide: true,
  examples: [
    ["lookout history shop/api", `list the last ${limits.default} decisions`],
    ["lookout history prod/shop/api --limit 200 --since 7d", "list up to 200 decisions of the last seven days"],
  ],
  async answer({ server, world, flags, style }, workload) {
    const since = flags.since === undefined ? undefined : toIso(instantOf(flags.since, world.now()));
    const key = await findWorkload(server, workload, flags);
    const read = (query: { readonly limit: number; readonly since?: string | undefined }) =>
      server.ask("readDecisions", { params: workloadParams(key), query });
    const view = await read({ limit: flags.limit, since });
    const earlier = since !== undefined && view.decisions.length === 0 ? (await read({ limit: 1 })).decisions : [];
    return {
      value: view,
      text: () =>
        renderHistory(
          printable(view),
          { limit: flags.limit, most: limits.most, since, before: printable(earlier)[0] },
          style,
        ),
      names: () => view.decisions.map((decision) => decisionName(view.workload, decision)),
    };
  },
});

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > limits.most) throw new InvalidArgumentError(`Expected a number from 1 to ${limits.most}.`);
  return limit;
}

function instantOf(text: string, now: EpochMs): EpochMs {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  const ago = parseDuration(text);
  if (ago.ok) return plus(now, durationMs(0 - ago.value));
  throw new Failure(exitCodes.wrongInput, `--since "${text}" is neither a duration nor an instant.`, [
    "For example: 2h, 7d, 2026-11-21T09:00:00Z",
  ]);
}
