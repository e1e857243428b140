/** The next page of a listing, by a `Link` header. `problem` follows the words "a Link header". */
export type NextLink =
  | { readonly kind: "none" }
  | { readonly kind: "next"; readonly query: string }
  | { readonly kind: "broken"; readonly problem: string };

/** The maximum length of a query. Common servers refuse longer request lines. */
const longestQuery = 8_000;

const link = /<([^<>]*)>((?:[^,"]|"(?:[^"\\]|\\.)*")*)/g;
const parameter = /;\s*([^\s=;,"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s;,]*)))?/g;

/**
 * Returns the query of the next page from a `Link` header.
 *
 * The scheme, host, port and path of the link are not used, because registries behind proxies name
 * their inner addresses. A header that may name a next page, but can't be read, is `broken`, so that
 * a listing does not end early.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8288
 */
export function nextLink(header = ""): NextLink {
  const links = [...header.matchAll(link)].map(([, target = "", parameters = ""]) => ({
    query: queryOf(target),
    relations: relationsOf(parameters),
  }));
  const next = links.filter(({ relations }) => relations?.includes("next"));
  const queries = new Set(next.map(({ query }) => query));
  if (queries.size > 1) return broken("that names two different next pages");
  const [query] = queries;
  if (query !== undefined) return checked(query);
  if (/\bnext\b/i.test(header.replace(link, ""))) return broken("that can't be read");
  const isUnnamed = links.some((one) => one.relations === undefined && one.query !== "");
  return isUnnamed ? broken("that does not say whether its link is the next page") : { kind: "none" };
}

function checked(query: string): NextLink {
  if (query === "") return broken("whose next page has no query");
  if (query.length > longestQuery) return broken(`whose next page has a query of more than ${longestQuery} characters`);
  return { kind: "next", query };
}

function broken(problem: string): NextLink {
  return { kind: "broken", problem };
}

/** Returns the text between the first question mark and the fragment. */
function queryOf(target: string): string {
  const [address = ""] = target.split("#");
  const mark = address.indexOf("?");
  return mark === -1 ? "" : address.slice(mark + 1).trim();
}

/** Returns the relations of a link in lower case, or undefined for a link without relations. */
function relationsOf(parameters: string): readonly string[] | undefined {
  const [rel] = [...parameters.matchAll(parameter)].filter(([, name]) => name?.toLowerCase() === "rel");
  if (rel === undefined) return undefined;
  const [, , inQuotes, inApostrophes, bare = ""] = rel;
  return (inQuotes ?? inApostrophes ?? bare).toLowerCase().trim().split(/\s+/);
}
