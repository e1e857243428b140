const target = /<([^<>]*)>((?:[^,"]|"(?:[^"\\]|\\.)*")*)/g;
const relationNext = /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next)\s*(?:;|$)/i;

/**
 * Answers the page that follows, by a `Link` header: `none` when there is no further page.
 *
 * `refused` when it leaves the origin (host, port and scheme) of the page it came with, or is no URL.
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

/** A header that speaks of "next" in a way that can't be read may not end the listing. */
function withoutNext(header: string): "none" | "refused" {
  return /\bnext\b/i.test(header) ? "refused" : "none";
}
