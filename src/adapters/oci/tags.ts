import type { BeforePage, RegistryRefusal, TagListing } from "#ports/registry";
import { tagsOf } from "../shared/image-content.ts";
import type { HttpAnswer } from "./http.ts";
import { unreachable } from "./http.ts";
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

const sized = `n=${pageSize}`;

/** The request for one page. */
interface Page {
  readonly kind: "page";
  /** The number of the page, for messages. The first page has 1. */
  readonly number: number;
  /** Empty for the first page without a page size. */
  readonly query: string;
}

interface Listing {
  readonly tags: Set<string>;
  /** The numbers of the requested pages, by the identities of their queries. */
  readonly asked: Map<string, number>;
  /** False after the registry refused the page size. */
  takesSize: boolean;
}

/**
 * Lists a repository's tags, each once. A missing or broken page makes the whole listing a refusal.
 *
 * Every page is requested at the registry's own address and at the path of the first page. After a
 * full page without a `Link` header, the function requests the tags after the last tag.
 */
export async function listTags(ask: AskRepository, beforePage?: BeforePage): Promise<TagListing> {
  const listing: Listing = { tags: new Set(), asked: new Map([[identityOf(sized), 1]]), takesSize: true };
  let page: Page = { kind: "page", number: 1, query: sized };

  for (let requests = 1; ; requests++) {
    const answer = await askPage(ask, page, requests === 1 ? undefined : beforePage);
    if (answer.kind !== "answer") return answer;
    const next = follow(answer, page, listing);
    if (next.kind !== "page") return next;
    if (requests === mostRequests)
      return unreachable(answer.url, `needs more than ${mostRequests} requests to list its tags`);
    page = next;
  }
}

async function askPage(
  ask: AskRepository,
  { query }: Page,
  beforePage: BeforePage | undefined,
): Promise<HttpAnswer | RegistryRefusal> {
  const refusal = await beforePage?.();
  const target = query === "" ? "tags/list" : `tags/list?${query}`;
  return refusal ?? ask({ method: "GET", target, accept: "application/json", limitBytes: pageLimitBytes });
}

/** Returns the page to request after an answer, or the end of the listing. */
function follow(answer: HttpAnswer, page: Page, listing: Listing): Page | TagListing {
  if (mayRefuseSize(answer) && isSized(page)) {
    listing.takesSize = false;
    return pageAt(answer, page.query, page.number, page, listing);
  }
  if (answer.status === 404 && page.number === 1) return { kind: "not-found" };
  const read = readPage(answer, page, listing.tags);
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

/** Adds a page's tags to `tags`, and returns the query of the next page. */
function readPage({ status, content, headers, url }: HttpAnswer, page: Page, tags: Set<string>): PageRead {
  const named = `page ${page.number} of its tags`;
  if (status !== 200) return unreachable(url, `answered ${status} to ${named}`);
  const found = tagsOf(content);
  if (typeof found === "string") return unreachable(url, `sent ${named} ${found}`);
  const before = tags.size;
  for (const tag of found) tags.add(tag);
  if (tags.size > mostTags) return unreachable(url, `lists more than ${mostTags} tags`);

  const next = nextLink(headers.get("link"));
  if (next.kind === "broken") return unreachable(url, `sent ${named} with a Link header ${next.problem}`);
  if (next.kind === "next") return next;
  const last = found.at(-1);
  const isFull = isSized(page) && found.length === pageSize && last !== undefined && tags.size > before;
  return isFull ? { kind: "next", query: `${sized}&last=${encodeURIComponent(last)}` } : { kind: "end" };
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
