import { problemResponse } from "../request.ts";

/** Returns whether only this machine can reach a host. `127.1` means 127.0.0.1. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d+){1,3}$/.test(host);
}

/**
 * Returns the refusal of a request whose `Host` is not this server; undefined for an allowed
 * request.
 *
 * Any site may let its own name point to this machine (DNS rebinding). Webhooks are allowed,
 * because they may come through a tunnel and are authenticated.
 *
 * @param names - the server's names and port, as in the header `Host`. Absent if any name is
 *   accepted.
 */
export function answerToForeignHost(request: Request, names: ReadonlySet<string> | undefined): Response | undefined {
  const { pathname } = new URL(request.url);
  const host = request.headers.get("host") ?? "";
  if (names === undefined || names.has(host.toLowerCase())) return undefined;
  if (pathname === "/healthz" || pathname.startsWith("/webhooks/")) return undefined;
  return problemResponse("misdirected", `the Host of a request must be one of ${[...names].join(", ")}`);
}

/**
 * Returns the allowed values of the header `Host`; undefined for a server that other machines
 * reach.
 */
export function ownNames(host: string, port: number, isTls = false): ReadonlySet<string> | undefined {
  if (!isLoopback(host)) return undefined;
  const hosts = new Set([host === "::1" ? "[::1]" : host, "127.0.0.1", "localhost", "[::1]"]);
  // A browser omits the default port.
  const usualPort = isTls ? 443 : 80;
  return new Set([...hosts].flatMap((name) => (port === usualPort ? [name, `${name}:${port}`] : [`${name}:${port}`])));
}

/**
 * Returns the refusal of a write from a page of another origin; undefined for an allowed request.
 */
export function answerToForeignPage({ method, headers, url }: Request): Response | undefined {
  if (method === "GET" || method === "HEAD") return undefined;
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isOwn = origin === null || origin === `${new URL(url).protocol}//${headers.get("host") ?? ""}`;
  if ((site === null || site === "same-origin" || site === "none") && isOwn) return undefined;
  return problemResponse("foreign-page", "a page of another origin can't write to Lookout");
}
