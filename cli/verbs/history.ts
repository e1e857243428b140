import { InvalidArgumentError } from "commander";
import type { HistoryQuery, HistoryView } from "#contracts/api/history";
import type { EpochMs } from "#domain/shared/time";
import { serverVerb } from "../server-verb.ts";
import { exitCodes } from "../failure.ts";
import { instantOfFlag } from "../flag-times.ts";
import { workloadParams } from "../names.ts";
import {
  findWorkload,
  meaningsOf,
  type PlaceFlags,
  placeOf,
  readScopes,
  type Scope,
  scopeParameter,
} from "../scopes.ts";
import type { Answer } from "../output.ts";
import { renderFleetHistory } from "../render/fleet-history.ts";
import { decisionName, renderHistory } from "../render/history.ts";
import { printable } from "../render/printable.ts";
import type { Style } from "../render/style.ts";
import type { Server } from "../server.ts";

interface Flags extends PlaceFlags {
  readonly limit: number;
  readonly since?: string;
  readonly until?: string;
  readonly by?: string;
  readonly of?: string;
}

const limits = { default: 20, most: 1_000 } as const;

/** `lookout history [SCOPE]` */
export const addHistory = serverVerb<[scope?: string], Flags>({
  name: "history",
  description: "list who did what and which updates ended, or the decisions about a workload, the newest first",
  parameters: [["[scope]", `${scopeParameter} (default: the whole fleet)`]],
  options: (command) =>
    command
      .option("--limit <number>", `the number of rows, 1 to ${limits.most}`, readLimit, limits.default)
      .option("--since <when>", "only rows since a time: 2h, 7d, or an instant such as 2026-11-21T09:00:00Z")
      .option("--until <when>", "only rows before a time")
      .option("--by <name>", "only what this person did")
      .option("--of <id>", "all about one thing: an event, a push, a digest, a workload, or an update (shop/api#17)"),
  scope: "place",
  formats: ["table", "json", "yaml", "name"],
  wide: true,
  examples: [
    ["lookout history --since 24h", "who did what since yesterday, and which updates ended"],
    ["lookout history --since 7d --by ana", "what ana did in the last seven days"],
    ["lookout history --of shop/api#17", "everything about update 17 of shop/api"],
    ["lookout history shop/api", `list the last ${limits.default} decisions about a workload`],
    ["lookout history prod/shop/api --limit 200 --since 7d", "list up to 200 decisions of the last seven days"],
  ],
  async answer({ server, world, flags, style }, word) {
    const { limit } = flags;
    const asked = filterOf(flags, world.now());
    const scope = await scopeOf(server, word, flags);
    const workload = scope.name === undefined ? undefined : word;
    if (workload !== undefined && (flags.until ?? flags.by ?? flags.of) === undefined)
      return ofWorkload(workload, { limit, since: asked.since }, server, style, flags);
    const of = await wholeName(flags.of ?? workload, server);
    const query = { ...asked, ...(workload === undefined ? areaOf(scope) : {}), ...(of === undefined ? {} : { of }) };
    const view = await readHistory(query, limit, server);
    const isFound = view.rows.length > 0;
    return {
      value: view,
      text: () => renderFleetHistory(printable(view), { ...query, limit, most: limits.most }, style),
      names: () => view.rows.map(({ id }) => id),
      ...(isFound || of === undefined ? {} : { exitCode: exitCodes.notSo }),
    };
  },
});

function areaOf({ cluster, namespace }: Scope): Pick<HistoryQuery, "cluster" | "namespace"> {
  return { ...(cluster === undefined ? {} : { cluster }), ...(namespace === undefined ? {} : { namespace }) };
}

/** Returns the scope of a word. A whole name needs no request. */
async function scopeOf(server: Server, word: string | undefined, flags: Flags): Promise<Scope> {
  const [only = {}, ...more] = word === undefined ? [] : meaningsOf(word, placeOf(flags));
  if (more.length === 0 && only.cluster !== undefined && only.kind !== undefined) return only;
  const [scope = {}] = await readScopes(server, word === undefined ? [] : [word], flags);
  return scope;
}

function filterOf({ since, until, by }: Flags, now: EpochMs): Pick<HistoryQuery, "since" | "until" | "by"> {
  return {
    ...(since === undefined ? {} : { since: instantOfFlag("--since", since, now) }),
    ...(until === undefined ? {} : { until: instantOfFlag("--until", until, now) }),
    ...(by === undefined ? {} : { by }),
  };
}

interface Decisions {
  readonly limit: number;
  readonly since: string | undefined;
}

async function ofWorkload(
  workload: string,
  { limit, since }: Decisions,
  server: Server,
  style: Style,
  place: PlaceFlags,
): Promise<Answer> {
  const key = await findWorkload(server, workload, place);
  const read = (query: { readonly limit: number; readonly since?: string | undefined }) =>
    server.ask("readDecisions", { params: workloadParams(key), query });
  const view = await read({ limit, since });
  const earlier = since !== undefined && view.decisions.length === 0 ? (await read({ limit: 1 })).decisions : [];
  return {
    value: view,
    text: () =>
      renderHistory(printable(view), { limit, most: limits.most, since, before: printable(earlier)[0] }, style),
    names: () => view.decisions.map((decision) => decisionName(view.workload, decision)),
  };
}

/** Reads pages until there are enough rows. A page with a filter may be short. */
async function readHistory(
  query: Omit<HistoryQuery, "limit" | "after">,
  limit: number,
  server: Server,
): Promise<HistoryView> {
  let view = await server.ask("listHistory", { query: { ...query, limit } });
  while (view.next !== undefined && view.rows.length < limit) {
    const left = limit - view.rows.length;
    const { next: _, ...before } = view;
    const page = await server.ask("listHistory", { query: { ...query, limit: left, after: view.next } });
    view = { ...before, ...page, rows: [...view.rows, ...page.rows] };
  }
  return view;
}

/** Returns the id with the whole name of a workload that it names in short: `shop/api`, `shop/api#17`. */
async function wholeName(of: string | undefined, server: Server): Promise<string | undefined> {
  const [, name, update = ""] = /^([a-z0-9][-.a-z0-9]*(?:\/[a-z][-.a-z0-9]*){1,3})(#\d+)?$/i.exec(of ?? "") ?? [];
  return name === undefined ? of : `${await findWorkload(server, name)}${update}`;
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > limits.most) throw new InvalidArgumentError(`Expected a number from 1 to ${limits.most}.`);
  return limit;
}
