import type { BeforePage, RegistryRefusal, TagListing } from "#ports/registry";
import { tagsOf } from "../shared/image-content.ts";
import type { HttpAnswer } from "./http.ts";
import { unreachable } from "./http.ts";
import { nextPage } from "./link.ts";
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
const mostPages = 2000;

const firstPage = `tags/list?n=${pageSize}`;
/** The first page of registries that reject a page size above their own limit. */
const anySize = { kind: "next", target: "tags/list" } as const;

type NextPage =
  | { readonly kind: "next"; readonly target: string | URL }
  | { readonly kind: "end" }
  | { readonly kind: "broken"; readonly problem: string };

/**
 * Lists a repository's tags, each once. A missing or broken page makes the whole listing a refusal.
 *
 * After a full page without a `Link` header, the function requests the tags after the last tag.
 */
export async function listTags(ask: AskRepository, beforePage?: BeforePage): Promise<TagListing> {
  const tags = new Set<string>();
  const asked = new Set<string>();
  let target: string | URL = firstPage;

  for (let page = 0; page < mostPages; page++) {
    asked.add(target.toString());
    const answer = await askPage(ask, target, page === 0 ? undefined : beforePage);
    if (answer.kind !== "answer") return answer;
    if (answer.status === 404 && page === 0) return { kind: "not-found" };
    const next: NextPage =
      answer.status === 400 && page === 0 ? anySize : readPage(answer, tags, target !== anySize.target);
    if (next.kind === "end") return { kind: "tags", tags: [...tags] };
    if (next.kind === "broken") return unreachable(answer.url, next.problem);
    if (asked.has(next.target.toString())) return unreachable(answer.url, "returned the same page of tags twice");
    target = next.target;
  }
  return { kind: "unreachable", detail: `the registry lists tags on more than ${mostPages} pages` };
}

async function askPage(
  ask: AskRepository,
  target: string | URL,
  beforePage: BeforePage | undefined,
): Promise<HttpAnswer | RegistryRefusal> {
  const refusal = await beforePage?.();
  return refusal ?? ask({ method: "GET", target, accept: "application/json", limitBytes: pageLimitBytes });
}

/** Adds a page's tags to `tags` and returns the next page. */
function readPage(answer: HttpAnswer, tags: Set<string>, sized: boolean): NextPage {
  if (answer.status !== 200) return { kind: "broken", problem: `answered ${answer.status} to a page of its tags` };
  const found = tagsOf(answer.content);
  if (found === undefined) return { kind: "broken", problem: "sent an invalid page of its tags" };
  const before = tags.size;
  for (const tag of found) tags.add(tag);
  if (tags.size > mostTags) return { kind: "broken", problem: `lists more than ${mostTags} tags` };

  const link = nextPage(answer.headers.get("link"), answer.url);
  if (link === "refused")
    return { kind: "broken", problem: "named a next page of tags that is invalid or on another origin" };
  if (link !== "none") return { kind: "next", target: link };
  const last = found.at(-1);
  const full = sized && found.length === pageSize && last !== undefined && tags.size > before;
  return full ? { kind: "next", target: `${firstPage}&last=${encodeURIComponent(last)}` } : { kind: "end" };
}
