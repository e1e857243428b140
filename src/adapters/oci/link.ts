const target = /<([^<>]*)>((?:[^,"]|"(?:[^"\\]|\\.)*")*)/g;
const relationNext = /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next)\s*(?:;|$)/i;

/**
 * Returns the URL of the next page from a `Link` header. `none`: there is no next page. `refused`:
 * the URL is invalid or of another origin.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8288
 */
export function nextPage(header: string | undefined, page: URL): URL | "none" | "refused" {
  const next = [...(header ?? "").matchAll(target)].find(([, , parameters]) => relationNext.test(parameters ?? ""));
  const reference = next?.[1];
  if (reference === undefined) return header === undefined || header.trim() === "" ? "none" : withoutNext(header);
  if (!URL.canParse(reference, page.href)) return "refused";
  const url = new URL(reference, page.href);
  return url.origin === page.origin && url.username === "" && url.password === "" ? url : "refused";
}

/**
 * Returns `refused` for an unreadable header with the word "next", so that the listing does not end
 * early. Returns `none` for any other header.
 */
function withoutNext(header: string): "none" | "refused" {
  return /\bnext\b/i.test(header) ? "refused" : "none";
}
