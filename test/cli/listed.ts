import { type WorkloadsView, type WorkloadState, workloadStates } from "#contracts/api/workloads";

/** The order of states with those that need attention first. */
const urgency: readonly WorkloadState[] = ["problem", "blocked", "reverted", "rolling-back", "held"];

/** Answers a list of workloads as the API does: by filters, by states, in rows, by pages. */
export function listed(fleet: WorkloadsView, query: URLSearchParams): WorkloadsView {
  const text = (name: string): string | undefined => query.get(name) ?? undefined;
  const part = (key: string, position: number): string => key.split("/").at(position) ?? "";
  const fits = (key: string): boolean =>
    [part(key, 0), undefined].includes(text("cluster")) &&
    [part(key, 1), undefined].includes(text("namespace")) &&
    part(key, 3).includes(text("q") ?? "");
  const found = fleet.workloads.filter(
    ({ workload, runs }) =>
      fits(workload) && (text("image") === undefined || runs.some(({ image }) => image.includes(text("image") ?? ""))),
  );
  const states = text("state")?.split(",");
  const inStates = found.filter(({ state }) => states?.includes(state) ?? true);
  const rank = (state: WorkloadState): number => (urgency.includes(state) ? urgency.indexOf(state) : urgency.length);
  const sorted =
    text("sort") === "state" ? inStates.toSorted((one, two) => rank(one.state) - rank(two.state)) : inStates;
  const start = Number(text("after") ?? 0);
  const end = start + Number(text("limit") ?? 500);
  const page = sorted.slice(start, end);
  const { unreadable, ...rest } = fleet;
  const kept = unreadable?.filter(({ workload }) => (workload === undefined ? start === 0 : fits(workload)));
  const isRow = text("view") === "row";
  return {
    ...rest,
    workloads: isRow ? [] : page,
    rows: isRow
      ? page.map(({ workload, runs, wants, state, changedAt, version }) => ({
          ...{ workload, runs, wants, state, version, since: changedAt, reasonCount: 0 },
          ...(workload.endsWith("/web") ? { labels: { app: "web" } } : {}),
        }))
      : [],
    total: inStates.length,
    counts: Object.fromEntries(
      workloadStates.flatMap((state) => {
        const count = found.filter((one) => one.state === state).length;
        return count === 0 ? [] : [[state, count]];
      }),
    ),
    ...(kept === undefined || kept.length === 0 ? {} : { unreadable: kept }),
    ...(end < sorted.length ? { next: String(end) } : {}),
  };
}
