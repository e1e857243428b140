import type { ApprovalsView } from "#contracts/api/approvals";
import type { UpdatesView, WorkloadsView } from "#contracts/api/workloads";
import type { Server } from "./server.ts";

/** Reads all workloads, page by page. */
export async function readWorkloads(server: Server): Promise<WorkloadsView> {
  const pages = await readPages((query) => server.ask("listWorkloads", { query }));
  const unreadable = pages.all.flatMap((page) => page.unreadable ?? []);
  return {
    ...pages.first,
    workloads: pages.all.flatMap(({ workloads }) => workloads),
    ...(unreadable.length === 0 ? {} : { unreadable }),
  };
}

/** Returns the names of all workloads, also of those whose record can't be read. */
export function workloadNames({ workloads, unreadable = [] }: WorkloadsView): readonly string[] {
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
