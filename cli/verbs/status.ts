import { hasFailed } from "../answers/status.ts";
import { type ExitCode, exitCodes } from "../failure.ts";
import type { WorkloadsQuery, WorkloadsView, WorkloadView } from "#contracts/api/workloads";
import { type FilterFlags, filterQuery, filterWords } from "../filters.ts";
import { versioned } from "../output.ts";
import { printable } from "../render/printable.ts";
import { renderStatus, type StatusFooter, statusRows } from "../render/status.ts";
import type { Style } from "../render/style.ts";
import { isKeyIn, queryOf, readScopes, type Scope, scopeParameter } from "../scopes.ts";
import type { Server } from "../server.ts";
import { serverVerb } from "../server-verb.ts";
import { readWorkloads, workloadNames } from "../workloads.ts";
import { followChanges } from "../follow-changes.ts";

interface Flags extends FilterFlags {
  readonly watch?: true;
  readonly exitCode?: true;
}

/** The most workloads of the table without `-o wide`. */
const mostRows = 100;

/** `lookout status [SCOPE…]` */
export const addStatus = serverVerb<[words: readonly string[]], Flags>({
  name: "status",
  description: "list the workloads: running image, desired image and state, problems first",
  parameters: [["[scope...]", `${scopeParameter} (default: all)`]],
  scope: "filters",
  options: (command) =>
    command
      .option("-w, --watch", "then print each workload that changes, until Ctrl-C")
      .option("--exit-code", failingHelp),
  formats: ["table", "json", "yaml", "name"],
  wide: true,
  examples: [
    ["lookout status", "list what needs attention, and count the rest"],
    ["lookout status -n shop -o wide", "list all workloads of a namespace, with digests and labels"],
    ["lookout status prod --state held,blocked", "list only some states of a cluster"],
    ["lookout status shop/api", "show one workload"],
    ["lookout status -l app=web -o name", "list names, one per line"],
    ["lookout status shop/api --exit-code", "in a script: exit 1 if the workload needs somebody"],
  ],
  async answer({ world, server, flags, style }, words) {
    const scopes = await readScopes(server, words, flags);
    const isText = flags.output === "table" || flags.output === "wide";
    const view = await readStatus(server, scopes, flags, isText && !style.wide ? mostRows : undefined);
    const footer = isText ? await readFooter(server) : { freezes: [], repositories: [] };
    const { rows: _rows, ...value } = view;
    return {
      value,
      text: () => renderStatus(printable(view), printable(footer), server.label, style, filterWords(flags)),
      names: () => workloadNames(view),
      ...(flags.exitCode === true ? { exitCode: await exitCodeOf(server, scopes, flags) } : {}),
      ...(flags.watch === true ? { afterwards: () => watch({ world, server, flags, style }, scopes, view) } : {}),
    };
  },
});

const failingHelp =
  "exit 1 if a workload or a cluster has a problem, or a version failed; 0 if all is up to date, in progress or held as planned";

/** Returns 1 if one of the workloads of the scopes needs somebody. The table may show only some of them. */
async function exitCodeOf(server: Server, scopes: readonly Scope[], flags: FilterFlags): Promise<ExitCode> {
  const whole = await readStatus(server, scopes, flags, undefined);
  const isWhole = scopes.length === 1 && scopes[0] !== undefined && Object.keys(scopes[0]).length === 0;
  return hasFailed(whole, isWhole) ? exitCodes.notSo : exitCodes.done;
}

async function readFooter(server: Server): Promise<StatusFooter> {
  const [{ freezes }, { repositories }] = await Promise.all([
    server.ask("listFreezes"),
    server.ask("listRepositories"),
  ]);
  return { freezes, repositories };
}

/** Reads the workloads of scopes: the first ones with a limit, else all of them with their labels. */
async function readStatus(
  server: Server,
  scopes: readonly Scope[],
  flags: FilterFlags,
  most: number | undefined,
): Promise<WorkloadsView> {
  const sort = flags.sortBy ?? (most === undefined ? "name" : "state");
  const views = await Promise.all(
    scopes.map(async (scope) => {
      const query: Partial<WorkloadsQuery> = { ...queryOf(scope), ...filterQuery(flags), sort };
      if (scope.name !== undefined || most === undefined) return onlyIn(scope, await readLabelled(server, query));
      const { next: _next, ...page } = await server.ask("listWorkloads", { query: { ...query, limit: most } });
      return page;
    }),
  );
  const [only, ...more] = views;
  return only !== undefined && more.length === 0 ? only : merged(views);
}

/** Reads whole workloads, with the labels of their rows. */
async function readLabelled(server: Server, query: Partial<WorkloadsQuery>): Promise<WorkloadsView> {
  const [whole, { rows }] = await Promise.all([
    readWorkloads(server, query),
    readWorkloads(server, { ...query, view: "row", limit: 1_000 }),
  ]);
  const labels = new Map(rows.map((row) => [row.workload, row.labels]));
  const workloads = whole.workloads.map((workload) => {
    const own = labels.get(workload.workload);
    return own === undefined ? workload : { ...workload, labels: own };
  });
  return { ...whole, workloads };
}

/** Returns the workloads of a scope. The server's filters may have found more. */
function onlyIn(scope: Scope, view: WorkloadsView): WorkloadsView {
  if (scope.name === undefined) return view;
  const { unreadable = [], ...rest } = view;
  const workloads = view.workloads.filter(({ workload }) => isKeyIn(scope, workload));
  const kept = unreadable.filter(({ workload }) => workload === undefined || isKeyIn(scope, workload));
  return {
    ...rest,
    workloads,
    total: workloads.length,
    counts: countsOf(workloads),
    ...(kept.length === 0 ? {} : { unreadable: kept }),
  };
}

function countsOf(workloads: readonly WorkloadView[]): WorkloadsView["counts"] {
  const counts: WorkloadsView["counts"] = {};
  for (const { state } of workloads) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** Returns the views of several scopes as one. A workload of two scopes is counted once if it is shown. */
function merged(views: readonly WorkloadsView[]): WorkloadsView {
  const [first] = views;
  if (first === undefined) throw new Error("no scope");
  const workloads = [...new Map(views.flatMap((view) => view.workloads.map((one) => [one.workload, one]))).values()];
  const unreadable = [
    ...new Map(views.flatMap(({ unreadable: some = [] }) => some.map((one) => [JSON.stringify(one), one]))).values(),
  ];
  const isWhole = views.every((view) => view.workloads.length === view.total);
  const counts: WorkloadsView["counts"] = isWhole ? countsOf(workloads) : {};
  if (!isWhole)
    for (const view of views)
      for (const [state, count] of Object.entries(view.counts) as [WorkloadView["state"], number][])
        counts[state] = (counts[state] ?? 0) + count;
  return {
    ...first,
    workloads,
    counts,
    total: isWhole ? workloads.length : views.reduce((sum, { total }) => sum + total, 0),
    ...(unreadable.length === 0 ? {} : { unreadable }),
  };
}

interface Watching {
  readonly world: Parameters<typeof followChanges>[0]["world"];
  readonly server: Server;
  readonly flags: Flags & { readonly output: string };
  readonly style: Style;
}

/** Prints each workload of the scopes whose row changes, until Ctrl-C. */
async function watch({ world, server, flags, style }: Watching, scopes: readonly Scope[], first: WorkloadsView) {
  const rowsOf = (workload: WorkloadView): string => {
    if (flags.output === "json") return `${JSON.stringify(versioned("Workload", workload))}\n`;
    if (flags.output === "name") return `${workload.workload}\n`;
    return statusRows({ ...first, workloads: [printable(workload)] }, { ...style, headings: false, now: world.now() });
  };
  const shown = new Map(first.workloads.map((one) => [one.workload, signOf(one)]));
  await followChanges(
    { world, server, isWanted: (key) => scopes.some((scope) => isKeyIn(scope, key)) },
    async (key) => {
      const query = { ...queryOf(scopeOfKey(key)), ...filterQuery(flags) };
      const { workloads } = await server.ask("listWorkloads", { query });
      const workload = workloads.find((one) => one.workload === key);
      if (workload === undefined || shown.get(key) === signOf(workload)) return;
      shown.set(key, signOf(workload));
      world.stdout.write(rowsOf(workload));
    },
  );
}

function scopeOfKey(key: string): Scope {
  const [cluster = "", namespace = "", , name = ""] = key.split("/");
  return { cluster, namespace, name };
}

/** Returns what a row shows, without times. */
function signOf({ state, runs, wants, reasons, blocked, active }: WorkloadView): string {
  return JSON.stringify([state, runs, wants, reasons.map(({ reason }) => reason), blocked.length, active?.detail]);
}
