import type { Asking, RegistryRefusal, RepositoryName, TagListing } from "#ports/registry";
import { holdTags } from "../shared/held-tags.ts";
import { entriesOfPage, partsOf } from "../shared/image-content.ts";
import { isTag } from "#domain/image/reference";
import type { HttpAnswer } from "./http.ts";
import { overBudget, unreachable } from "./http.ts";
import { nextLink } from "./link.ts";
import type { AskRepository } from "./repository-client.ts";

const pageSize = 1000;
/**
 * The maximum size of a page. This size is large, because some registries ignore the page size and
 * send all tags in one page.
 */
const pageLimitBytes = 16 * 1024 * 1024;
/**
 * The maximum number of tags, more than real repositories have. This number stops an endless
 * listing.
 */
const mostTags = 200_000;
const mostRequests = 2000;
/** The maximum size of all pages: {@link mostTags} tags of 128 characters, with room. */
const mostBytes = 32 * 1024 * 1024;
/** The maximum time of all answers of a listing. A request of a user has half a minute. */
const longestListingMs = 20_000;
/** A page up to this size is read at once. A larger page waits for its turn. */
const quicklyReadBytes = 64 * 1024;
/** The tags that are added to a listing without a break. */
const addedAtOnce = 10_000;

const sized = `n=${pageSize}`;

/** The request for one page. */
interface Page {
  readonly kind: "page";
  /** The number of the page, for messages. The first page has 1. */
  readonly number: number;
  /** Empty for the first page without a page size. */
  readonly query: string;
}

/** A listing, its repository, and a clock that never goes back. */
export interface TagsAsked extends Asking {
  readonly name: RepositoryName;
  readonly monotonicMs: () => number;
}

interface Listing extends TagsAsked {
  readonly tags: Set<string>;
  /** The numbers of the requested pages, by the identities of their queries. */
  readonly asked: Map<string, number>;
  /** False after the registry refused the page size. */
  takesSize: boolean;
  /** The size of all pages so far. */
  bytes: number;
}

/**
 * Lists a repository's tags, each once. A missing or broken page makes the whole listing a refusal.
 *
 * Every page is requested at the registry's own address and at the path of the first page. After a
 * full page without a `Link` header, the function requests the tags after the last tag.
 */
export async function listTags(ask: AskRepository, asked: TagsAsked): Promise<TagListing> {
  const { beforePage, monotonicMs } = asked;
  const queries = new Map([[identityOf(sized), 1]]);
  const listing: Listing = { ...asked, tags: new Set(), asked: queries, takesSize: true, bytes: 0 };
  let askedMs = 0;
  let page: Page = { kind: "page", number: 1, query: sized };

  for (let requests = 1; ; requests++) {
    const refusal = requests === 1 ? undefined : await beforePage?.();
    if (refusal !== undefined) return refusal;
    const beganMs = monotonicMs();
    const answer = await askPage(ask, page);
    askedMs += monotonicMs() - beganMs;
    if (answer.kind !== "answer") return answer;
    const next = await follow(answer, page, listing);
    if (next.kind !== "page") return next;
    if (requests === mostRequests)
      return unreachable(answer.url, `needs more than ${mostRequests} requests to list its tags`);
    if (askedMs > longestListingMs)
      return unreachable(answer.url, `needs more than ${longestListingMs / 1_000} s to answer all its pages of tags`);
    page = next;
  }
}

async function askPage(ask: AskRepository, { query }: Page): Promise<HttpAnswer | RegistryRefusal> {
  const target = query === "" ? "tags/list" : `tags/list?${query}`;
  return ask({ method: "GET", target, accept: "application/json", limitBytes: pageLimitBytes });
}

/** Returns the page to request after an answer, or the end of the listing. */
async function follow(answer: HttpAnswer, page: Page, listing: Listing): Promise<Page | TagListing> {
  if (mayRefuseSize(answer) && isSized(page)) {
    listing.takesSize = false;
    return pageAt(answer, page.query, page.number, page, listing);
  }
  if (answer.status === 404 && page.number === 1) return { kind: "not-found" };
  const read = await readPage(answer, page, listing);
  if (read.kind === "unreachable") return read;
  if (read.kind === "end") return { kind: "tags", tags: [...listing.tags] };
  return pageAt(answer, read.query, page.number + 1, page, listing);
}

/** Returns a page that was not requested before, or the refusal of a listing without end. */
function pageAt(
  { url }: HttpAnswer,
  named: string,
  number: number,
  before: Page,
  { asked, takesSize }: Listing,
): Page | ReturnType<typeof unreachable> {
  const query = takesSize ? named : withoutSize(named);
  const earlier = asked.get(identityOf(query));
  if (earlier !== undefined)
    return unreachable(url, `named page ${earlier} of its tags again after page ${before.number}`);
  asked.set(identityOf(query), number);
  return { kind: "page", number, query };
}

type PageRead =
  { readonly kind: "next"; readonly query: string } | { readonly kind: "end" } | ReturnType<typeof unreachable>;

/** Adds a page's tags to the listing, and returns the query of the next page. */
async function readPage(answer: HttpAnswer, page: Page, listing: Listing): Promise<PageRead> {
  const { headers, url } = answer;
  const before = listing.tags.size;
  const found = await addPage(answer, page, listing);
  if ("kind" in found) return found;
  const hasNew = listing.tags.size > before;
  const named = `page ${page.number} of its tags`;
  const next = nextLink(headers.get("link"));
  if (next.kind === "broken") return unreachable(url, `sent ${named} with a Link header ${next.problem}`);
  if (next.kind === "next" && !hasNew)
    return unreachable(url, `sent ${named} without a new tag, and names a further page`);
  if (next.kind === "next") return next;
  const isFull = isSized(page) && found.length === pageSize && hasNew;
  const last = String(found.at(-1));
  return isFull ? { kind: "next", query: `${sized}&last=${encodeURIComponent(last)}` } : { kind: "end" };
}

/** Adds a page's tags to the listing, a part at a time. Returns the page's entries, or a refusal. */
async function addPage(
  { status, content, url }: HttpAnswer,
  page: Page,
  listing: Listing,
): Promise<readonly unknown[] | ReturnType<typeof unreachable>> {
  const { tags, name, spending } = listing;
  const named = `page ${page.number} of its tags`;
  if (status !== 200) return unreachable(url, `answered ${status} to ${named}`);
  listing.bytes += content.length;
  if (listing.bytes > mostBytes) return unreachable(url, `sent more than ${mostBytes} bytes of tags`);
  // A page has at most one tag for each of its parts.
  const refusal = holdTags(tags.size + partsOf(content), name, spending);
  if (refusal !== undefined) return overBudget(refusal);
  const turn = inTurns(content, listing);
  const found = await turn(() => entriesOfPage(content));
  if (typeof found === "string") return unreachable(url, `sent ${named} ${found}`);
  for (let from = 0; from < found.length; from += addedAtOnce) {
    const part = found.slice(from, from + addedAtOnce);
    if (!(await turn(() => addTags(part, tags))))
      return unreachable(url, `sent ${named} with an entry that is not a tag`);
    if (tags.size > mostTags) return unreachable(url, `lists more than ${mostTags} tags`);
  }
  holdTags(tags.size, name, spending);
  return found;
}

/** Adds entries to tags. Returns false if an entry is not a tag. */
function addTags(entries: readonly unknown[], tags: Set<string>): boolean {
  return entries.every((entry) => {
    if (typeof entry !== "string" || !isTag(entry)) return false;
    tags.add(entry);
    return true;
  });
}

/** Reads a small page at once. A large page delays everyone, so it waits for its turns. */
function inTurns({ length }: Buffer, { spending }: Listing): <Answer>(read: () => Answer) => Promise<Answer> {
  return async (read) => (length <= quicklyReadBytes || spending === undefined ? read() : await spending.turn(read));
}

/**
 * Returns whether an answer may refuse the page size alone. Registries have no common status for
 * this refusal. Status 408 and 429 are no answers here, and 401 and 403 refuse the login.
 */
function mayRefuseSize({ status }: HttpAnswer): boolean {
  return status >= 400 && status < 500 && status !== 404;
}

function isSized({ query }: Page): boolean {
  return withoutSize(query) !== query;
}

/** Returns a query without the page size. The other parameters keep their spelling. */
function withoutSize(query: string): string {
  return query
    .split("&")
    .filter((part) => !/^n(?:=|$)/.test(part))
    .join("&");
}

/** Returns a text that is equal for queries with the same parameters. */
function identityOf(query: string): string {
  const parameters = new URLSearchParams(query);
  parameters.sort();
  return parameters.toString();
}
