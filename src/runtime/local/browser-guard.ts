import { problemResponse } from "../request.ts";

/** Returns whether an address reaches only this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

/**
 * Returns the answer to a request that names another host than this server; undefined: it may
 * continue.
 *
 * A page of any site may let its own name point to this machine (DNS rebinding). Senders of
 * webhooks may come through a tunnel, and prove themselves.
 *
 * @param names - the server's names and port, as in the header `Host`. Absent: any name is
 *   accepted.
 */
export function answerToForeignHost(request: Request, names: ReadonlySet<string> | undefined): Response | undefined {
  const { pathname } = new URL(request.url);
  const host = request.headers.get("host") ?? "";
  if (names === undefined || names.has(host.toLowerCase())) return undefined;
  if (pathname === "/healthz" || pathname.startsWith("/webhooks/")) return undefined;
  return problemResponse("misdirected", `this server is ${[...names].join(", ")}; name it so in the request`);
}

/** Returns the names of a server as the header `Host` has them; undefined for one that other machines reach. */
export function ownNames(host: string, port: number): ReadonlySet<string> | undefined {
  if (!isLoopback(host)) return undefined;
  const hosts = new Set([host === "::1" ? "[::1]" : host, "127.0.0.1", "localhost", "[::1]"]);
  // A browser leaves out the port of plain HTTP.
  return new Set([...hosts].flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])));
}

/**
 * Returns the answer to a write that a page of another origin makes; undefined: it may continue.
 */
export function answerToForeignPage({ method, headers }: Request): Response | undefined {
  if (method === "GET" || method === "HEAD") return undefined;
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isOwn = origin === null || origin === `http://${headers.get("host") ?? ""}`;
  if ((site === null || site === "same-origin" || site === "none") && isOwn) return undefined;
  return problemResponse("foreign-page", "a page of another origin may not change anything here");
}
