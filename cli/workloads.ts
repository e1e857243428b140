import type { ApprovalsView } from "#contracts/api/approvals";
import type { UpdatesView, WorkloadsQuery, WorkloadsView } from "#contracts/api/workloads";
import type { Server } from "./server.ts";

/** The query of a list of workloads. */
type Query = Partial<WorkloadsQuery>;

/** Yields the pages of a list of workloads. */
export async function* eachPage(server: Server, query: Query): AsyncGenerator<WorkloadsView> {
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page = await server.ask("listWorkloads", { query: { ...query, ...(after === undefined ? {} : { after }) } });
    yield page;
    after = page.next;
  }
}

/** Reads all workloads that fit the query, page by page. */
export async function readWorkloads(server: Server, asked: Query = {}): Promise<WorkloadsView> {
  const pages = await readPages((query) => server.ask("listWorkloads", { query: { ...asked, ...query } }));
  const unreadable = pages.all.flatMap((page) => page.unreadable ?? []);
  return {
    ...pages.first,
    workloads: pages.all.flatMap(({ workloads }) => workloads),
    rows: pages.all.flatMap(({ rows }) => rows),
    ...(unreadable.length === 0 ? {} : { unreadable }),
  };
}

/** Returns the names of all workloads, also of those whose record can't be read. */
export function workloadNames({
  workloads,
  unreadable = [],
}: Pick<WorkloadsView, "workloads" | "unreadable">): readonly string[] {
  return [...workloads, ...unreadable].flatMap(({ workload }) => workload ?? []);
}

/** Reads all updates, page by page. */
export async function readUpdates(server: Server): Promise<UpdatesView> {
  const pages = await readPages((query) => server.ask("listUpdates", { query }));
  return { ...pages.first, updates: pages.all.flatMap(({ updates }) => updates) };
}

/** Reads all updates that wait for approval, page by page. */
export async function readApprovals(server: Server): Promise<ApprovalsView> {
  const pages = await readPages((query) => server.ask("listApprovals", { query }));
  return { ...pages.first, approvals: pages.all.flatMap(({ approvals }) => approvals) };
}

/**
 * Returns the pages of a list. `first` is the first page without its `next`, and `all` are all
 * pages.
 */
export async function readPages<View extends { readonly next?: string }>(
  read: (query: { readonly after?: string }) => Promise<View>,
) {
  const page = await read({});
  const all = [page];
  for (let { next } = page; next !== undefined; { next } = all.at(-1) ?? {}) all.push(await read({ after: next }));
  const { next: _next, ...first } = page;
  return { first, all };
}
